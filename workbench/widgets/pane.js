// HTML made by the kernel. What the reader did to it - unfolded, focused, scrolled - survives new HTML.

const summaryOf = (details) => details.querySelector("summary")?.textContent.replace(/\d+/g, "");

// A picture that is wider than its box is shown at its first state, which need not be at its left.
function centre(box) {
  const node = box.querySelector("g.node")?.getBoundingClientRect();
  const frame = box.getBoundingClientRect();
  if (node) box.scrollLeft += node.left + node.width / 2 - frame.left - frame.width / 2;
}

function draw(el, html) {
  const unfolded = new Map([...el.querySelectorAll("details")].map((details) => [summaryOf(details), details.open]));
  const scrolled = [...el.querySelectorAll(".wb-scroll")].map((box) => box.scrollTop);
  const focused = el.contains(document.activeElement) ? document.activeElement.dataset.send : undefined;
  el.innerHTML = html;
  for (const details of el.querySelectorAll("details")) details.open = unfolded.get(summaryOf(details)) ?? details.open;
  el.querySelectorAll(".wb-scroll").forEach((box, index) => (box.scrollTop = scrolled[index] ?? 0));
  el.querySelectorAll(".wb-graph").forEach((graph) => {
    centre(graph);
    showPictures(graph);
  });
  if (focused !== undefined) el.querySelector(`[data-send="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

function search(el, input) {
  const wanted = input.value.trim().toLowerCase();
  let found = 0;
  for (const item of el.querySelectorAll(input.dataset.search)) {
    const matches = item.textContent.toLowerCase().includes(wanted);
    item.classList.toggle("wb-dimmed", !matches);
    found += matches;
  }
  input.nextElementSibling.textContent = wanted ? `${found} found` : "";
}

// The cell of a map to which an arrow key leads: the nearest one on that side, rather straight ahead than close by.
function beside(cell, key) {
  const [x, y] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key] ?? [0, 0];
  const from = cell.getBoundingClientRect();
  let [nearest, least] = [undefined, Infinity];
  for (const other of cell.parentElement.querySelectorAll(":scope > g[data-send]")) {
    const to = other.getBoundingClientRect();
    const ahead = x * (to.left - from.left) + y * (to.top - from.top);
    const aside = Math.abs(y * (to.left - from.left)) + Math.abs(x * (to.top - from.top));
    if (ahead > 1 && ahead + 4 * aside < least) [nearest, least] = [other, ahead + 4 * aside];
  }
  return nearest;
}

function render({ model, el }) {
  el.classList.add("wb", "wb-pane");
  const update = () => draw(el, model.get("html"));
  el.addEventListener("click", (event) => {
    const target = event.target.closest("[data-send], [data-copy]");
    if (!target || target.disabled) return;
    if (target.dataset.copy) copyText(target, target.dataset.copy, target.nextElementSibling);
    else model.send({ send: target.dataset.send });
  });
  el.addEventListener("keydown", (event) => {
    const target = event.target.closest("g[data-send]");  // of a picture: a button of HTML does this by itself
    const chosen = ["Enter", " "].includes(event.key);
    const next = target && beside(target, event.key);
    if (!target || !(chosen || next)) return;
    event.preventDefault();
    event.stopPropagation();
    if (chosen) model.send({ send: target.dataset.send });
    else next.focus();
  });
  el.addEventListener("input", (event) => {
    if (event.target.dataset.search) search(el, event.target);
  });
  const received = ({ save }) => save && download(save.name, save.content, save.type);
  model.on("change:html", update);
  model.on("msg:custom", received);
  update();
  return () => {
    model.off("change:html", update);
    model.off("msg:custom", received);
  };
}

export default { render };
