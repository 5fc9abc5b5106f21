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

