// A trace fills the window for a lesson: picture, lanes and one sentence, in letters of 20 px. The player and pages
// have this text before their own scripts.

// The names of the lanes stay in sight while the steps scroll: a second copy of the lanes, cut below their names.
const headOf = (svg) => {
  const head = svg.cloneNode(true);
  head.setAttribute("viewBox", `0 0 ${svg.viewBox.baseVal.width} 28`);
  head.setAttribute("aria-hidden", "true");
  head.querySelectorAll(".wb-step, .wb-back, .wb-remark").forEach((row) => row.remove());
  const box = document.createElement("div");
  box.className = "wb-head";
  box.append(head);
  return box;
};

// The strip: a dot for each step, in the lane of whoever takes it; a cross where something is wrong, a box for a loop.
const stripOf = ({ lanes = [], at = [], bad = [], loop }, wide, label, size = 1) => {
  const left = Math.min(Math.max(...lanes.map((name) => 7 * size * name.length), 0) + 8, wide / 3);
  const x = (step) => left + ((step + 0.5) * (wide - left - 6)) / Math.max(at.length, 1);
  const y = (actor) => size * (9 + 14 * Math.max(actor, 0));
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const add = (name, attributes, text = "", parent = svg) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    parent.append(made);
    return made;
  };
  const tall = size * (14 * Math.max(lanes.length, 1) + 4);
  svg.setAttribute("width", wide);
  svg.setAttribute("height", tall);
  lanes.forEach((name, actor) => {
    add("text", { x: 0, y: y(actor) + 4 * size }, name);
    add("line", { x1: left, x2: wide, y1: y(actor), y2: y(actor) });
  });
  if (loop !== null && loop !== undefined) {
    const [from, to] = [x(loop), x(at.length - 1)];
    add("rect", { class: "wb-loop", x: from - 8, y: 1, width: to - from + 16, height: tall - 2, rx: 6 });
  }
  at.forEach((actor, step) => {
    const wrong = bad.includes(step);
    const dot = add("g", { class: wrong ? "wb-dot wb-bad" : "wb-dot", "data-dot": step });
    add("title", {}, `${step + 1}  ${label(step)}`, dot);
    add("rect", { x: x(step) - 6, y: 0, width: 12, height: tall, rx: 4 }, "", dot);
    if (actor >= 0) add("circle", { cx: x(step), cy: y(actor), r: 4.5 * size }, "", dot);
    if (wrong) add("path", { d: `M${x(step) - 2.5} ${y(actor) - 2.5}l5 5m0 -5l-5 5` }, "", dot);
  });
  return svg;
};
const markDotOf = (strip, step) => {
  for (const dot of strip.querySelectorAll(".wb-dot")) dot.toggleAttribute("data-current", Number(dot.dataset.dot) === step);
};
const scrub = (strip, go) => {
  const to = (event) => {
    const dot = event.buttons === 1 && event.target.closest(".wb-dot");
    if (dot) go(Number(dot.dataset.dot));
  };
  strip.addEventListener("pointerdown", to);
  strip.addEventListener("pointermove", to);
};

// How much larger than drawn a picture and lanes are, for letters of 20 px.
const PICTURE_SCALE = 20.01 / 12;
const LANES_SCALE = 20.01 / 11.5;
// The smallest scale of lanes beside a whole picture.
const SPARE_LANES = 0.7;

