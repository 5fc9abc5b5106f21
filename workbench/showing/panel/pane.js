// HTML made by the kernel. New HTML replaces only what differs: what the reader did to the rest - typed, unfolded,
// focused, selected, scrolled - stays.

// What tells an element from others at its place.
const keyOf = ({ dataset, firstElementChild: first }) => dataset.send ?? dataset.copy ?? dataset.name
  ?? (first?.matches("summary") ? first.textContent.replace(/\d+/g, "") : first?.dataset.copy);

// Whether an element can stay, while its attributes and what is in it change. A graph is drawn as a whole.
const stays = (before, now) => before.nodeName === now.nodeName && now.nodeType === Node.ELEMENT_NODE
  && !now.matches("input, .wb-graph") && keyOf(before) === keyOf(now);

// Make of `live`, which was made of `before`, what is in `now`.
function patch(live, before, now) {
  const there = [...live.childNodes];
  const old = [...before.childNodes];
  [...now.childNodes].forEach((node, at) => {
    if (!old[at]) live.append(node.cloneNode(true));
    else if (old[at].isEqualNode(node)) return;
    else if (!stays(old[at], node)) there[at].replaceWith(node.cloneNode(true));
    else {
      for (const { name } of old[at].attributes) if (!node.hasAttribute(name)) there[at].removeAttribute(name);
      for (const { name, value } of node.attributes) {
        if (old[at].getAttribute(name) !== value) there[at].setAttribute(name, value);
      }
      patch(there[at], old[at], node);
    }
  });
  for (const gone of there.slice(now.childNodes.length, old.length)) gone.remove();
}

function draw(el, before, now) {
  const parts = () => [...el.querySelectorAll("details, .wb-graph")];
  const known = new Set(parts());
  const unfolded = new Map([...known].map((details) => [keyOf(details), details.open]));
  const focused = el.contains(document.activeElement) ? document.activeElement : el;
  patch(el, before, now);
  for (const part of parts().filter((part) => !known.has(part))) {
    if (part.matches("details")) part.open = unfolded.get(keyOf(part)) ?? part.open;
    else openGraph(part);  // only where pictures.js is
  }
  el.querySelectorAll("[data-search]").forEach((input) => search(el, input));
  if (!focused.isConnected) focusAgain(el, focused.dataset.send);
}

// What had the focus was replaced, or has gone: then the keyboard goes on from here.
function focusAgain(el, sends) {
  const same = sends === undefined ? null : el.querySelector(`[data-send="${CSS.escape(sends)}"]:not([disabled])`);
  if (!same) {
    el.tabIndex = -1;
    el.addEventListener("blur", () => el.removeAttribute("tabindex"), { once: true });
  }
  (same ?? el).focus({ preventScroll: true });
}

// Dims what does not match, and goes to the first hit, or to a later one.
function search(el, input, go = undefined) {
  const wanted = input.value.trim().toLowerCase();
  const hits = [];
  for (const item of el.querySelectorAll(input.dataset.search)) {
    const matches = item.textContent.toLowerCase().includes(wanted);
    item.classList.toggle("wb-dimmed", !matches);
    if (matches) hits.push(item);
  }
  const at = go === undefined || !hits.length ? 0 : go % hits.length;
  if (wanted && hits.length && go !== undefined) hits[at].closest(".wb-graph").view.centre(hits[at]);
  const where = go === undefined || hits.length < 2 ? "" : ` (${at + 1}, Enter for the next)`;
  input.nextElementSibling.textContent = wanted ? `${hits.length} found${hits.length ? where : ""}` : "";
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
  let drawn = document.createDocumentFragment();
  const update = () => {
    const template = document.createElement("template");
    template.innerHTML = model.get("html");
    draw(el, drawn, template.content);
    drawn = template.content;
  };
  el.addEventListener("click", (event) => {
    const target = event.target.closest("[data-send], [data-copy], [data-view]");
    if (!target || target.disabled) return;
    const { send, copy, view } = target.dataset;
    if (view) el.querySelector(".wb-graph")?.view[view]();
    else if (copy) copyText(target, copy, target.nextElementSibling);
    else model.send({ send: target.type === "checkbox" ? `${send} ${target.checked ? "on" : "off"}` : send });
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
  let hit = 0;
  el.addEventListener("input", (event) => {
    if (event.target.dataset.search) search(el, event.target, hit = 0);
  });
  el.addEventListener("keydown", (event) => {
    if (event.target.dataset.search && event.key === "Enter") search(el, event.target, ++hit);
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
