// A field that finds a text in the labels, sentences and changed cells of all steps. Enter goes to the next hit.
const finder = (model, go) => {
  const field = document.createElement("input");
  field.type = "search";
  field.className = "wb-find";
  field.placeholder = "Find a step";
  field.title = "in labels, sentences and changed cells; Enter: the next one, Shift+Enter: the one before";
  field.setAttribute("aria-label", "find in the trace");
  const said = document.createElement("span");
  said.className = "wb-note wb-found";
  said.setAttribute("role", "status");

  const hits = () => {
    const wanted = field.value.trim().toLowerCase();
    return wanted ? model.get("texts").flatMap((text, step) => (text.toLowerCase().includes(wanted) ? [step] : [])) : [];
  };
  const show = () => {
    const found = hits();
    const at = found.indexOf(model.get("step"));
    said.textContent = field.value.trim() ? (at < 0 ? `${found.length} found` : `${at + 1} of ${found.length}`) : "";
  };
  field.addEventListener("input", show);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    const found = hits();
    const at = model.get("step");
    const next = event.shiftKey
      ? found.findLast((step) => step < at) ?? found.at(-1)
      : found.find((step) => step > at) ?? found[0];
    if (next !== undefined) go(next);
  });
  model.on("change:step change:texts", show);
  return { elements: [field, said], leave: () => model.off("change:step change:texts", show) };
};

