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

// A picture that is wider than its box is shown at its first state, which need not be at its left.
function centre(box) {
  const node = box.querySelector("g.node")?.getBoundingClientRect();
  const frame = box.getBoundingClientRect();
  if (node) box.scrollLeft += node.left + node.width / 2 - frame.left - frame.width / 2;
}

function draw(el, before, now) {
  const parts = () => [...el.querySelectorAll("details, .wb-graph")];
  const known = new Set(parts());
  const unfolded = new Map([...known].map((details) => [keyOf(details), details.open]));
  const focused = el.contains(document.activeElement) ? document.activeElement : el;
  patch(el, before, now);
  for (const part of parts().filter((part) => !known.has(part))) {
    if (part.matches("details")) part.open = unfolded.get(keyOf(part)) ?? part.open;
    else {  // only where pictures.js is
      centre(part);
      showPictures(part);
    }
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
  let drawn = document.createDocumentFragment();
  const update = () => {
    const template = document.createElement("template");
    template.innerHTML = model.get("html");
    draw(el, drawn, template.content);
    drawn = template.content;
  };
  el.addEventListener("click", (event) => {
    const target = event.target.closest("[data-send], [data-copy]");
    if (!target || target.disabled) return;
    const { send, copy } = target.dataset;
    if (copy) copyText(target, copy, target.nextElementSibling);
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
