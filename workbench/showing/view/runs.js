// Two runs on one strip: a click on a step, dragging or the arrow keys show it. Scripts that need it have this text after
// that of the pictures and of the presenter.

// What is shown is told by the event wb-stepped, and `figure.goes(step)` shows another step.
const openRuns = async (figure) => {
  const [strip, shown] = [figure.querySelector(".wb-runs-strip"), figure.querySelector(".wb-runs-at")];
  let at = Number(figure.dataset.at);
  let data;
  let drawn;
  // A picture that is wider than its pane shows its marked effect.
  const aim = () => {
    for (const pane of shown.querySelectorAll(".wb-picture")) bringInSight(pane, [...pane.querySelectorAll("[data-change]")]);
  };
  const show = () => {
    markDotOf(strip, at);
    strip.ariaValueNow = at + 1;
    strip.ariaValueText = data.labels[at];
    if (drawn !== at) shown.innerHTML = data.steps[at];
    drawn = at;
    aim();
  };
  figure.goes = (step) => {
    if (step === undefined || step === at) return;
    at = step;
    if (data) show();
  };
  const go = (step) => {
    if (!data || step === at || step < 0 || step >= data.steps.length) return;
    figure.goes(step);
    figure.dispatchEvent(new CustomEvent("wb-stepped", { bubbles: true, detail: { step } }));
  };
  drawn = at;
  data = await unpack(figure.dataset.runs);
  [strip.ariaValueMin, strip.ariaValueMax] = [1, data.steps.length];
  let wide;
  new ResizeObserver(() => {
    aim();
    const fitting = Math.max(data.widths.findLastIndex((width) => width <= strip.clientWidth), 0);
    if (fitting === wide) return;
    wide = fitting;
    strip.innerHTML = data.strips[fitting];
    markDotOf(strip, at);
  }).observe(strip);
  scrub(strip, go);
  strip.addEventListener("keydown", (event) => {
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: data.steps.length - 1 }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    go(to);
  });
  show();
};
