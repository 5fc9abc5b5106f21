// Buttons that step through a trace, for those who have no arrow keys; the trace itself listens to keys.
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
    first: button("First", "first state", to("ArrowLeft")),
    back: button("\u25c0 Back", "previous state", () => press("ArrowLeft")),
    next: button("Next \u25b6", "next state", () => press("ArrowRight")),
    last: button("Last", "last state", to("ArrowRight")),
  };
  where.setAttribute("role", "status");
  const tell = () => {
    const at = [...trace.querySelectorAll(".wb-state")].findIndex((state) => !state.hidden);
    where.textContent = `state ${at + 1} of ${count}`;
    buttons.first.disabled = buttons.back.disabled = at === 0;
    buttons.next.disabled = buttons.last.disabled = at === count - 1;
  };
  const bar = document.createElement("p");
  bar.className = "steps";
  bar.append(buttons.first, buttons.back, buttons.next, buttons.last, where);
  trace.querySelector(".wb-beside").before(bar);
  new MutationObserver(tell).observe(trace, { subtree: true, attributes: true, attributeFilter: ["hidden"] });
  tell();
  for (const name of ["picture", "lanes"]) {  // on a phone, they can be scrolled
    Object.assign(trace.querySelector(`.wb-${name}`), { tabIndex: 0, role: "group", ariaLabel: name });
  }
}
