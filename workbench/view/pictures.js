// Pictures of states that travel with what is drawn: unpacked here, and shown beside the nodes of a state graph.
// Scripts that need it have this text before their own.

// Texts that were packed together, see `packed` in trace.py.
const unpack = async (packed) => {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
};

// The picture of a node's state appears while the mouse is on the node, or the keyboard's focus; Escape hides it.
const showPictures = async (graph) => {
  if (!graph.dataset.pictures || !graph.showPopover) return;
  const pictures = await unpack(graph.dataset.pictures);
  const card = document.createElement("div");
  card.className = "wb-peek wb-picture";
  card.popover = "manual";
  card.setAttribute("aria-live", "polite");
  graph.append(card);

  const hide = () => card.matches(":popover-open") && card.hidePopover();
  const show = (node) => {
    card.innerHTML = pictures[node.dataset.node];
    card.showPopover();
    const at = node.getBoundingClientRect();
    const { width, height } = card.getBoundingClientRect();
    const right = at.right + 12;
    const left = right + width <= innerWidth ? right : at.left - width - 12;
    card.style.left = `${Math.max(left, 4)}px`;
    card.style.top = `${Math.max(Math.min(at.top + at.height / 2 - height / 2, innerHeight - height - 4), 4)}px`;
  };

  for (const node of graph.querySelectorAll("g.node")) {
    if (!(node.dataset.node in pictures)) continue;
    const title = node.querySelector("title");
    const text = title.textContent;
    node.tabIndex = 0;
    node.setAttribute("role", "img");
    node.setAttribute("aria-label", text);
    node.addEventListener("pointerenter", () => { title.textContent = ""; show(node); });  // no second, smaller hint
    node.addEventListener("pointerleave", () => { title.textContent = text; hide(); });
    node.addEventListener("focus", () => node.matches(":focus-visible") && show(node));
    node.addEventListener("blur", hide);
  }
  graph.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  graph.addEventListener("scroll", hide);
};
