// What drawings on a canvas share.

const said = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
const clipped = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}\u2026` : text);

// The colour behind an element.
const behind = (element) => {
  for (let at = element; at; at = at.parentElement ?? at.getRootNode().host) {
    const colour = getComputedStyle(at).backgroundColor;
    if (!/^(transparent|rgba\(.*, 0\))$/.test(colour)) return colour;
  }
  return "#fff";
};

// A canvas that the keyboard reaches, and the note on its keys, which describes it.
const canvasOf = (figure, name, note) => {
  const [canvas, keys] = [make("canvas", ""), make("p", "wb-note", note)];
  keys.id = `wb-keys-${Math.random().toString(36).slice(2)}`;
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-label", `${figure.querySelector("figcaption").textContent}: ${name}`);
  canvas.setAttribute("aria-describedby", keys.id);
  return [canvas, keys];
};

// Asks for a drawing: once in a frame, however often it is asked for. A change of theme asks too: it changes the colour
// of the text, wherever it comes from, and the style sheet has a transition of it.
const redrawing = (figure, draw) => {
  let waiting = false;
  const again = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      draw();
    });
  };
  figure.addEventListener("transitionend", ({ propertyName }) => propertyName === "color" && again());
  return again;
};

// Gives a canvas as many dots as the screen has in its box.
const resized = (canvas, wide, tall) => {
  const dots = devicePixelRatio || 1;
  [canvas.width, canvas.height] = [wide * dots, tall * dots];
};
