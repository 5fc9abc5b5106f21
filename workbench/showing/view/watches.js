// What is watched: a field for one more expression, and a row for each with its value, where to jump, and what to know.
const watching = (model, go) => {
  const field = make("input", "wb-watch");
  field.setAttribute("aria-label", "watch an expression");
  field.title = "a Python expression over the state s, the model self and its constants; Enter adds it";
  const add = make("button", "wb-button", "Watch");
  add.title = "show what this expression is in every state";
  const wrong = make("p", "wb-wrong wb-mistake");
  wrong.setAttribute("role", "alert");
  const rows = make("div", "wb-watched");
  const all = make("details", "wb-watched-all", make("summary", "", "watched in every state"), make("div", "wb-scroll"));
  const table = all.lastElementChild;
  table.tabIndex = 0;
  table.setAttribute("role", "group");
  table.setAttribute("aria-label", "what is watched, in every state");
  const asking = model.isPage ? [] : [make("div", "wb-bar", field, add)];  // nobody computes what is typed there
  const box = make("div", "wb-watching", ...asking, wrong, rows, all);

  // Where a condition is true, as seen from the state that is shown.
  const jumps = {
    "|\u25c0": ["first", (at, places) => places[0]],
    "\u25c0": ["previous", (at, places) => places.findLast((place) => place < at)],
    "\u25b6": ["next", (at, places) => places.find((place) => place > at)],
    "\u25b6|": ["last", (at, places) => places.at(-1)],
  };
  const buttonsFor = (watch, at) => Object.entries(jumps).map(([sign, [word, to]]) => {
    const button = make("button", "wb-button", sign);
    button.title = `${word} state in which ${watch.expression} is true`;
    button.ariaLabel = button.title;
    const place = to(at, watch.true);
    button.disabled = place === undefined || place === at;
    button.dataset.jump = `${watch.expression} ${word}`;
    button.addEventListener("click", () => go(place));
    return button;
  });

  const row = (watch, at) => {
    const now = make("code", watch.changed.includes(at) ? "wb-new" : "", watch.values[at] ?? "");
    const before = watch.changed.includes(at) ? [make("code", "wb-old", watch.values[at - 1]), " \u2192 "] : [];
    const sometimes = watch.true.length > 0 && watch.true.length < watch.values.length;
    const jump = !watch.remark || sometimes ? buttonsFor(watch, at) : [];
    const remove = make("button", "wb-button wb-remove", "\u00d7");
    remove.title = `watch ${watch.expression} no longer`;
    remove.ariaLabel = remove.title;
    remove.dataset.jump = `${watch.expression} no longer`;
    remove.addEventListener("click", () => model.send({ unwatch: watch.expression }));
    return [
      make("code", "", watch.expression), make("span", "", ...before, now),
      make("span", "wb-jumps", ...jump, ...(model.isPage || !watch.asked ? [] : [remove])), make("span", "wb-note", watch.remark ?? ""),
    ];
  };

  const show = () => {
    const at = model.get("step");
    const watched = model.get("watched");
    const focused = rows.contains(document.activeElement) ? document.activeElement.dataset.jump : undefined;
    rows.replaceChildren(...watched.flatMap((watch) => row(watch, at)));
    if (focused) {  // where there is nothing more to press, the keys step
      const same = rows.querySelector(`[data-jump="${CSS.escape(focused)}"]:not([disabled])`);
      (same ?? rows.closest(".wb-player")).focus({ preventScroll: true });
    }
    all.hidden = !watched.length;
    table.querySelectorAll("tbody tr").forEach((line, step) => line.toggleAttribute("data-current", step === at));
  };
  const showAll = () => {
    table.innerHTML = model.get("watch_table");
    show();
  };
  const showMistake = () => {
    wrong.textContent = model.get("mistake");
    wrong.hidden = !wrong.textContent;
  };
  const showExample = () => { field.placeholder = `Watch an expression in ${model.get("example")}`; };

  let sent;
  const send = () => {
    sent = field.value;
    if (sent.trim()) model.send({ watch: sent });
  };
  add.addEventListener("click", send);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    send();
  });
  table.addEventListener("click", (event) => {
    const line = event.target.closest("tbody tr");
    if (line) go([...line.parentElement.children].indexOf(line));
  });

  const added = (message) => {  // what was refused stays, to be corrected; so does what was typed since
    if (message.watched && field.value === sent) field.value = "";
  };
  const heard = [
    ["change:step change:watched", show], ["change:watch_table", showAll], ["change:mistake", showMistake],
    ["change:example", showExample], ["msg:custom", added],
  ];
  heard.forEach(([event, call]) => model.on(event, call));
  showAll();
  showMistake();
  showExample();
  return { element: box, leave: () => heard.forEach(([event, call]) => model.off(event, call)) };
};

