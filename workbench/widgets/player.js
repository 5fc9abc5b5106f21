// A trace, stepped by clicking a row or with the arrow keys. Works without a kernel; only the filter needs one.

function make(name, className, text = "") {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
}

// The names of the lanes stay in sight while the steps scroll: a second copy of the picture, cut below its head.
function headOf(svg) {
  const head = svg.cloneNode(true);
  const width = svg.viewBox.baseVal.width;
  head.setAttribute("viewBox", `0 0 ${width} 28`);
  head.setAttribute("aria-hidden", "true");
  head.querySelectorAll(".wb-step, .wb-back").forEach((row) => row.remove());
  const box = make("div", "wb-head");
  box.append(head);
  return box;
}

function render({ model, el }) {
  el.classList.add("wb", "wb-pane", "wb-player");
  el.tabIndex = 0;
  const bar = make("div", "wb-bar");
  const back = make("button", "wb-button", "\u25c0");
  const forth = make("button", "wb-button", "\u25b6");
  back.title = "previous step (arrow keys)";
  forth.title = "next step (arrow keys)";
  const where = make("span", "wb-where");
  const filter = make("details", "wb-filter");
  bar.append(back, forth, where, filter);
  const lanes = make("div", "wb-lanes wb-live wb-scroll");
  const state = make("div", "wb-now");
  const link = make("div", "wb-link");
  el.append(bar, lanes, state, link);

  const last = () => model.get("states").length - 1;

  function showStep() {
    const step = Math.min(model.get("step"), last());
    let current;
    for (const row of lanes.querySelectorAll(".wb-step")) {
      const chosen = Number(row.dataset.step) === step;
      row.toggleAttribute("data-current", chosen);
      if (chosen) current = row;
    }
    const unfolded = state.querySelector("details")?.open ?? false;
    state.innerHTML = model.get("states")[step] ?? "";
    for (const details of state.querySelectorAll("details")) details.open = unfolded;
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
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(permalink);
      copy.textContent = "Copied";
    });
    link.replaceChildren(...(permalink ? [make("span", "wb-note", "Permalink"), make("code", "", permalink), copy] : []));
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
    const move = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (move === undefined || event.target.closest("input, summary")) return;
    event.preventDefault();
    event.stopPropagation();
    go(model.get("step") + move);
  });
  // Lanes in a tab that is not open have no height to scroll in yet.
  const seen = new ResizeObserver(showStep);
  seen.observe(lanes);

  model.on("change:step change:states", showStep);
  model.on("change:lanes change:permalink", showLanes);
  model.on("change:variables", showFilter);
  showLanes();
  return () => {
    seen.disconnect();
    model.off("change:step change:states", showStep);
    model.off("change:lanes change:permalink", showLanes);
    model.off("change:variables", showFilter);
  };
}

export default { render };
