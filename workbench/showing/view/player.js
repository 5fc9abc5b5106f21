// A trace, stepped by clicking a row or with the arrow keys. What it shows it asks of `model`: a widget of a notebook, or,
// with less to offer, what a page holds (`isPage`, see live.js).
// A part is drawn again only when what it shows has changed: what a person typed, selected, unfolded, focused or
// scrolled there outlasts another width, another step, and news of something else.

const playTrace = ({ model, el, plays = false, asks = false }) => {
  el.classList.add("wb", "wb-pane", "wb-player");
  el.tabIndex = 0;
  el.setAttribute("role", "group");
  const forget = keepKeys();
  const where = make("span", "wb-where");
  const said = make("div", "wb-said");
  said.setAttribute("role", "status");
  const bar = make("div", "wb-bar");
  const strip = make("div", "wb-strip");
  const control = (text, title, act) => {
    const button = make("button", "wb-button", text);
    button.title = button.ariaLabel = title;
    button.addEventListener("click", act);
    return button;
  };
  const first = control("|\u25c0", "to the beginning (Home)", () => go(0));
  const back = control("\u25c0", "previous step (arrow keys)", () => go(model.get("step") - 1));
  const playing = control("\u25b7", "play from the beginning, or stop", play);
  const forth = control("\u25b6", "next step (arrow keys)", () => go(model.get("step") + 1));
  const fault = control("\u25b6|", "", () => go(end()));
  const chooser = make("span", "wb-chooser");
  const exports = make("details", "wb-filter", make("summary", "", "Save"));
  const teach = (options) => {
    stop();
    if (!narrow) model.send({ want: "lanes" });
    lesson.open(options);
  };
  const present = control("Present", "fill the window: arrow keys and space step, B hides the verdict, Esc leaves", () => teach());
  const share = control("Copy link", "an address that opens this behaviour at this step", () => {
    stop();
    copyText(share, linkTo(model, shown()), copied);
  });
  const copied = make("div", "");
  const controls = make("span", "wb-transport");
  controls.append(first, back, playing, forth, fault, exports, share, present);
  const keepStop = leadAlong(controls, "trace controls", playing);
  controls.addEventListener("click", ({ detail, target }) => {  // after the mouse, the arrow keys step
    if (detail && [first, back, playing, forth, fault].includes(target)) el.focus({ preventScroll: true });
  });
  bar.append(strip, controls);
  const beside = make("div", "wb-beside");
  const picture = make("div", "wb-picture");
  picture.tabIndex = 0;  // it can be scrolled
  const lanes = make("div", "wb-lanes wb-live wb-scroll");
  const left = make("div", "wb-left-story");
  left.setAttribute("role", "status");
  const moves = make("div", "wb-moves");
  beside.append(picture, lanes, moves, left);
  const more = make("details", "wb-more");
  const tools = make("div", "wb-bar");
  const filter = make("details", "wb-filter");
  const kept = make("summary", "");
  const boxes = make("div", "wb-choices");
  filter.append(kept, boxes);
  const state = make("div", "wb-now");
  const link = make("div", "wb-link");
  const line = make("code", "");
  link.append(make("span", "wb-note", "Permalink"), line);
  picture.setAttribute("role", "group");
  picture.setAttribute("aria-label", "picture of the state");
  lanes.setAttribute("role", "group");
  lanes.setAttribute("aria-label", "steps");
  lanes.tabIndex = 0;  // it can be scrolled
  moves.setAttribute("role", "group");
  moves.setAttribute("aria-label", "possible steps");
  const find = finder(model, go);
  tools.append(...find.elements, filter, chooser);
  const watch = watching(model, go);
  more.append(make("summary", "", "This state in full, all steps, watches, permalink"), tools, watch.element, state, link);
  const listing = make("div", "wb-listings");
  el.append(said, bar, copied, beside, more, listing);
  let pictures = [];  // of all states, once they are here, and
  let written = [];  // the states in full: a page has these from the start
  let drawn = -1;
  let at = -1;  // the step that was shown last
  const unfolded = new Map();  // what somebody has unfolded below the picture, or folded
  let narrow;  // lanes for lessons, once they are here

  const lesson = presenter({
    name: "trace",
    count: () => model.get("states").length,
    at: () => model.get("step"),
    go,
    picture: (step) => pictures[step] ?? (model.get("picture")[0] === step ? model.get("picture")[1] : undefined),
    label: (step) => model.get("labels")[step] ?? "",
    state: (step) => {
      const template = document.createElement("template");
      template.innerHTML = stateOf(step);
      return template.content;
    },
    lanes: () => narrow ?? [model.get("lanes")],
    strip: () => model.get("strip"),
  });

  const last = () => model.get("states").length - 1;
  const stateOf = (step) => written[step] ?? model.get("states")[step] ?? "";
  const shown = () => Math.min(model.get("step"), last());

  // Whether that was not in its place already.
  const contents = new Map();
  function put(place, html) {
    if (contents.get(place) === html) return false;
    contents.set(place, html);
    place.innerHTML = html;
    return true;
  }

  const fit = () => fitPicture(picture);

  // The picture of a state; what moved moves only forwards, from the state before.
  function showPicture() {
    const step = shown();
    const [of, svg] = model.get("picture");
    const wanted = pictures[step] ?? (of === step ? svg : undefined);
    if (wanted === undefined) return;  // it is on its way
    if (put(picture, wanted)) picture.toggleAttribute("data-moving", step === drawn + 1);
    drawn = step;
    lesson.update();
    fit();
  }

  async function fetchPictures() {
    const packed = model.get("packed");
    if (packed) {
      const all = await unpack(packed);
      if (packed !== model.get("packed")) return;
      pictures = all.slice(0, last() + 1);
      written = all.slice(last() + 1);
      showPicture();  // somebody may have stepped on meanwhile
      showState(shown());
      lesson.update();
    } else if (!model.get("lazy") && last() > 0) {
      model.send({ want: "pictures" });
      return;
    }
    picture.ariaBusy = "false";
  }

  // Several things change with another trace; pictures are asked for once.
  let fetching;
  function refetch() {
    pictures = written = [];
    showState(shown());
    picture.ariaBusy = "true";
    clearTimeout(fetching);
    fetching = setTimeout(fetchPictures);
  }

  function newPictures() {
    drawn = -1;
    narrow = undefined;
    lesson.lanesChanged();
    refetch();
    showPicture();
    follow();
  }

  function makeChooser() {
    chooser.replaceChildren(...Object.entries(model.get("options")).map(([name, choices]) => {
      const label = make("label", "wb-note", `${name} `);
      const list = document.createElement("select");
      list.name = name;
      list.append(new Option("\u2013", ""), ...choices.map((choice, at) => new Option(choice, at)));
      list.addEventListener("change", () => {
        const now = { ...model.get("chosen") };
        if (list.value === "") delete now[name];
        else now[name] = Number(list.value);
        model.set("chosen", now);
        model.save_changes();
      });
      label.append(list);
      return label;
    }));
    showChooser();
  }

  function showChooser() {
    const chosen = model.get("chosen");
    for (const list of chooser.querySelectorAll("select")) list.value = chosen[list.name] ?? "";
  }

  // Files for others: this step, or all of them.
  function save(content, type, ending, whole = false) {
    const name = picture.querySelector("[data-picture]")?.dataset.picture ?? "trace";
    download(whole ? `${name}.${ending}` : `${name}-${drawn + 1}.${ending}`, content, type);
  }

  function savePng(svg) {
    const { width, height } = svg.viewBox.baseVal;
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = 2 * width;
      canvas.height = 2 * height;
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(blob, "image/png", "png"));
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  }

  function makeExports() {
    const choices = make("div", "wb-choices");
    const offer = (text, title, act) => {
      const button = make("button", "wb-button", text);
      button.title = title;
      button.addEventListener("click", () => {
        exports.open = false;
        act(picture.querySelector("svg"));
      });
      choices.append(button);
    };
    offer("this picture as SVG", "the picture of this step, for documents", (svg) =>
      svg && save(new XMLSerializer().serializeToString(svg), "image/svg+xml", "svg"));
    offer("this picture as PNG", "the picture of this step, for slides and chats", (svg) => svg && savePng(svg));
    if (!model.isPage) {
      offer("the trace as an animated SVG", "one image that shows one state after the other", () =>
        model.send({ want: "animation" }));
      offer("the trace as a page", "one HTML file with all pictures; the arrow keys step", () => model.send({ want: "page" }));
    }
    exports.append(choices);
  }

  function received(message) {
    if (message.page) save(message.page, "text/html", "html", true);
    if (message.animation) save(message.animation, "image/svg+xml", "svg", true);
    if (message.lanes) {
      narrow = message.lanes;
      lesson.lanesChanged();
    }
  }

  function showStep() {
    const step = shown();
    markRow();
    showPicture();
    showState(step);
    markDot();
    for (const [button, ended] of [[first, step <= 0], [back, step <= 0], [forth, step >= last()], [fault, step === end()]]) {
      if (ended && document.activeElement === button) el.focus({ preventScroll: true });  // the keys go on stepping
      button.disabled = ended;
    }
    keepStop();
    if (step !== at) follow();
    at = step;
  }

  function showState(step) {
    const foldable = () => [...state.querySelectorAll("details")].map((one) => [one, one.lastElementChild.className]);
    for (const [details, what] of foldable()) unfolded.set(what, details.open);
    if (!put(state, stateOf(step))) return;
    state.querySelector(".wb-watches")?.remove();  // these stand above, with what can be done with them
    const sentence = state.querySelector(".wb-sentence");
    sentence?.remove();
    const telling = [...state.querySelectorAll(".wb-truth.wb-bad, .wb-ending, .wb-remarked")].map((one) =>
      make("span", one.matches(".wb-remarked") ? "wb-right-here" : "wb-wrong-here", ...one.cloneNode(true).childNodes));
    where.replaceChildren(`State ${step + 1} of ${last() + 1}: `, make("code", "", model.get("labels")[step] ?? ""));
    const marks = model.get("marks")[step] ?? [];
    markStanding(model.get("standing")[step] ?? {});
    const source = sourceOf(model.get("sources")[step] ?? "");  // what is false is in view then, if it is elsewhere
    said.replaceChildren(where, " ", ...(sentence?.childNodes ?? []), ...telling.flatMap((one) => [" ", one]),
      ...markFaults(marks).flatMap((one) => [" ", one]), " ", source);
    for (const [details, what] of foldable()) details.open = unfolded.get(what) ?? details.open;
  }

  const lineOf = (place) => listing.querySelector(`li[id$="${CSS.escape(`-${place}`)}"]`);

  const column = make("div", "wb-column");  // the steps, and below them the algorithm whose they are

  // Which processes of an algorithm go on from which line.
  function markStanding(standing) {
    put(listing, model.get("listing"));
    const follows = Object.keys(standing).length > 0 || model.get("marks").some((one) => one.length);
    if (follows && !column.isConnected) {
      lanes.replaceWith(column);
      column.append(lanes, listing);
    } else if (!follows && column.isConnected && !model.get("standing").some((one) => Object.keys(one).length)) {
      column.replaceWith(lanes);
      el.append(listing);
    }
    for (const line of listing.querySelectorAll("[data-here]")) line.removeAttribute("data-here");
    for (const [place, who] of Object.entries(standing)) lineOf(place)?.setAttribute("data-here", who);
  }

  // Where a step is written, such as Hudi.tla:40:12. If the text is here, that line is lit, and this leads to it.
  function sourceOf(place) {
    const line = lineOf(place.replace(/:\d+$/, ""));
    listing.querySelector("[data-current]")?.removeAttribute("data-current");
    if (!line) return make("span", "wb-note wb-source", place);
    line.toggleAttribute("data-current", true);
    return linkToLine(line, place);
  }

  // What is false in this state, in the text that says so; links lead there.
  function markFaults(marks) {
    for (const mark of listing.querySelectorAll("mark")) mark.replaceWith(mark.textContent);
    const links = new Map();
    for (const { line: at, from, to, place } of [...marks].sort((one, other) => other.from - one.from)) {
      const line = lineOf(at);
      const code = line?.querySelector("code");
      if (!code) continue;
      code.normalize();
      const text = code.firstChild;  // what is marked already stands behind
      const end = Math.min(to, text.length);
      if (from >= end) continue;
      const mark = make("mark", "", text.data.slice(from, end));
      text.splitText(end);
      text.data = text.data.slice(0, from);
      text.after(mark);
      line.closest("details").open = true;
      if (place) links.set(place, linkToLine(line, place));
    }
    return [...new Set(marks.map(({ place }) => links.get(place)))].filter(Boolean);
  }

  // A link to a line of the text, which is in view in its box.
  function linkToLine(line, place) {
    const box = line.parentElement;  // it alone scrolls, not the page
    box.scrollTop = line.offsetTop - box.offsetTop - box.clientHeight / 2;
    const link = make("a", "wb-note wb-source", place);
    link.href = `#${line.id}`;
    link.addEventListener("click", (event) => {
      event.preventDefault();  // a notebook has pages of its own
      line.closest("details").open = true;
      line.scrollIntoView({ block: "center" });
    });
    return link;
  }

  const rowOf = (step) => lanes.querySelector(`.wb-step[data-step="${step}"]`);

  function markRow() {
    const step = shown();
    for (const row of lanes.querySelectorAll(".wb-step")) {
      row.toggleAttribute("data-current", Number(row.dataset.step) === step);
    }
  }

  // How far the present row is out of the box of the lanes, whose names cover its top.
  function beyond() {
    const row = rowOf(shown())?.getBoundingClientRect();
    if (!row || !lanes.clientHeight) return { above: 0, below: 0 };
    const box = lanes.getBoundingClientRect();
    const top = box.top + lanes.querySelector(".wb-head").offsetHeight;
    return { above: Math.max(top - row.top, 0), below: Math.max(row.bottom - box.bottom, 0) };
  }

  // Scroll within the box alone: the page must not jump.
  function follow() {
    away = false;
    const { above, below } = beyond();
    lanes.scrollTop += below - above;
    if (shown() === last()) lanes.scrollTop = lanes.scrollHeight;  // what is said of the end
  }

  // The lanes stay where somebody scrolled them until another step is shown.
  let [away, top, wide] = [false, 0, 0];
  lanes.addEventListener("scroll", () => {
    if (lanes.clientWidth !== wide) return;  // the window did this
    const { above, below } = beyond();
    away = above + below > 0;
    top = lanes.scrollTop;
  });
  function stay() {
    if (away) lanes.scrollTop = top;
    else follow();
    wide = lanes.clientWidth;
  }

  function showLanes() {
    lanes.dataset.room = model.get("room");
    if (!put(lanes, model.get("lanes"))) return;
    const svg = lanes.querySelector("svg");
    if (svg) lanes.prepend(headOf(svg));
    markRow();
    stay();
  }

  function showLink() {
    const permalink = model.get("permalink");
    line.textContent = permalink;
    link.style.display = permalink ? "" : "none";
    el.setAttribute("aria-label", `trace of ${/^workbench:([^?#]*)/.exec(permalink)?.[1] ?? "a model"}`);
  }

  function makeFilter() {
    boxes.replaceChildren(...model.get("names").map((name) => {
      const label = make("label", "", name);
      const box = document.createElement("input");
      box.type = "checkbox";
      box.name = name;
      box.addEventListener("change", () => {
        const now = model.get("variables");
        model.set("variables", box.checked ? [...now, name] : now.filter((other) => other !== name));
        model.save_changes();
      });
      label.prepend(box);
      return label;
    }));
    showFilter();
  }

  function showFilter() {
    const [names, variables] = [model.get("names"), model.get("variables")];
    filter.hidden = !names.length;
    kept.textContent = variables.length ? `${variables.length} of ${names.length} variables` : "all variables";
    for (const box of boxes.querySelectorAll("input")) box.checked = variables.includes(box.name);
  }

  function show(step) {
    model.set("step", Math.min(Math.max(step, 0), last()));
    model.save_changes();
  }

  // Whoever steps by hand stops what plays.
  function go(step) {
    stop();
    show(step);
  }

  // The strip: a dot for each step, in the lane of whoever takes it.
  const end = () => model.get("strip").bad?.[0] ?? last();
  function drawStrip() {
    if (!strip.clientWidth) return;
    strip.replaceChildren(stripOf(model.get("strip"), strip.clientWidth, (step) => model.get("labels")[step] ?? ""));
    markDot();
  }
  function markDot() {
    markDotOf(strip, shown());
    fault.title = fault.ariaLabel = model.get("strip").bad?.length ? "to the fault" : "to the end (End)";
  }
  scrub(strip, go);
  strip.addEventListener("pointerdown", () => el.focus({ preventScroll: true }));

  let timer;
  function stop() {
    clearInterval(timer);
    timer = undefined;
    playing.textContent = "\u25b7";
  }
  function play() {
    if (timer) {
      stop();
      return;
    }
    if (model.get("step") >= last()) show(0);
    playing.textContent = "\u25a0";
    timer = setInterval(() => {
      if (model.get("step") >= last()) stop();
      else show(model.get("step") + 1);
    }, 1200);
  }

  function showMoves() {
    put(moves, model.get("moves"));
    put(left, model.get("left"));
  }
  for (const place of [moves, left]) {
    place.addEventListener("click", (event) => {
      const move = event.target.closest("[data-take]");
      if (move) model.send({ take: move.dataset.take });
    });
  }
  lanes.addEventListener("click", (event) => {
    const row = event.target.closest(".wb-step");
    if (row) go(Number(row.dataset.step));
    el.focus({ preventScroll: true });
  });
  el.addEventListener("keydown", (event) => {
    const moves = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Home: -Infinity, End: Infinity };
    const move = moves[event.key];
    if (move === undefined || event.target.closest("input, select, summary")) return;
    event.preventDefault();
    event.stopPropagation();
    go(model.get("step") + move);
  });
  // Lanes in a tab that is not open have no height to scroll in yet.
  // How wide they are drawn is said by the room that they have.
  let measuring;
  let inSight = false;
  const seen = new ResizeObserver(() => {
    if (!inSight) stay();
    inSight = lanes.clientHeight > 0;
    fit();
    drawStrip();
    clearTimeout(measuring);
    measuring = setTimeout(() => {
      const room = wide = lanes.clientWidth;
      if (room < 200 || Math.abs(room - model.get("room")) < 8) return;
      model.set("room", room);
      model.save_changes();
    }, 120);
  });
  seen.observe(lanes);
  seen.observe(bar);
  seen.observe(picture);
  makeExports();
  const leaveMenus = (event) => {
    for (const menu of [filter, exports]) if (!menu.contains(event.target)) menu.open = false;
  };
  document.addEventListener("pointerdown", leaveMenus);

  const heard = [
    ["change:step change:states", showStep], ["change:lanes change:room", showLanes], ["change:permalink", showLink],
    ["change:names", makeFilter], ["change:variables", showFilter], ["change:picture", showPicture],
    ["change:packed change:lazy", refetch], ["change:permalink", newPictures],
    ["change:watched", () => { more.open ||= model.get("watched").length > 0; }], ["change:strip", drawStrip], ["change:moves change:left", showMoves],
    ["change:options", makeChooser], ["change:chosen", showChooser], ["msg:custom", received],
  ];
  heard.forEach(([event, call]) => model.on(event, call));
  makeChooser();
  makeFilter();
  showMoves();
  showLink();
  showLanes();
  showStep();
  fetchPictures();
  if (plays) play();
  if (asks) teach({ asking: true });
  return () => {
    stop();
    document.removeEventListener("pointerdown", leaveMenus);
    seen.disconnect();
    lesson.close();
    forget();
    find.leave();
    watch.leave();
    heard.forEach(([event, call]) => model.off(event, call));
    clearTimeout(measuring);
    clearTimeout(fetching);
  };
};
