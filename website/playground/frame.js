// In the frame: tells the page which state is shown, how tall everything is, and which step is chosen.
{
  const tell = (message) => parent.postMessage(message, "*");
  for (const [trace, model] of played) {
    const { send } = model;
    const tellState = () => tell({ at: model.get("step") });
    model.send = (asked) => ("take" in asked ? tell({ take: asked.take, at: model.get("step") }) : send(asked));
    model.on("change:step", tellState);
    addEventListener("message", ({ source, data }) => {
      if (source !== parent || !("possible" in data)) return;
      model.set("moves", data.possible);
      if (data.focusing) trace.querySelector(".wb-moves button")?.focus({ preventScroll: true });
    });
    tellState();
  }

  // A lesson fills the window, so the frame does.
  const presenting = () => tell({ presenting: Boolean(document.querySelector("dialog[open]")) });
  new MutationObserver(presenting).observe(document.body, { subtree: true, attributes: true, attributeFilter: ["open"] });

  // Out of sight nothing is observed: so it is told as well.
  const tall = () => tell({ tall: Math.ceil(document.querySelector("main").getBoundingClientRect().height) });
  new ResizeObserver(tall).observe(document.querySelector("main"));
  addEventListener("load", tall);
}
