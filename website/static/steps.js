// Buttons that step through a trace, for those who have no arrow keys, and one that plays it; the trace itself listens
// to keys. On a page whose body says data-plays it plays at once, unless the reader wants no motion.
for (const trace of document.querySelectorAll(".wb-trace.wb-live")) {
  const press = (key) => trace.dispatchEvent(new KeyboardEvent("keydown", { key }));
  const count = trace.querySelectorAll(".wb-state").length;
  const where = document.createElement("span");
  const button = (text, title, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "wb-button";
    made.textContent = text;
    made.title = made.ariaLabel = title;
    made.addEventListener("click", act);
    return made;
  };
  const to = (end) => () => { for (let step = 0; step < count; step++) press(end); };
  const buttons = {
    first: button("|\u25c0", "first state", to("ArrowLeft")),
    back: button("\u25c0", "previous state", () => press("ArrowLeft")),
    next: button("\u25b6", "next state", () => press("ArrowRight")),
    last: button("\u25b6|", "last state", to("ArrowRight")),
    play: button("", "", () => (playing ? stop() : play())),
  };
  let playing;
  const stop = () => {
    clearInterval(playing);
    playing = undefined;
    buttons.play.textContent = "\u25b7";
    buttons.play.title = buttons.play.ariaLabel = "play all states";
  };
  const play = () => {
    if (buttons.next.disabled) to("ArrowLeft")();
    buttons.play.textContent = "\u25a0";
    buttons.play.title = buttons.play.ariaLabel = "stop playing";
    playing = setInterval(() => (buttons.next.disabled ? stop() : press("ArrowRight")), 1600);
  };
  for (const kind of ["keydown", "click"]) {  // whoever steps by hand stops it
    trace.addEventListener(kind, (event) => {
      if (event.isTrusted && playing && !buttons.play.contains(event.target)) stop();
    });
  }
  where.setAttribute("role", "status");
  const tell = () => {
    const at = [...trace.querySelectorAll(".wb-state")].findIndex((state) => !state.hidden);
    where.textContent = `state ${at + 1} of ${count}`;
    buttons.first.disabled = buttons.back.disabled = at === 0;
    buttons.next.disabled = buttons.last.disabled = at === count - 1;
  };
  const bar = document.createElement("p");
  bar.className = "steps";
  bar.append(buttons.first, buttons.back, buttons.play, buttons.next, buttons.last, where);
  trace.querySelector(".wb-beside").before(bar);
  new MutationObserver(tell).observe(trace, { subtree: true, attributes: true, attributeFilter: ["hidden"] });
  tell();
  for (const name of ["picture", "lanes"]) {  // on a phone, they can be scrolled
    Object.assign(trace.querySelector(`.wb-${name}`), { tabIndex: 0, role: "group", ariaLabel: name });
  }
  stop();
  if (document.body.dataset.plays !== undefined && !matchMedia("(prefers-reduced-motion: reduce)").matches) play();
}
