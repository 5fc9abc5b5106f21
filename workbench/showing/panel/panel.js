// What a panel needs beyond its widgets: names for those who cannot see the labels, scroll boxes that the keyboard
// reaches, a line that is read out when it changes, room that is kept, and keys that stay with the panel (keys.js).

const labelOf = (widget) => widget?.querySelector(".widget-label")?.textContent.replace("\u200b", "").trim();

function name(field) {
  const widget = field.closest(".jupyter-widgets:not(.widget-container)");
  const title = widget?.querySelector(".widget-label")?.title || widget?.title;
  const label = labelOf(widget) || field.title || title || field.placeholder;
  if (label) field.setAttribute("aria-label", label);
}

function dress(panel) {
  panel.querySelectorAll(".noUi-handle:not([aria-label])").forEach(name);
  const fields = "input:not([aria-label], [type=checkbox]), select:not([aria-label]), textarea:not([aria-label])";
  panel.querySelectorAll(fields).forEach((field) => {
    if (!field.closest("label")) name(field);
  });
  for (const box of panel.querySelectorAll(".wb-scroll:not([tabindex])")) {
    box.tabIndex = 0;
    if (!box.hasAttribute("role")) box.setAttribute("role", "group");
    if (!box.hasAttribute("aria-label")) box.setAttribute("aria-label", "scrolls");
  }
  for (const line of panel.querySelectorAll(".wb-read-out:not([role])")) line.setAttribute("role", "status");
}

// What has needed a line more keeps it, so that nothing moves under the mouse when a text gets shorter.
const KEEPING = ".wb-hint, .wb-verdicts, .wb-said";

function keepRoom(panel) {
  for (const part of panel.querySelectorAll(KEEPING)) {
    const kept = parseFloat(part.style.minHeight) || 0;
    if (part.offsetHeight > kept) part.style.minHeight = `${part.offsetHeight}px`;
  }
}

// What a click folds is folded at once; the kernel says the same a moment later. The focus goes to the button that
// takes the place of the one that was clicked.
function fold(event) {
  const button = event.target.closest(".wb-fold-button");
  if (!button) return;
  const { classList } = button.closest(".wb-fold");
  classList.remove("wb-folded", "wb-unfolded");
  classList.add(`wb-${button.dataset.send}ed`);
  button.parentElement.querySelector(`.wb-fold-button:not([data-send="${button.dataset.send}"])`).focus();
}

function render({ el }) {
  const seen = new MutationObserver(() => {
    dress(panel);
    keepRoom(panel);
  });
  let wide;
  const sized = new ResizeObserver(() => {
    if (panel.clientWidth === wide) return;
    wide = panel.clientWidth;
    for (const part of panel.querySelectorAll(KEEPING)) part.style.minHeight = "";
    keepRoom(panel);
  });
  const forget = keepKeys();
  let panel;
  let waiting;
  const begin = () => {
    panel = el.closest(".wb-panel");
    if (!panel) {
      waiting = setTimeout(begin, 50);  // it is not in the page yet
      return;
    }
    panel.addEventListener("click", fold);
    seen.observe(panel, { childList: true, subtree: true });
    sized.observe(panel);
    dress(panel);
  };
  begin();
  return () => {
    clearTimeout(waiting);
    seen.disconnect();
    sized.disconnect();
    forget();
    panel?.removeEventListener("click", fold);
  };
}

export default { render };
