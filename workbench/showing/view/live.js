// Makes drawings live: images of SVG become inline SVG (hover texts, search, the page's colours), graphs are zoomed, and
// each trace is played. Without scripts everything is shown as it is.

// What a player asks for, from the HTML of a trace: all is there, and nobody computes more.
const pageOf = (trace) => {
  const states = [...trace.querySelectorAll(".wb-state")];
  const inside = (selector) => trace.querySelector(selector)?.innerHTML ?? "";
  const step = Number(trace.dataset.at);
  const values = {
    step,
    states: states.map((state) => [...state.children].slice(1).map((part) => part.outerHTML).join("")),
    labels: states.map((state) => state.querySelector("summary code").textContent),
    texts: JSON.parse(trace.dataset.texts),
    sources: JSON.parse(trace.dataset.sources ?? "[]"),
    standing: JSON.parse(trace.dataset.standing ?? "[]"),
    marks: JSON.parse(trace.dataset.marks ?? "[]"),
    listing: inside(".wb-listings"),
    picture: [step, inside(".wb-picture")],
    packed: trace.dataset.pictures,
    lanes: inside(".wb-lanes"),
    strip: JSON.parse(trace.dataset.strip),
    permalink: trace.querySelector(".wb-link > code").textContent,
    watched: JSON.parse(trace.dataset.watched ?? "[]"),
    watch_table: trace.querySelector(".wb-watched > table")?.outerHTML ?? "",
    names: [], variables: [], options: {}, chosen: {},
    moves: "", left: "", mistake: "", example: "", room: 0, lazy: false,
  };
  const heard = [];
  const tell = (event, message) => {
    for (const [events, call] of [...heard]) if (events.split(" ").includes(event)) call(message);
  };
  return {
    isPage: true,
    get: (name) => values[name],
    set: (name, value) => {
      if (values[name] === value) return;
      values[name] = value;
      tell(`change:${name}`);
    },
    save_changes: () => {},
    on: (events, call) => heard.push([events, call]),
    off: () => {},
    async send({ want }) {
      if (want === "lanes") tell("msg:custom", { lanes: await unpack(trace.dataset.lanes) });
    },
  };
};

const played = new Map();  // the traces of the page, and what their players ask
{
  const root = document.currentScript.closest(".wb") ?? document.body;
  const enliven = () => {
    for (const image of root.querySelectorAll("img.wb-svg")) {
      const template = document.createElement("template");
      template.innerHTML = decodeURIComponent(image.src.slice(image.src.indexOf(",") + 1));
      image.replaceWith(template.content);
    }

    root.querySelectorAll(".wb-graph").forEach(openGraph);
    root.querySelectorAll(".wb-whole").forEach((figure) => openStates(figure));  // defined where there are some
    root.querySelectorAll(".wb-runs").forEach((figure) => openRuns(figure));
    root.querySelectorAll(".wb-density").forEach((figure) => openDensity(figure));

    // A link to #slides opens the page's first trace as a lesson.
    const slides = location.hash === "#slides" ? document.querySelector(".wb-trace") : null;
    const plays = document.body.dataset.plays !== undefined && !matchMedia("(prefers-reduced-motion: reduce)").matches;

    // One to #workbench:MODEL... opens a trace at a step.
    const link = location.hash.startsWith("#workbench:") ? location.hash.slice(1) : "";
    let met = !link;
    for (const trace of root.querySelectorAll(".wb-trace:not(.wb-live)")) {
      const model = pageOf(trace);
      const step = stepIn(link, model.get("permalink"));
      if (step >= 0) model.set("step", step);
      played.set(trace, model);
      trace.replaceChildren();
      trace.classList.add("wb-live", "wb-page");
      playTrace({ model, el: trace, plays, asks: trace === slides });
      if (step >= 0) trace.scrollIntoView();
      met ||= step >= 0;
    }
    if (!met) {
      const said = make("p", "wb-note wb-warn", "The link is to another behaviour than this page has.");
      said.setAttribute("role", "alert");
      root.querySelector(".wb-trace")?.before(said);
    }
  };
  // In a notebook, what stands in for a widget is not in sight while that is there.
  if (!root.matches(".wb-cell") || (root.checkVisibility?.() ?? true)) enliven();
  else {
    new IntersectionObserver((seen, observer) => {
      if (!seen.some((one) => one.isIntersecting)) return;
      observer.disconnect();
      enliven();
    }).observe(root);
  }
}
