// A trace, stepped by clicking a row or with the arrow keys. Works without a kernel; only the filter needs one.
// Each part is drawn again only when what it shows has changed: what a person did there - typed, selected, unfolded,
// focused, scrolled - outlasts a window of another width, another step, and what the kernel says of something else.

function make(name, className, text = "") {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
}

function render({ model, el }) {
  el.classList.add("wb", "wb-pane", "wb-player");
  el.tabIndex = 0;
  el.setAttribute("role", "group");
  const forget = keepKeys();
  const bar = make("div", "wb-bar");
  const back = make("button", "wb-button", "\u25c0");
  const forth = make("button", "wb-button", "\u25b6");
  back.title = back.ariaLabel = "previous step (arrow keys)";
  forth.title = forth.ariaLabel = "next step (arrow keys)";
  const where = make("span", "wb-where");
  const filter = make("details", "wb-filter");
  const kept = make("summary", "");
  const boxes = make("div", "wb-choices");
  filter.append(kept, boxes);
  bar.append(back, forth, where, filter);
  const chooser = make("span", "wb-chooser");
  const exports = make("details", "wb-filter");
  const present = make("button", "wb-button", "Present");
  present.title = "fill the window: arrow keys and space step, B hides the verdict, Esc leaves";
  bar.append(chooser, exports, present);
  const beside = make("div", "wb-beside");
  const picture = make("div", "wb-picture");
  const lanes = make("div", "wb-lanes wb-live wb-scroll");
  beside.append(picture, lanes);
  const state = make("div", "wb-now");
  const link = make("div", "wb-link");
  const line = make("code", "");
  const copy = make("button", "wb-button", "Copy");
  copy.title = "copy the line that re-creates this trace";
  copy.addEventListener("click", () => copyText(copy, model.get("permalink"), line));
  link.append(make("span", "wb-note", "Permalink"), line, copy);
  const said = make("div", "wb-said");
  said.setAttribute("role", "status");
  picture.setAttribute("role", "group");
  picture.setAttribute("aria-label", "picture of the state");
  lanes.setAttribute("role", "group");
  lanes.setAttribute("aria-label", "steps");
  lanes.tabIndex = 0;  // it can be scrolled
  const find = finder(model, go);
  filter.before(...find.elements);
  const watch = watching(model, go);
  const onward = make("button", "wb-button", model.get("onward"));
  onward.title = "take the steps after this state by hand";
  onward.addEventListener("click", () => model.send({ onward: model.get("step") }));
  el.append(bar, said, beside, watch.element, state, link, ...(model.get("onward") ? [onward] : []));
  let pictures = [];  // of all states, once they are here
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
      template.innerHTML = model.get("states")[step] ?? "";
      return template.content;
    },
    lanes: () => narrow ?? [model.get("lanes")],
  });
  present.addEventListener("click", () => {
    if (!narrow) model.send({ want: "lanes" });
    lesson.open();
  });

  const last = () => model.get("states").length - 1;
  const shown = () => Math.min(model.get("step"), last());

  // Whether that was not in its place already.
  const contents = new Map();
  function put(place, html) {
    if (contents.get(place) === html) return false;
    contents.set(place, html);
    place.innerHTML = html;
    return true;
  }

  // The picture of a state; what moved moves only forwards, from the state before.
  function showPicture() {
    const step = shown();
    const [of, svg] = model.get("picture");
    const wanted = pictures[step] ?? (of === step ? svg : undefined);
    if (wanted === undefined) return;  // it is on its way
    leaveRoom(wanted);
    if (put(picture, wanted)) picture.toggleAttribute("data-moving", step === drawn + 1);
    drawn = step;
    lesson.update();
    leaveHeight();
  }

  // Nothing below the picture jumps.
  function leaveHeight() {
    const tall = picture.firstElementChild?.getBoundingClientRect().height ?? 0;
    if (tall > parseFloat(picture.style.minHeight || 0)) picture.style.minHeight = `${tall}px`;
  }

  async function fetchPictures() {
    const packed = model.get("packed");
    if (packed) {
      const all = await unpack(packed);
      if (packed !== model.get("packed")) return;
      pictures = all;
      all.forEach(leaveRoom);
      showPicture();  // somebody may have stepped on meanwhile
      lesson.update();
    } else if (!model.get("lazy") && last() > 0) {
      model.send({ want: "pictures" });
      return;
    }
    picture.ariaBusy = "false";
  }

  // The widest picture says how much room pictures get beside the lanes.
  let widest = 0;
  function leaveRoom(svg) {
    const width = Number(/viewBox="0 0 ([0-9.]+)/.exec(svg)?.[1] ?? 0);
    if (width <= widest) return;
    widest = width;
    beside.style.setProperty("--wb-widest", `${Math.ceil(widest)}px`);
  }

  // Several things change when there is another trace; the pictures are asked for once.
  let fetching;
  function refetch() {
    pictures = [];
    picture.ariaBusy = "true";
    clearTimeout(fetching);
    fetching = setTimeout(fetchPictures);
  }

  function newPictures() {
    picture.style.minHeight = "";
    drawn = -1;
    widest = 0;
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
    offer("the trace as an animated SVG", "one image that shows one state after the other", () =>
      model.send({ want: "animation" }));
    offer("the trace as a page", "one HTML file with all pictures; the arrow keys step", () => model.send({ want: "page" }));
    exports.append(make("summary", "", "Save"), choices);
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
    where.replaceChildren(`State ${step + 1} of ${last() + 1}: `, make("code", "", model.get("labels")[step] ?? ""));
    for (const [button, ended] of [[back, step <= 0], [forth, step >= last()]]) {
      if (ended && document.activeElement === button) el.focus({ preventScroll: true });  // the keys go on stepping
      button.disabled = ended;
    }
    if (step !== at) follow();
    at = step;
  }

  function showState(step) {
    const foldable = () => [...state.querySelectorAll("details")].map((one) => [one, one.lastElementChild.className]);
    for (const [details, what] of foldable()) unfolded.set(what, details.open);
    if (!put(state, model.get("states")[step] ?? "")) return;
    state.querySelector(".wb-watches")?.remove();  // these stand above, with what can be done with them
    said.replaceChildren(...state.querySelectorAll(".wb-sentence"));
    for (const [details, what] of foldable()) details.open = unfolded.get(what) ?? details.open;
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

  // Scroll to the present row, only within the box: the page must not jump.
  function follow() {
    away = false;
    const { above, below } = beyond();
    lanes.scrollTop += below - above;
    if (shown() === last()) lanes.scrollTop = lanes.scrollHeight;  // what is said of the end
  }

  // Where somebody has scrolled to is where the lanes stay until another step is shown.
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
    kept.textContent = variables.length ? `${variables.length} of ${names.length} variables` : "all variables";
    for (const box of boxes.querySelectorAll("input")) box.checked = variables.includes(box.name);
  }

  function go(step) {
    model.set("step", Math.min(Math.max(step, 0), last()));
    model.save_changes();
  }

  back.addEventListener("click", () => go(model.get("step") - 1));
  forth.addEventListener("click", () => go(model.get("step") + 1));
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
    leaveHeight();
    clearTimeout(measuring);
    measuring = setTimeout(() => {
      const room = wide = lanes.clientWidth;
      if (room < 200 || Math.abs(room - model.get("room")) < 8) return;
      picture.style.minHeight = "";
      leaveHeight();
      model.set("room", room);
      model.save_changes();
    }, 120);
  });
  seen.observe(lanes);
  makeExports();

  const heard = [
    ["change:step change:states", showStep], ["change:lanes", showLanes], ["change:permalink", showLink],
    ["change:names", makeFilter], ["change:variables", showFilter], ["change:picture", showPicture],
    ["change:packed change:lazy", refetch], ["change:permalink", newPictures],
    ["change:options", makeChooser], ["change:chosen", showChooser], ["msg:custom", received],
  ];
  heard.forEach(([event, call]) => model.on(event, call));
  makeChooser();
  makeFilter();
  showLink();
  showLanes();
  showStep();
  fetchPictures();
  return () => {
    seen.disconnect();
    lesson.close();
    forget();
    find.leave();
    watch.leave();
    heard.forEach(([event, call]) => model.off(event, call));
    clearTimeout(measuring);
    clearTimeout(fetching);
  };
}

export default { render };
