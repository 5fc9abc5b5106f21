// Pictures of states that travel with what is drawn: unpacked here, fitted to their place, and shown beside the nodes
// of a state graph.
// Scripts that need it have this text before their own.

const make = (name, className, ...inside) => {
  const element = document.createElement(name);
  element.className = className;
  element.append(...inside);
  return element;
};

// Texts that were packed together, see `packed` in trace.py.
const unpack = async (packed) => {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
};

// The smallest and the largest scale of a picture in its place.
const SMALLEST = 0.68;
const LARGEST = 1.2;

const FAULTY = "[data-fault], [data-tone=bad]:not([data-kind=arrow])";

const isWithin = (inner, outer) => inner.left >= outer.left - 1 && inner.right <= outer.right + 1
  && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;

// The smallest rectangle around some.
const around = (frames) => {
  const [left, top] = [Math.min(...frames.map((one) => one.left)), Math.min(...frames.map((one) => one.top))];
  const right = Math.max(...frames.map((one) => one.right));
  const bottom = Math.max(...frames.map((one) => one.bottom));
  return new DOMRect(left, top, right - left, bottom - top);
};

// Scroll a picture to some of its parts, if they are not in sight.
const bringInSight = (picture, parts) => {
  const frames = parts.map((part) => part.getBoundingClientRect());
  if (!frames.length) return;
  const box = picture.getBoundingClientRect();
  const fits = (frame) => frame.width <= box.width && frame.height <= box.height;
  // As many as fit, the marked ones first.
  const isMarked = (at) => "fault" in parts[at].dataset;
  const inTurn = [...frames.keys()].sort((a, b) => isMarked(b) - isMarked(a)).map((at) => frames[at]);
  let [all] = inTurn;
  for (const frame of inTurn) {
    const more = around([all, frame]);
    if (fits(more)) all = more;
  }
  const beyond = (low, high, size) => {
    if (all[low] >= box[low] && all[high] <= box[high]) return 0;
    return all[size] > box[size] ? all[low] - box[low] - 6 : (all[low] + all[high] - box[low] - box[high]) / 2;
  };
  picture.scrollBy(beyond("left", "right", "width"), beyond("top", "bottom", "height"));
};

// A picture as large as its place, but no letters too small to read; then what is at fault, or has changed, is in sight.
// What is at fault and does not fit beside the rest of it is repeated below.
const fitPicture = (picture) => {
  picture.querySelector(".wb-repeated")?.remove();
  const svg = picture.querySelector("svg");
  if (!svg || !picture.clientWidth) return;
  const { width, height } = svg.viewBox.baseVal;
  const fitted = Math.min((picture.clientWidth - 12) / width, (picture.clientHeight - 8) / height);
  const scale = Math.min(Math.max(fitted, SMALLEST), LARGEST);
  svg.style.width = `${scale * width}px`;
  const faulty = [...picture.querySelectorAll(FAULTY)];
  const parts = faulty.length ? faulty : [...picture.querySelectorAll("[data-change]")];
  bringInSight(picture, parts);
  if (faulty.length) repeat(picture, svg, faulty, scale);
};

