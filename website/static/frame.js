// In a frame of the front page: the picture fits its place, a dot for each step, and the colours of the page around it.
{
  const trace = document.querySelector(".wb-trace");
  const [picture, bar] = [".wb-picture", ".steps"].map((name) => trace.querySelector(name));
  const states = [...trace.querySelectorAll(".wb-state")];
  const strip = document.createElement("div");
  strip.className = "wb-strip";
  bar.prepend(strip);
  const mark = () => markDotOf(strip, states.findIndex((state) => !state.hidden));
  const fit = () => fitPicture(picture, SMALLEST);
  const draw = () => {
    const label = (step) => states[step].querySelector("summary code").textContent;
    strip.replaceChildren(stripOf(JSON.parse(trace.dataset.strip), strip.clientWidth, label));
    mark();
  };
  scrub(strip, (step) => trace.querySelector(`.wb-step[data-step="${step}"]`).dispatchEvent(new MouseEvent("click")));
  new MutationObserver(() => { fit(); mark(); }).observe(picture, { childList: true });
  new ResizeObserver(fit).observe(picture);
  new ResizeObserver(draw).observe(strip);
  addEventListener("message", ({ source, data }) => {
    if (source === parent && "scheme" in data) document.documentElement.style.colorScheme = data.scheme;
  });
}
