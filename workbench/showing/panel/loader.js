// What each panel has as its script: it imports the common one, which the kernel sends as a model of its own, once in a
// page. Panels of another kernel with the same version of it share it; another version has a digest of its own.
const IMPORTED = (globalThis[Symbol.for("lakehouse-workbench")] ??= new Map());

async function imported({ model }) {
  const bundle = await model.widget_manager.get_model(model.get("bundle").slice("IPY_MODEL_".length));
  const url = URL.createObjectURL(new Blob([bundle.get("script")], { type: "text/javascript" }));
  try {
    return (await import(url)).default;
  } finally {
    URL.revokeObjectURL(url);
  }
}

async function render(view) {
  if (!IMPORTED.has(DIGEST)) {
    IMPORTED.set(DIGEST, imported(view));
    IMPORTED.get(DIGEST).catch(() => IMPORTED.delete(DIGEST));  // another panel may have a bundle that is still there
  }
  return (await IMPORTED.get(DIGEST)).render(view);
}

export default { render };
