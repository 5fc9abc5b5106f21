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

function render({ model, el }) {
  el.classList.add("wb", "wb-pane");
  const update = () => draw(el, model.get("html"));
  el.addEventListener("click", (event) => {
    const target = event.target.closest("[data-send]");
    if (target && !target.disabled) model.send({ send: target.dataset.send });
  });
  el.addEventListener("input", (event) => {
    if (event.target.dataset.search) search(el, event.target);
  });
  model.on("change:html", update);
  update();
  return () => model.off("change:html", update);
}

export default { render };
