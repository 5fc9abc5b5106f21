// JupyterLab's shortcuts of single keys, such as d d, are not for a panel that has the focus; those with Ctrl are.
// Lumino, which JupyterLab handles keys with, takes the shortcuts that match an element with this attribute for none,
// and those that match one above it. Most match what has the focus, so that is what gets it, not only the panel.
const keepKeys = () => {
  const keep = (event) => {
    if (!event.target.closest?.(".wb-panel, .wb-player")) return;
    if (event.ctrlKey || event.metaKey || event.altKey) event.target.removeAttribute("data-lm-suppress-shortcuts");
    else event.target.setAttribute("data-lm-suppress-shortcuts", "true");
  };
  window.addEventListener("keydown", keep, true);  // before JupyterLab, which listens at the document
  return () => window.removeEventListener("keydown", keep, true);
};

// A toolbar that is one stop for Tab: the arrow keys lead along its buttons. `always` is one that is never disabled; to
// be called when others have been.
const leadAlong = (bar, name, always) => {
  const all = () => [...bar.querySelectorAll(":scope > button, :scope > details > summary")];
  const stopAt = (chosen) => all().forEach((one) => { one.tabIndex = one === chosen ? 0 : -1; });
  bar.setAttribute("role", "toolbar");
  bar.setAttribute("aria-label", name);
  stopAt(always);
  bar.addEventListener("focusin", ({ target }) => all().includes(target) && stopAt(target));
  bar.addEventListener("keydown", (event) => {
    const free = all().filter((one) => !one.disabled);
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!move || !free.includes(event.target)) return;
    event.preventDefault();
    event.stopPropagation();
    free.at((free.indexOf(event.target) + move) % free.length).focus();
  });
  return () => all().some((one) => one.tabIndex === 0 && !one.disabled) || stopAt(always);
};
