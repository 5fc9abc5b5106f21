// In the frame: tells the page which state is shown, how tall everything is, and which step is chosen.
{
  const tell = (message) => parent.postMessage(message, "*");
  const states = [...document.querySelectorAll(".wb-state")];
  const place = document.querySelector(".possible");

  const trace = document.querySelector(".wb-trace");
  if (trace) {
    let told = -1;
    const tellState = () => {
      const at = states.findIndex((state) => !state.hidden);
      if (at !== told) tell({ at });
      told = at;
    };
    new MutationObserver(tellState).observe(trace, { subtree: true, attributes: true, attributeFilter: ["hidden"] });
    trace.querySelector(".wb-beside").before(place);
    tellState();
  }

  addEventListener("message", ({ source, data }) => {
    if (source !== parent || !("possible" in data)) return;
    place.innerHTML = data.possible;
    if (data.focusing) place.querySelector("button")?.focus({ preventScroll: true });
    tall();
  });
  place.addEventListener("click", (event) => {
    const chosen = event.target.closest("[data-take]");
    if (chosen) tell({ take: chosen.dataset.take, at: states.findIndex((state) => !state.hidden) });
  });

  // A lesson fills the window, so the frame does.
  const presenting = () => tell({ presenting: Boolean(document.querySelector("dialog[open]")) });
  new MutationObserver(presenting).observe(document.body, { subtree: true, attributes: true, attributeFilter: ["open"] });

  // Out of sight nothing is observed: so it is told as well.
  const tall = () => tell({ tall: Math.ceil(document.querySelector("main").getBoundingClientRect().height) });
  new ResizeObserver(tall).observe(document.querySelector("main"));
  addEventListener("load", tall);
}
