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
