// A whole state graph on a canvas, see whole.py: a band for each depth, the trace in a straight line through them all.
// It is zoomed and moved by d3-zoom; a state is chosen by a click, a button, or the arrow keys, and said in words.

// Of states that violate an invariant or not, and of the values of a variable: legible on white and on near-black.
const [CALM, WRONG] = ["#4d9bcf", "#e0590b"];
const TINTS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#a89a00", "#8a8a8a", "#7b3fa0", "#a6761d"];
// Between states, and between bands.
const [PITCH, GAP] = [9, 58];
// Labels of steps are shown from this distance on between two states of the trace, and lie flat from the second.
const [SLANTED, FLAT] = [22, 170];

// The graph as arrays: per state its depth, its steps out and in, the invariants that it violates, its place on the
// trace (-1 if it is not there); per depth its states as they stand.
const graphOf = (data) => {
  const level = data.levels.flatMap((count, at) => Array(count).fill(at + 1));
  const lists = () => level.map(() => []);
  const [out, into, violated, bands] = [lists(), lists(), lists(), data.levels.map(() => [])];
  const onTrace = new Int32Array(level.length).fill(-1);
  data.sources.forEach((source, step) => {
    out[source].push(step);
    if (data.targets[step] !== source) into[data.targets[step]].push(step);
  });
  Object.entries(data.violated).forEach(([name, states]) => states.forEach((state) => violated[state].push(name)));
  data.order.forEach((state) => bands[level[state] - 1].push(state));
  data.path.forEach((state, at) => { if (onTrace[state] < 0) onTrace[state] = at; });
  const ends = data.path.slice(1).map((state, at) => [data.path[at], state]);
  const returns = data.loop !== null && data.loop < data.path.length - 1;
  if (returns) ends.push([data.path.at(-1), data.path[data.loop]]);
  const lit = ends.map(([from, to]) => out[from].find((step) => data.targets[step] === to)).filter((step) => step !== undefined);
  return { ...data, level, out, into, violated, bands, onTrace, lit, isLit: new Set(lit) };
};

// Places of all states for a box with this ratio of width to height: each band is as many columns wide as it needs.
const arranged = ({ bands, onTrace }, ratio) => {
  const columns = (rows) => bands.reduce((sum, band) => sum + Math.ceil(band.length / rows) * PITCH + GAP, 0);
  let rows = 8;
  while (columns(rows) / (rows * PITCH) > ratio && rows < 400) rows++;
  const [x, y] = [new Float32Array(onTrace.length), new Float32Array(onTrace.length)];
  const most = Math.max(...bands.map((band) => band.length));
  const frames = [];
  let left = 0;
  for (const band of bands) {
    const wide = Math.ceil(band.length / rows);
    const pin = band.find((state) => onTrace[state] >= 0);
    const others = band.filter((state) => state !== pin);
    const tall = Math.ceil(others.length / wide);
    const pitch = PITCH * Math.max(1, (0.9 * rows * (band.length / most) ** 0.4) / Math.max(tall, 1));
    others.forEach((state, at) => {
      const row = Math.floor(at / wide) + 0.5 - tall / 2;
      x[state] = left + (at % wide) * PITCH;
      y[state] = row * pitch + (pin === undefined ? 0 : Math.sign(row || 1) * PITCH);
    });
    if (pin !== undefined) [x[pin], y[pin]] = [left + ((wide - 1) * PITCH) / 2, 0];
    frames.push([left - 5, left + (wide - 1) * PITCH + 5]);
    left += wide * PITCH + GAP;
  }
  const [top, bottom] = y.reduce(([low, high], at) => [Math.min(low, at), Math.max(high, at)], [0, 0]);
  return { x, y, frames, box: [-30, top - 40, left - GAP + 30, bottom + 30] };
};