// Below a picture what is at fault in it and out of sight: the outermost things, with all that is in them.
const repeat = (picture, svg, faulty, scale) => {
  const box = picture.getBoundingClientRect();
  const frameOf = (part) => part.getBoundingClientRect();
  const hidden = faulty.filter((part) => !isWithin(frameOf(part), box));
  const outer = hidden.filter((part) => !hidden.some((one) => one !== part && isWithin(frameOf(part), frameOf(one))));
  const copies = outer.map((part) => {
    const [frame, area] = [frameOf(part), part.getBBox()];
    const copy = svg.cloneNode(false);
    copy.setAttribute("viewBox", [area.x - 4, area.y - 4, area.width + 8, area.height + 8].join(" "));
    copy.style.width = `${scale * (area.width + 8)}px`;
    copy.removeAttribute("height");
    for (const thing of svg.querySelectorAll("[data-thing]")) {
      if (!isWithin(frameOf(thing), frame)) continue;
      const group = thing.cloneNode(true);
      for (const name of ["id", ...Object.keys(thing.dataset).map((key) => `data-${key}`)]) group.removeAttribute(name);
      copy.append(group);
    }
    return copy;
  });
  if (!copies.length) return;
  const repeated = make("div", "wb-repeated", ...copies);
  picture.append(repeated);
  if (repeated.offsetHeight > picture.clientHeight / 2) {  // it would hide more than it shows
    repeated.remove();
    return;
  }
  const seen = faulty.filter((part) => !hidden.includes(part)).map(frameOf);
  const covered = Math.max(...seen.map((frame) => frame.bottom)) + repeated.offsetHeight - box.bottom;
  if (covered > 0) picture.scrollBy(0, covered + 6);
};

// A graph is zoomed by + and - and 0, and by the wheel with Ctrl or once somebody has clicked into it; it is moved by
// dragging. It opens on its trace, else on its first state.
const openGraph = (graph) => {
  const svg = graph.querySelector("svg");
  if (!svg) return;
  const [wide, tall] = [svg.viewBox.baseVal.width, svg.viewBox.baseVal.height].map((side) => side * 4 / 3);
  // In a panel that is not scrolled to its top, no taller than what is in sight.
  const below = innerHeight - graph.getBoundingClientRect().top - 36;
  if (graph.closest(".wb-panel") && below >= 200) graph.style.maxHeight = `${below}px`;
  let scale = 1;
  const zoom = (to, x = graph.clientWidth / 2, y = graph.clientHeight / 2) => {
    const [left, top] = [(graph.scrollLeft + x) / scale, (graph.scrollTop + y) / scale];
    scale = Math.min(Math.max(to, 0.08), 3);
    svg.style.width = `${wide * scale}px`;
    svg.style.height = "auto";
    graph.scrollTo(left * scale - x, top * scale - y);
  };
  const fitting = (width, height) => Math.min((graph.clientWidth - 16) / width, (graph.clientHeight - 16) / height, 1);
  const centre = (node) => {
    const [at, box] = [node.getBoundingClientRect(), graph.getBoundingClientRect()];
    graph.scrollLeft += at.left + at.width / 2 - box.left - box.width / 2;
    graph.scrollTop += at.top + at.height / 2 - box.top - box.height / 2;
  };
  graph.view = { larger: () => zoom(scale * 1.25), smaller: () => zoom(scale / 1.25), fit: () => zoom(fitting(wide, tall)), centre };
  const trace = [...graph.querySelectorAll("g.node[data-marks~=trace]")].map((node) => node.getBoundingClientRect());
  if (trace.length) {
    const side = (from, to) => Math.max(...trace.map((at) => at[to])) - Math.min(...trace.map((at) => at[from]));
    zoom(Math.max(fitting(side("left", "right"), side("top", "bottom")), 0.6));
  }
  const marks = ["violating", "focus", "loop", "trace"].map((mark) => `g.node[data-marks~=${mark}]`);
  const first = marks.map((mark) => graph.querySelector(mark)).find(Boolean) ?? graph.querySelector("g.node");
  if (first) centre(first);

  graph.tabIndex = 0;
  graph.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && !graph.contains(document.activeElement)) return;
    event.preventDefault();
    const box = graph.getBoundingClientRect();
    zoom(scale * 2 ** (-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
  graph.addEventListener("keydown", (event) => {
    const act = { "+": "larger", "=": "larger", "-": "smaller", 0: "fit" }[event.key];
    if (!act || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    graph.view[act]();
  });
  graph.addEventListener("pointermove", (event) => {
    if (event.buttons !== 1 || event.pointerType === "touch") return;
    graph.scrollBy(-event.movementX, -event.movementY);
  });
  graph.addEventListener("dragstart", (event) => event.preventDefault());
  showPictures(graph);
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
