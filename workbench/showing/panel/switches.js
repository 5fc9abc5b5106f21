// Boxes to tick, side by side. A click ticks at once; the kernel says the same a moment later. What it says before it
// has heard of the last click is outdated.

function render({ model, el }) {
  const sentences = model.get("sentences");
  el.classList.add("wb", "wb-controls", sentences ? "wb-what-if" : "wb-switches");
  const boxes = new Map();
  const hints = new Map();
  let clicks = model.get("heard");
  for (const [name, title] of model.get("titles")) {
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.addEventListener("change", () => model.send({ name, on: box.checked, click: ++clicks }));
    label.className = "wb-switch";
    label.title = title;
    label.append(box, model.get("before") + name);
    el.append(label);
    if (sentences) {
      const said = document.createElement("div");
      const hint = document.createElement("div");
      said.className = "wb-note";
      said.textContent = title;
      hints.set(name, hint);
      el.append(said, hint);
    }
    boxes.set(name, box);
  }
  const update = () => {
    if (model.get("heard") < clicks) return;
    const on = new Set(model.get("on"));
    const off = new Set(model.get("disabled"));
    for (const [name, box] of boxes) {
      box.checked = on.has(name);
      box.disabled = off.has(name);
    }
    for (const [name, hint] of hints) {
      const [text, kind] = model.get("hints")[name] ?? ["", "idle"];
      hint.textContent = text;
      hint.className = `wb-hint wb-${kind}`;
    }
  };
  const events = "change:on change:disabled change:heard change:hints";
  model.on(events, update);
  update();
  return () => model.off(events, update);
}

export default { render };