// What shows a trace says how many states it has (`count`), which one is shown (`at`), how to show another one (`go`),
// and of each one its picture (`picture`, undefined while that is on its way), its label and an element with what is
// told of it (`state`); its lanes (`lanes`), drawn once or more, the narrowest first; and its dots (`strip`).
const presenter = (host) => {
  const dialog = make("dialog", "wb wb-present");
  dialog.setAttribute("aria-label", `${host.name}, step by step`);
  dialog.tabIndex = -1;
  const where = make("span", "wb-where");
  const picture = make("div", "wb-picture");
  const lanes = make("div", "wb-lanes wb-live");
  const stage = make("div", "wb-stage", picture, lanes);
  const said = make("div", "wb-said");
  const strip = make("div", "wb-strip");
  said.setAttribute("role", "status");
  picture.tabIndex = lanes.tabIndex = 0;  // they can be scrolled
  picture.setAttribute("aria-label", "picture");
  lanes.setAttribute("aria-label", "lanes");
  picture.setAttribute("role", "group");
  lanes.setAttribute("role", "group");

  let veiled = false;  // the end is not told yet
  let whole = true;  // the picture fits into its place, however small its letters get
  let shown = -1;
  let drawings = [];  // of the lanes

  let slides;  // while they are printed
  const unprint = () => slides?.remove();
  const print = () => {
    unprint();
    slides = slidesOf(host, tells);
    document.body.append(slides);
  };

  const button = (text, title, act) => {
    const made = make("button", "wb-button", text);
    made.title = title;
    made.ariaLabel = title;
    made.addEventListener("pointerdown", (event) => event.preventDefault());  // the keys stay those of the lesson
    made.addEventListener("mousedown", (event) => event.preventDefault());
    made.addEventListener("click", act);
    return made;
  };
  const last = () => host.count() - 1;
  const go = (step) => host.go(Math.min(Math.max(step, 0), last()));
  const veil = () => { veiled = !veiled; update(); };
  const fit = () => { whole = !whole; update(); };
  const back = button("\u25c0", "previous step (arrow keys)", () => go(host.at() - 1));
  const forth = button("\u25b6", "next step (space, arrow keys)", () => go(host.at() + 1));
  const veiling = button("", "hide or show the verdict (B)", veil);
  const fitting = button("", "the whole picture, or large letters (W)", fit);
  const leave = button("Leave", "leave (Esc)", () => dialog.close());
  scrub(strip, go);
  dialog.append(make("div", "wb-bar", back, forth, where, veiling, fitting, leave), strip, stage, said);

  const widthOf = (lanes) => LANES_SCALE * lanes.querySelector("svg").viewBox.baseVal.width;

  // Beside each other where there is room for both; else lanes are below, and only of large letters.
  const arrange = () => {
    const drawn = picture.querySelector("svg");
    const { clientWidth: wide, clientHeight: tall } = stage;
    const { width, height } = drawn?.viewBox.baseVal ?? { width: 600 };
    const bare = wide - PICTURE_SCALE * width - 48;
    const spare = drawn && whole ? wide - (tall * width) / height - 48 : 0;
    const least = widthOf(drawings[0]);
    const beside = least <= bare || SPARE_LANES * least <= spare;
    const room = beside ? Math.max(bare, spare) : wide - 24;
    const fits = drawings.filter((one) => widthOf(one) <= room);
    const chosen = fits.at(-1) ?? drawings[0];
    if (lanes.firstElementChild !== chosen) lanes.replaceChildren(chosen);
    const needed = Math.min(widthOf(chosen), room);
    stage.toggleAttribute("data-beside", beside);
    lanes.style.display = whole && !beside ? "none" : "";
    lanes.style.flex = beside ? `0 0 ${needed + 22}px` : `0 0 ${Math.max(0.3 * tall, 160)}px`;
    chosen.querySelectorAll("svg").forEach((svg) => (svg.style.width = `${needed}px`));
    if (!drawn) return;
    const across = (picture.clientWidth - 16) / width;
    const fitted = Math.min(across, picture.clientHeight / height);
    const scale = whole ? fitted : Math.max(fitted, Math.min(across, PICTURE_SCALE));
    drawn.style.width = `${scale * width}px`;
  };

  // What matters of a box is in its middle.
  const centre = (box, parts, head = 0) => {
    const frames = [...parts].map((part) => part.getBoundingClientRect()).filter((frame) => frame.height);
    if (!frames.length) return;
    const top = Math.min(...frames.map((frame) => frame.top));
    const bottom = Math.max(...frames.map((frame) => frame.bottom));
    const { top: start, height } = box.getBoundingClientRect();
    const room = height - head;
    const middle = bottom - top > room ? top + room / 2 : (top + bottom) / 2;  // of what is too tall, the beginning
    box.scrollTop += middle - start - head - room / 2;
  };

  const brokenIn = (step) => [...(host.state(step)?.querySelectorAll(".wb-truth.wb-bad") ?? [])];
  const tells = (step) => step === last() || brokenIn(step).length > 0;

  const update = () => {
    if (!dialog.open) return;
    const step = Math.min(host.at(), last());
    const told = host.state(step);
    const broken = brokenIn(step);
    const asking = veiled && tells(step);
    let known = step;  // what is seen while it is asked what follows
    while (asking && known >= 0 && tells(known)) known--;
    dialog.toggleAttribute("data-veiled", veiled);
    where.replaceChildren(`${step + 1} of ${last() + 1} `, make("code", "", host.label(step)));
    veiling.textContent = veiled ? "Show the verdict" : "Hide the verdict";
    fitting.textContent = whole ? "Large letters" : "Whole picture";
    back.disabled = step <= 0;
    forth.disabled = step >= last();

    const sentence = told?.querySelector(".wb-sentence")?.textContent ?? "";
    const endings = [...(told?.querySelectorAll(".wb-ending, .wb-remarked") ?? [])];
    const verdicts = [...broken, ...endings].map((one) => one.textContent);
    said.replaceChildren(make("p", "wb-sentence", asking ? "What will happen?" : sentence),
      ...(asking ? [] : verdicts.map((text) => make("p", "wb-verdict", text))));

    const drawn = host.picture(known);
    if (drawn !== undefined || asking) {
      picture.toggleAttribute("data-moving", known === shown + 1);
      picture.innerHTML = drawn ?? "";
      shown = known;
    }
    const dots = host.strip();
    const open = veiled ? { ...dots, bad: [], loop: null } : dots;
    strip.replaceChildren(stripOf(open, strip.clientWidth, host.label, dots.lanes?.length > 4 ? 1 : 1.3));
    markDotOf(strip, known);
    arrange();
    let current;
    for (const row of lanes.querySelectorAll(".wb-step")) {
      const number = Number(row.dataset.step);
      row.toggleAttribute("data-current", number === known);
      row.toggleAttribute("data-ahead", number > known);
      if (number === known) current = row;
    }
    centre(picture, picture.querySelectorAll("[data-fault], [data-change]"));
    if (current) centre(lanes, [current], lanes.querySelector(".wb-head svg").getBoundingClientRect().height);
    if (known === last()) lanes.scrollTop = lanes.scrollHeight;  // what is said of the end
  };

  const lanesChanged = () => {
    if (!dialog.open) return;
    drawings = host.lanes().map((svg) => {
      const drawing = make("div", "wb-drawing");
      drawing.innerHTML = svg;
      drawing.prepend(headOf(drawing.querySelector("svg")));
      return drawing;
    });
    update();
  };

  lanes.addEventListener("click", (event) => {
    const row = event.target.closest(".wb-step");
    if (row) go(Number(row.dataset.step));
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = host.at();
    const steps = { ArrowDown: 1, ArrowRight: 1, PageDown: 1, ArrowUp: -1, ArrowLeft: -1, PageUp: -1 };
    const acts = {
      " ": () => go(at + (event.shiftKey ? -1 : 1)), Home: () => go(0), End: () => go(last()), b: veil, w: fit,
    };
    const act = event.key in steps ? () => go(at + steps[event.key]) : acts[event.key.toLowerCase()] ?? acts[event.key];
    event.stopPropagation();
    if (event.key === " " && event.target.closest("button") && event.target.matches(":focus-visible")) return;
    if (!act) return;
    event.preventDefault();
    act();
  });

  const seen = new ResizeObserver(() => update());
  let filled = false;  // whether the screen is ours to give back
  const screenChanged = () => {
    if (filled && !document.fullscreenElement) dialog.close();
  };
  dialog.addEventListener("close", () => {
    seen.disconnect();
    document.removeEventListener("fullscreenchange", screenChanged);
    removeEventListener("beforeprint", print);
    removeEventListener("afterprint", unprint);
    if (filled && document.fullscreenElement) document.exitFullscreen();
    filled = false;
    dialog.remove();
  });

  // With `asking`, the verdict is hidden at first, and the behaviour begins at its beginning.
  const open = async ({ asking = false } = {}) => {
    if (dialog.open) return;
    veiled ||= asking;
    if (asking) go(0);
    const page = document.documentElement;
    filled = !document.fullscreenElement && document.fullscreenEnabled && navigator.userActivation?.isActive
      && await page.requestFullscreen().then(() => true, () => false);
    document.body.append(dialog);
    dialog.showModal();  // after the whole page, which would else lie above it
    dialog.focus();
    document.addEventListener("fullscreenchange", screenChanged);
    addEventListener("beforeprint", print);
    addEventListener("afterprint", unprint);
    shown = -1;
    lanesChanged();
    seen.observe(stage);
  };
  return { open, update, lanesChanged, close: () => dialog.close() };
};
