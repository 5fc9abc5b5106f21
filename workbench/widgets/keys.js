// JupyterLab's shortcuts of single keys, such as d d, are not for a panel that has the focus; those with Ctrl are.
// Lumino, which JupyterLab handles keys with, looks for none beneath an element with this attribute.
const keepKeys = () => {
  const keep = (event) => {
    const command = event.ctrlKey || event.metaKey || event.altKey;
    const panel = event.target.closest?.(".wb-panel, .wb-player");
    if (command) panel?.removeAttribute("data-lm-suppress-shortcuts");
    else panel?.setAttribute("data-lm-suppress-shortcuts", "true");
  };
  window.addEventListener("keydown", keep, true);  // before JupyterLab, which listens at the document
  return () => window.removeEventListener("keydown", keep, true);
};

