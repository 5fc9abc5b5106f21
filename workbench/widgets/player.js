// A trace, stepped by clicking a row or with the arrow keys. Works without a kernel; only the filter needs one.

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
  el.append(bar, said, beside, watch.element, state, link);
  let pictures = [];  // of all states, once they are here
  let drawn = -1;
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

  // The picture of a state; what moved moves only forwards, from the state before.
  function showPicture() {
    const step = Math.min(model.get("step"), last());
    const [at, svg] = model.get("picture");
    const wanted = pictures[step] ?? (at === step ? svg : undefined);
    if (wanted === undefined) return;  // it is on its way
    picture.toggleAttribute("data-moving", step === drawn + 1);
    leaveRoom(wanted);
    picture.innerHTML = wanted;
    drawn = step;
    lesson.update();
    const tall = picture.firstElementChild?.getBoundingClientRect().height ?? 0;
    if (tall > parseFloat(picture.style.minHeight || 0)) picture.style.minHeight = `${tall}px`;  // nothing below jumps
  }

  async function fetchPictures() {
    const packed = model.get("packed");
    if (packed) {
      const all = await unpack(packed);
      if (packed !== model.get("packed")) return;
      pictures = all;
      all.forEach(leaveRoom);
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
  }

  function showChooser() {
    const chosen = model.get("chosen");
    chooser.replaceChildren(...Object.entries(model.get("options")).map(([name, choices]) => {
      const label = make("label", "wb-note", `${name} `);
      const list = document.createElement("select");
      list.append(new Option("\u2013", ""), ...choices.map((choice, at) => new Option(choice, at)));
      list.value = chosen[name] ?? "";
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
    const step = Math.min(model.get("step"), last());
    let current;
    for (const row of lanes.querySelectorAll(".wb-step")) {
      const chosen = Number(row.dataset.step) === step;
      row.toggleAttribute("data-current", chosen);
      if (chosen) current = row;
    }
    const unfolded = [...state.querySelectorAll("details")].map((details) => details.open).reverse();
    showPicture();
    state.innerHTML = model.get("states")[step] ?? "";
    state.querySelector(".wb-watches")?.remove();  // these stand above, with what can be done with them
    said.replaceChildren(...state.querySelectorAll(".wb-sentence"));
    [...state.querySelectorAll("details")].reverse().forEach((details, index) => (details.open = unfolded[index] ?? false));
    const label = model.get("labels")[step] ?? "";
    where.replaceChildren(`State ${step + 1} of ${last() + 1}: `, make("code", "", label));
    back.disabled = step <= 0;
    forth.disabled = step >= last();
    if (current && lanes.clientHeight) {  // only within the box: the page must not jump
      const box = lanes.getBoundingClientRect();
      const row = current.getBoundingClientRect();
      const head = lanes.querySelector(".wb-head").offsetHeight;
      if (row.top < box.top + head) lanes.scrollTop += row.top - box.top - head;
      if (row.bottom > box.bottom) lanes.scrollTop += row.bottom - box.bottom;
      if (step === last()) lanes.scrollTop = lanes.scrollHeight;  // what is said of the end
    }
  }

  function showLanes() {
    lanes.innerHTML = model.get("lanes");
    const svg = lanes.querySelector("svg");
    if (svg) lanes.prepend(headOf(svg));
    const permalink = model.get("permalink");
    const copy = make("button", "wb-button", "Copy");
    copy.title = "copy the line that re-creates this trace";
    const line = make("code", "", permalink);
    copy.addEventListener("click", () => copyText(copy, permalink, line));
    link.replaceChildren(...(permalink ? [make("span", "wb-note", "Permalink"), line, copy] : []));
    el.setAttribute("aria-label", `trace of ${/^workbench:([^?#]*)/.exec(permalink)?.[1] ?? "a model"}`);
    showFilter();
    showStep();
  }

  function showFilter() {
    const names = model.get("names");
    const kept = model.get("variables");
    const summary = make("summary", "", kept.length ? `${kept.length} of ${names.length} variables` : "all variables");
    const boxes = make("div", "wb-choices");
    for (const name of names) {
      const label = make("label", "", name);
      const box = document.createElement("input");
      box.type = "checkbox";
      box.checked = kept.includes(name);
      box.addEventListener("change", () => {
        const now = model.get("variables");
        model.set("variables", box.checked ? [...now, name] : now.filter((other) => other !== name));
        model.save_changes();
      });
      label.prepend(box);
      boxes.append(label);
    }
    filter.replaceChildren(summary, boxes);
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
  const seen = new ResizeObserver(() => {
    showStep();
    clearTimeout(measuring);
    measuring = setTimeout(() => {
      const room = lanes.clientWidth;
      if (room < 200 || Math.abs(room - model.get("room")) < 8) return;
      picture.style.minHeight = "";
      model.set("room", room);
      model.save_changes();
    }, 120);
  });
  seen.observe(lanes);
  makeExports();

  model.on("change:step change:states", showStep);
  model.on("change:lanes change:permalink", showLanes);
  model.on("change:variables", showFilter);
  model.on("change:picture", showPicture);
  model.on("change:packed change:lazy", refetch);
  model.on("change:permalink", newPictures);
  model.on("change:options change:chosen", showChooser);
  model.on("msg:custom", received);
  showChooser();
  showLanes();
  fetchPictures();
  return () => {
    seen.disconnect();
    lesson.close();
    forget();
    find.leave();
    watch.leave();
    model.off("change:step change:states", showStep);
    model.off("change:lanes change:permalink", showLanes);
    clearTimeout(measuring);
    clearTimeout(fetching);
    model.off("change:variables", showFilter);
    model.off("change:picture", showPicture);
    model.off("change:packed change:lazy", refetch);
    model.off("change:permalink", newPictures);
    model.off("change:options change:chosen", showChooser);
    model.off("msg:custom", received);
  };
}

export default { render };