const openStates = async (figure) => {
  const graph = graphOf(await unpack(figure.dataset.graph));
  const pictures = figure.dataset.pictures ? await unpack(figure.dataset.pictures) : {};
  const { level, out, into, violated, bands, onTrace, lit, isLit, sources, targets, variables, path } = graph;
  const faults = Object.keys(graph.violated);
  const count = level.length;
  figure.querySelector(".wb-without")?.remove();
  if (!count) return;

  const [canvas, keys] = canvasOf(figure, "the graph", "Click a state, or use the arrow keys: right and left follow the steps, those of the trace first; up and down stay at the same depth. Plus and minus zoom, also the wheel with Ctrl or after a click; 0 fits. States are numbered from 0.");
  const box = make("div", "wb-whole-box", canvas);
  const words = make("p", "wb-whole-words");
  words.setAttribute("role", "status");
  const [picture, onward, before, table] = ["picture", "steps", "steps", "values"].map((name) => make("div", `wb-whole-${name}`));
  [table.tabIndex, table.role, table.ariaLabel] = [0, "group", "variables"];
  const aside = make("div", "wb-whole-at", words, picture, make("b", "", "Steps from here"), onward,
    make("b", "", "Steps to here"), before, table);
  const control = (text, title, act) => {
    const button = make("button", "wb-button", text);
    [button.type, button.title, button.ariaLabel] = ["button", title, title];
    button.addEventListener("click", act);
    return button;
  };
  const colour = make("select", "");
  colour.append(new Option("violated or not", -1));
  variables.forEach(({ name, values }, at) => {
    if (values.length > 1 && values.length <= TINTS.length) colour.append(new Option(name, at));
  });
  const find = make("input", "");
  [find.type, find.placeholder, find.ariaLabel, find.title] = ["search", "Find states", "find states", "Enter: the next one"];
  const hits = make("span", "wb-note");
  const bar = make("div", "wb-whole-bar", find, hits, make("label", "", "Colour ", colour),
    control("\u2212", "smaller", () => zoomBy(1 / 1.4)), control("+", "larger", () => zoomBy(1.4)),
    control("Fit", "all of it in sight", () => fit()),
    ...(path.length ? [control("Trace", "the trace alone", () => frame(around(path)))] : []));
  const legend = make("div", "wb-whole-legend");
  figure.append(bar, legend, make("div", "wb-whole-both", box, aside), keys);

  const pen = canvas.getContext("2d");
  let [wide, tall, ratio, view, places, paths] = [0, 0, 0, D3.zoomIdentity];
  let [chosen, pointed, matching] = [-1, -1, null];

  const tintOf = (state) => {
    const by = variables[colour.value];
    return by ? TINTS[by.of[state]] : violated[state].length ? WRONG : CALM;
  };
  const curve = (path, step) => {
    const [from, to] = [sources[step], targets[step]];
    const { x, y } = places;
    path.moveTo(x[from], y[from]);
    if (from === to) path.arc(x[from], y[from] - 6, 6, Math.PI / 2, 2.5 * Math.PI);
    else if (level[to] > level[from]) {
      const third = (x[to] - x[from]) * 0.45;
      path.bezierCurveTo(x[from] + third, y[from], x[to] - third, y[to], x[to], y[to]);
    } else {
      const lift = Math.max(16, Math.abs(x[to] - x[from]) * 0.25);
      path.bezierCurveTo(x[from] + lift, y[from] - lift, x[to] - lift, y[to] - lift, x[to], y[to]);
    }
  };
  const traced = (steps) => {
    const path = new Path2D();
    steps.forEach((step) => curve(path, step));
    return path;
  };

  const arrange = () => {
    places = arranged(graph, Math.max(0.6, ratio));
    const kinds = { calm: [], wrong: [], back: [] };
    sources.forEach((source, step) => {
      if (isLit.has(step) || source === targets[step]) return;
      const back = level[targets[step]] <= level[source];
      kinds[back ? "back" : violated[targets[step]].length ? "wrong" : "calm"].push(step);
    });
    paths = { ...Object.fromEntries(Object.entries(kinds).map(([kind, steps]) => [kind, traced(steps)])), lit: traced(lit) };
  };

  const draw = () => {
    if (!wide) return;
    const { k } = view;
    const { x, y, frames, box: [, top, , bottom] } = places;
    const [ink, back] = [getComputedStyle(canvas).color, behind(canvas)];
    const stroke = (path, width, style, alpha = 1, dash = []) => {
      [pen.lineWidth, pen.strokeStyle, pen.globalAlpha] = [width, style, alpha];
      pen.setLineDash(dash);
      pen.stroke(path);
      pen.setLineDash([]);
      pen.globalAlpha = 1;
    };
    const dot = (state, radius) => {
      const path = new Path2D();
      path.arc(x[state], y[state], radius, 0, 2 * Math.PI);
      return path;
    };
    const label = (text, px, py, size, style = ink, align = "center") => {
      pen.font = `600 ${size / k}px system-ui, sans-serif`;
      [pen.textAlign, pen.lineJoin, pen.lineWidth, pen.strokeStyle, pen.fillStyle] = [align, "round", 4 / k, back, style];
      pen.strokeText(text, px, py);
      pen.fillText(text, px, py);
    };
    const dots = devicePixelRatio || 1;
    pen.setTransform(dots, 0, 0, dots, 0, 0);
    pen.clearRect(0, 0, wide, tall);
    pen.translate(view.x, view.y);
    pen.scale(k, k);
    frames.forEach(([left, right], at) => {
      [pen.fillStyle, pen.globalAlpha] = [ink, 0.05];
      pen.fillRect(left, top + 24, right - left, bottom - top - 24);
      pen.globalAlpha = 0.75;
      const every = Math.ceil(24 / ((right - left + GAP) * k));
      if (at % every) return;
      pen.font = `${11 / k}px system-ui, sans-serif`;
      pen.textAlign = "center";
      pen.fillText(at + 1, (left + right) / 2, Math.max(top + 24 - 4 / k, (13 - view.y) / k));  // in sight at any scale
    });
    pen.globalAlpha = 1;
    const busy = chosen >= 0 || pointed >= 0 || matching ? 0.6 : 1;
    const alpha = busy * Math.min(0.6, Math.max(0.16, (700 / sources.length) * Math.max(1, k)));
    const thin = Math.min(0.9, 0.75 / k);
    stroke(paths.calm, thin, ink, alpha);
    stroke(paths.wrong, thin, WRONG, alpha);
    stroke(paths.back, thin, ink, alpha, [3, 3]);
    const radius = Math.min(3.4, Math.max(2.6, 1.6 / k));
    const groups = new Map();
    for (let state = 0; state < count; state++) {
      if (onTrace[state] >= 0) continue;
      const group = `${tintOf(state)} ${matching && !matching[state] ? 0.12 : 1}`;
      if (!groups.has(group)) groups.set(group, new Path2D());
      groups.get(group).moveTo(x[state] + radius, y[state]);
      groups.get(group).arc(x[state], y[state], radius, 0, 2 * Math.PI);
    }
    for (const [group, path] of groups) {
      [pen.fillStyle, pen.globalAlpha] = group.split(" ");
      pen.fill(path);
    }
    pen.globalAlpha = 1;
    stroke(paths.lit, 5 / k + 1, back);
    stroke(paths.lit, 1.6 / k + 1, ink);
    for (const state of path) {
      [pen.fillStyle, pen.globalAlpha] = [tintOf(state), 1];
      pen.fill(dot(state, Math.max(4.6, 5 / k)));
      stroke(dot(state, Math.max(4.6, 5 / k)), Math.max(1, 1.5 / k), ink);
    }
    if (graph.loop !== null && path.length) stroke(dot(path[graph.loop], Math.max(7, 8 / k)), 1.2 / k, ink, 1, [2 / k, 2 / k]);
    const at = pointed >= 0 ? pointed : chosen;
    if (at >= 0) {
      stroke(traced(out[at]), 1.8 / k, ink);
      stroke(traced(into[at]), 1.8 / k, ink, 1, [4 / k, 3 / k]);
      stroke(dot(at, Math.max(6, 8 / k)), 2.2 / k, ink);
      const taken = [];  // heights, so that no label covers another
      for (const step of out[at]) {
        const high = y[targets[step]] * k;
        if (isLit.has(step) || taken.some((other) => Math.abs(other - high) < 13)) continue;
        taken.push(high);
        const right = view.applyX(x[targets[step]]) > wide / 2;  // there is less room beyond it
        label(clipped(graph.labels[graph.steps[step]], 40), x[targets[step]] + (right ? -9 : 9) / k, y[targets[step]] + 3 / k, 11, ink, right ? "right" : "left");
      }
    }
    for (const step of lit) {
      const [from, to] = [sources[step], targets[step]];
      const far = (x[to] - x[from]) * k;
      if (far < SLANTED) continue;
      const text = graph.labels[graph.steps[step]];
      pen.save();
      pen.translate((x[from] + x[to]) / 2, (y[from] + y[to]) / 2 - 7 / k);
      if (far > FLAT) label(clipped(text, 40), 0, 0, 11.5);
      else {
        pen.rotate(-0.65);
        label(clipped(text.replace(/,.*\)$/, ")"), 30), 0, 0, far > 34 ? 11.5 : 9.5, ink, "left");
      }
      pen.restore();
    }
    const last = path.at(-1);
    if (path.length && violated[last].length) {
      label(`${violated[last].join(", ")} violated`, x[last], y[last] + 24 / k, 12, WRONG, onTrace[last] > 3 ? "right" : "left");
    }
  };
  const again = redrawing(figure, draw);

  const zoom = D3.zoom().scaleExtent([0.05, 14]).on("zoom", (event) => {
    view = event.transform;
    again();
  }).filter((event) => {
    if (event.type === "wheel") return event.ctrlKey || event.metaKey || canvas.matches(":focus");
    if (event.type === "touchstart") return event.touches.length > 1 || canvas.matches(":focus");  // one finger scrolls the page
    return !event.ctrlKey && !event.button;
  });
  const hand = D3.select(canvas).call(zoom).on("dblclick.zoom", null);
  const zoomBy = (factor) => hand.call(zoom.scaleBy, factor);
  const frame = ([left, top, right, bottom]) => {
    const k = Math.min(wide / (right - left), tall / (bottom - top), 6);
    zoom.scaleExtent([Math.min(0.05, k), 14]);
    hand.call(zoom.transform, D3.zoomIdentity.translate(wide / 2 - (k * (left + right)) / 2, tall / 2 - (k * (top + bottom)) / 2).scale(k));
  };
  const around = (states) => {
    const [across, down] = [states.map((state) => places.x[state]), states.map((state) => places.y[state])];
    return [Math.min(...across) - 40, Math.min(...down) - 70, Math.max(...across) + 60, Math.max(...down) + 70];
  };
  const fit = () => frame(places.box);
  const see = (state) => {
    const [px, py] = view.apply([places.x[state], places.y[state]]);
    if (px < 30 || px > wide - 30 || py < 30 || py > tall - 30) hand.call(zoom.translateTo, places.x[state], places.y[state]);
  };
  const nearest = (event) => {
    const [px, py] = view.invert([event.offsetX, event.offsetY]);
    let [best, least] = [-1, (9 / view.k + 3) ** 2];
    for (let state = 0; state < count; state++) {
      const far = (places.x[state] - px) ** 2 + (places.y[state] - py) ** 2;
      if (far < least) [best, least] = [state, far];
    }
    return best;
  };

  const sentence = (state) => [
    `State ${state.toLocaleString("en")} of ${count.toLocaleString("en")}`,
    `depth ${level[state]}`,
    ...violated[state].map((name) => `${name} violated`),
    ...(onTrace[state] >= 0 ? ["on the trace"] : []),
    ...(graph.loop !== null && onTrace[state] >= graph.loop ? ["in its loop"] : []),
    out[state].length ? `${out[state].length === 1 ? "one step" : said(out[state].length, "step")} on` : "no step on",
  ].join(", ");
  const parentOf = (state) => onTrace[state] > 0 ? path[onTrace[state] - 1]
    : sources[into[state].find((step) => level[sources[step]] === level[state] - 1) ?? -1];
  const stepTo = (state, step, arrow) => {
    const button = make("button", "wb-button", `${graph.labels[graph.steps[step]]} ${arrow} ${state.toLocaleString("en")}`);
    button.type = "button";
    button.classList.toggle("wb-lit", isLit.has(step));
    if (violated[state].length) button.append(" \u2718");
    button.addEventListener("click", () => {
      choose(state);
      canvas.focus({ preventScroll: true });
    });
    return button;
  };
  const valuesOf = (state) => {
    const parent = parentOf(state);
    const rows = variables.map(({ name, values, of }) => {
      const changed = parent !== undefined && of[parent] !== of[state];
      return [changed, make("tr", changed ? "wb-changed" : "", make("td", "", name), make("td", "", values[of[state]]))];
    });
    rows.sort(([one], [other]) => other - one);
    return make("table", "wb-table", make("tbody", "", ...rows.map(([, row]) => row)));
  };
  const showPicture = (svg) => { picture.innerHTML = svg ?? ""; };
  const choose = (state, byHand = true) => {
    chosen = state;
    words.textContent = sentence(state);
    showPicture(pictures[state]);
    const steps = (list, ends, arrow) => list.map((step) => stepTo(ends[step], step, arrow));
    onward.replaceChildren(...(out[state].length ? steps(out[state], targets, "\u2192") : ["none"]));
    before.replaceChildren(...(into[state].length ? steps(into[state], sources, "\u2190") : ["none"]));
    table.replaceChildren(valuesOf(state));
    if (wide) see(state);
    again();
    figure.dispatchEvent(new CustomEvent("wb-chosen", { bubbles: true, detail: { state, chosen: byHand } }));
  };
  // The picture of a state, as the kernel has drawn it.
  figure.shows = (state, svg) => state === chosen && showPicture(svg);

  const explain = () => {
    const by = variables[colour.value];
    const counts = new Map();
    for (let state = 0; state < count; state++) {
      const text = by ? by.values[by.of[state]] : violated[state].join(" and ");
      counts.set(text, [(counts.get(text)?.[0] ?? 0) + 1, tintOf(state)]);
    }
    legend.replaceChildren(...[...counts].map(([text, [states, tint]]) => {
      const sign = make("i", "");
      sign.style.background = tint;
      const tells = by ? `${clipped(text, 60)}: ${said(states, "state")}` : said(states, "state");
      const verdict = by || !faults.length ? "" : text ? ` ${states === 1 ? "violates" : "violate"} ${text}` : " violate none";
      return make("span", "", sign, tells + verdict);
    }));
    if (path.length) legend.append(make("span", "", make("i", "wb-trace-line"), "the trace"));
  };

  let hit = -1;
  const search = () => {
    const typed = find.value.trim().toLowerCase();
    const fits = variables.map(({ name, values }) => values.map((value) => `${name} = ${value}`.toLowerCase().includes(typed)));
    matching = typed ? level.map((_, state) => variables.some(({ of }, at) => fits[at][of[state]])) : null;
    const all = matching ? graph.order.filter((state) => matching[state]) : [];
    hits.textContent = typed ? `${all.length.toLocaleString("en")} found` : "";
    if (hit >= 0 && all.length) choose(all[hit % all.length]);
    again();
  };
  find.addEventListener("input", () => {
    hit = -1;
    search();
  });
  find.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    hit++;
    search();
  });
  colour.addEventListener("change", () => {
    explain();
    again();
  });

  const led = (key) => {
    if (key === "Home") return path[0] ?? 0;
    if (key === "End") return path.at(-1) ?? count - 1;
    if (key === "ArrowLeft") return parentOf(chosen);
    if (key === "ArrowRight") {
      const onward = out[chosen].find((step) => isLit.has(step)) ?? out[chosen].find((step) => targets[step] !== chosen);
      return targets[onward ?? -1];
    }
    const band = bands[level[chosen] - 1];
    return band[band.indexOf(chosen) + { ArrowDown: 1, ArrowUp: -1 }[key]];
  };
  canvas.addEventListener("keydown", (event) => {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === "0") fit();
    else if (key === "+" || key === "=") zoomBy(1.4);
    else if (key === "-") zoomBy(1 / 1.4);
    else if (/^(Arrow(Left|Right|Up|Down)|Home|End)$/.test(key)) choose(led(key) ?? chosen);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  canvas.addEventListener("pointermove", (event) => {
    if (event.buttons) return;
    const state = nearest(event);
    if (state === pointed) return;
    pointed = state;
    canvas.title = state < 0 ? "" : sentence(state);
    again();
  });
  canvas.addEventListener("pointerleave", () => {
    pointed = -1;
    again();
  });
  canvas.addEventListener("click", (event) => {
    const state = nearest(event);
    canvas.focus({ preventScroll: true });
    if (state >= 0) choose(state);
  });
  new ResizeObserver(() => {
    if (!box.clientWidth || (box.clientWidth === wide && box.clientHeight === tall)) return;
    [wide, tall] = [box.clientWidth, box.clientHeight];
    resized(canvas, wide, tall);
    if (Math.abs(wide / tall / ratio - 1) > 0.2 || !ratio) {
      ratio = wide / tall;
      arrange();
    }
    fit();
    draw();
  }).observe(box);
  explain();
  choose(path.at(-1) ?? 0, false);
};
