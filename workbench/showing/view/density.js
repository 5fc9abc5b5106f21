// A space as a density, see density.py: depth across, the values of one lens down, and in each bin how many states and
// which share of them violates. All of it is counted here, from the tuples of an exact cube.

// The hue from "none violates" to "all do", on light and on dark.
const HUES = {
  light: [[0, 110, 180], [140, 60, 150], [222, 70, 0]],
  dark: [[86, 180, 233], [190, 120, 210], [255, 128, 60]],
};
// The height of the histogram, the room below the rows, and the least distance between two labels of rows.
const [ABOVE, BELOW, APART] = [58, 22, 13];
// The most values of a lens that are listed, and the states of a selection.
const [LISTED, SAMPLES] = [8, 5];

// Whether a colour behind an element is dark.
const isDark = (colour) => {
  const [red, green, blue] = (colour.match(/[\d.]+/g) ?? [255, 255, 255]).map(Number);
  return 0.3 * red + 0.6 * green + 0.1 * blue < 128;
};
const percent = (share) => (share > 0 && share < 0.01 ? "< 1 %" : share < 1 && share > 0.99 ? "> 99 %" : `${Math.round(100 * share)} %`);

const openDensity = async (figure) => {
  const cube = await unpack(figure.dataset.density);
  const { fault, states, lenses, levels, columns, counts, wrong, samples, path, variables } = cube;
  figure.querySelector(".wb-without")?.remove();
  if (!counts.length) return;
  const depths = Math.max(...levels);
  const tuples = [...counts.keys()];

  const [canvas, keys] = canvasOf(figure, "the density", "Drag over bins or over the histogram to select, click to list states. Arrow keys move, with Shift they select; Enter lists the states, Escape clears. A stronger colour is more states, on a logarithmic scale.");
  const tip = make("div", "wb-density-tip");
  const box = make("div", "wb-whole-box", canvas, tip);
  const words = make("p", "wb-whole-words");
  words.setAttribute("role", "status");
  const facets = make("div", "wb-density-lenses");
  [facets.tabIndex, facets.role, facets.ariaLabel] = [0, "group", "lenses"];
  const found = make("div", "wb-density-found");
  [found.tabIndex, found.role, found.ariaLabel] = [0, "group", "states of the selection"];
  const clear = make("button", "wb-button", "Clear");
  [clear.type, clear.title, clear.hidden] = ["button", "select nothing (Escape)", true];
  const rowsOf = make("select", "");
  const legend = make("span", "wb-density-key");
  figure.append(make("div", "wb-whole-bar", make("label", "", "Rows ", rowsOf), clear, legend), words,
    make("div", "wb-whole-both", box, make("div", "wb-whole-at", facets)), found, keys);
  tip.hidden = true;

  // The values of each lens in the order of their mean depth, so that the space flows down to the right.
  const orders = lenses.map(({ values }, at) => {
    const [sums, sizes] = [new Float64Array(values.length), new Float64Array(values.length)];
    for (const tuple of tuples) {
      sums[columns[at][tuple]] += counts[tuple] * levels[tuple];
      sizes[columns[at][tuple]] += counts[tuple];
    }
    const order = [...values.keys()].sort((one, other) => sums[one] / sizes[one] - sums[other] / sizes[other]);
    const row = new Int32Array(values.length);
    order.forEach((value, place) => { row[value] = place; });
    return { order, row };
  });

  const pen = canvas.getContext("2d");
  const filters = new Map();  // by lens the values that are kept
  let lens = Math.max(0, lenses.findIndex(({ values, read }) => !read && values.length > 3 && values.length <= 64));
  let [wide, tall, left] = [0, 0, 0];
  let [picked, cursor, anchor] = [null, null, null];  // picked: the first and last depth, and row
  let [bins, byDepth, most] = [new Map(), [], 1];

  const rows = () => lenses[lens]?.values.length ?? 1;
  const rowOf = (tuple) => (lenses.length ? orders[lens].row[columns[lens][tuple]] : 0);
  const valueAt = (row) => (lenses.length ? lenses[lens].values[orders[lens].order[row]] : "all states");
  const across = () => (wide - left - 8) / depths;
  const down = () => (tall - ABOVE - BELOW) / rows();
  const passes = (tuple, but) => [...filters].every(([at, kept]) => at === but || kept.has(columns[at][tuple]));
  const inside = (depth, row) => !picked || (depth >= picked[0] && depth <= picked[1] && row >= picked[2] && row <= picked[3]);
  const isPicked = (tuple) => inside(levels[tuple] - 1, rowOf(tuple));

  // Count the tuples that pass the filters into bins.
  const count = () => {
    bins = new Map();
    byDepth = Array.from({ length: depths }, () => [0, 0]);
    for (const tuple of tuples) {
      if (!passes(tuple)) continue;
      const key = (levels[tuple] - 1) * rows() + rowOf(tuple);
      if (!bins.has(key)) bins.set(key, [0, 0]);
      for (const place of [bins.get(key), byDepth[levels[tuple] - 1]]) {
        place[0] += counts[tuple];
        place[1] += wrong[tuple];
      }
    }
    most = Math.max(1, ...[...bins.values()].map(([size]) => size));
  };
  const tint = (size, bad, dark) => {
    const share = bad ? 0.2 + (1.8 * bad) / size : 0;  // the first violating state is seen
    const [one, other] = share < 1 ? HUES[dark].slice(0, 2) : HUES[dark].slice(1);
    const mixed = one.map((part, at) => Math.round(part + (other[at] - part) * (share < 1 ? share : share - 1)));
    return `rgba(${mixed}, ${0.14 + 0.86 * (Math.log1p(size) / Math.log1p(most)) ** 1.25})`;
  };

  const draw = () => {
    if (!wide) return;
    const [ink, back] = [getComputedStyle(canvas).color, behind(canvas)];
    const dark = isDark(back) ? "dark" : "light";
    const dots = devicePixelRatio || 1;
    left = Math.min(196, wide * 0.32);
    const [w, h] = [across(), down()];
    const [x, y] = [(depth) => left + depth * w, (row) => ABOVE + row * h];
    pen.setTransform(dots, 0, 0, dots, 0, 0);
    pen.clearRect(0, 0, wide, tall);
    const highest = Math.max(1, ...byDepth.map(([size]) => size));
    byDepth.forEach(([size, bad], depth) => {
      const [high, low] = [size, bad].map((part) => (part / highest) * (ABOVE - 14));
      pen.fillStyle = `rgb(${HUES[dark][0]})`;
      pen.fillRect(x(depth) + 0.5, ABOVE - 6 - high, Math.max(w - 1, 0.5), high - low);
      pen.fillStyle = `rgb(${HUES[dark][2]})`;
      pen.fillRect(x(depth) + 0.5, ABOVE - 6 - low, Math.max(w - 1, 0.5), low);
    });
    for (const [key, [size, bad]] of bins) {
      const [depth, row] = [Math.floor(key / rows()), key % rows()];
      pen.fillStyle = tint(size, bad, dark);
      pen.globalAlpha = inside(depth, row) ? 1 : 0.25;
      pen.fillRect(x(depth) + 0.5, y(row), Math.max(w - 1, 0.5), Math.max(h - (h > 6 ? 1 : 0), 0.7));
    }
    pen.globalAlpha = 1;
    pen.font = "11px system-ui, sans-serif";
    [pen.fillStyle, pen.textAlign] = [ink, "right"];
    let last = -APART;
    for (let row = 0; row < rows(); row++) {
      const middle = y(row) + h / 2;
      if (middle - last < APART) continue;
      last = middle;
      let text = clipped(valueAt(row), 60);
      while (text.length > 2 && pen.measureText(text).width > left - 10) text = clipped(text, text.length - 2);
      pen.fillText(text, left - 6, middle + 4);
    }
    pen.fillText("states by depth", left - 6, ABOVE - 12);
    pen.fillText("depth", left - 6, tall - 7);
    pen.textAlign = "center";
    const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((step) => step * w >= 26) ?? depths;
    for (let depth = 0; depth < depths; depth++) if ((depth + 1) % every === 0 || (!depth && every > 2)) pen.fillText(depth + 1, x(depth) + w / 2, tall - 7);
    const frame = ([from, to, first, end], width) => {
      [pen.strokeStyle, pen.lineWidth] = [ink, width];
      pen.strokeRect(x(from), y(first) - 1, (to - from + 1) * w, Math.max((end - first + 1) * h, 2) + 2);
    };
    if (path.length) {
      const way = path.map(({ tuple }) => [x(levels[tuple] - 1) + w / 2, y(rowOf(tuple)) + h / 2]);
      const line = new Path2D();
      way.forEach(([px, py], at) => (at ? line.lineTo(px, py) : line.moveTo(px, py)));
      for (const [width, style] of [[5, back], [1.8, ink]]) {
        [pen.lineWidth, pen.strokeStyle, pen.lineJoin] = [width, style, "round"];
        pen.stroke(line);
      }
      way.forEach(([px, py], at) => {
        const end = at === way.length - 1;
        pen.beginPath();
        pen.arc(px, py, end ? 5 : 2.8, 0, 2 * Math.PI);
        pen.fillStyle = end ? `rgb(${HUES[dark][2]})` : ink;
        pen.fill();
        [pen.lineWidth, pen.strokeStyle] = [1, back];
        pen.stroke();
      });
    }
    if (picked) frame(picked, 1.4);
    if (cursor) frame([cursor[0], cursor[0], cursor[1], cursor[1]], 2);
  };
  const again = redrawing(figure, draw);

  const tallied = (chosen) => chosen.reduce(([size, bad], tuple) => [size + counts[tuple], bad + wrong[tuple]], [0, 0]);
  const judged = (size, bad) => (fault ? `, ${bad.toLocaleString("en")} of them (${percent(bad / Math.max(size, 1))}) violate ${fault}` : "");
  const summary = () => {
    const [size, bad] = tallied(tuples.filter((tuple) => passes(tuple) && isPicked(tuple)));
    const some = picked || filters.size;
    words.textContent = `${some ? `${size.toLocaleString("en")} of ${said(states, "state")} selected` : said(size, "state")}${judged(size, bad)}`;
    clear.hidden = !some;
  };
  const sentence = ([depth, row]) => {
    const [size, bad] = bins.get(depth * rows() + row) ?? [0, 0];
    const steps = path.filter(({ tuple }) => levels[tuple] - 1 === depth && rowOf(tuple) === row).map(({ label }) => label);
    return `Depth ${depth + 1}, ${lenses[lens]?.name ?? ""} = ${valueAt(row)}: ${said(size, "state")}${judged(size, bad)}${steps.length ? `; the trace is here: ${steps.join(", ")}` : ""}`;
  };
  const point = (to, aloud = false) => {
    cursor = to;
    tip.hidden = !to;
    if (to) {
      tip.textContent = sentence(to);
      const [px, py] = [left + (to[0] + 1) * across() + 8, ABOVE + (to[1] + 1) * down() + 8];
      tip.style.left = `${Math.max(0, Math.min(px, wide - tip.offsetWidth - 4))}px`;
      tip.style.top = `${Math.max(0, py + tip.offsetHeight > tall ? ABOVE + to[1] * down() - tip.offsetHeight - 6 : py)}px`;
      if (aloud) words.textContent = tip.textContent;
    }
    again();
  };

  // The states of the selection: one of each of a few tuples, violating ones first, and on top what differs among them.
  const list = () => {
    const chosen = picked || filters.size ? tuples.filter((tuple) => passes(tuple) && isPicked(tuple)) : [];
    chosen.sort((one, other) => (wrong[other] > 0) - (wrong[one] > 0) || levels[one] - levels[other]);
    const few = chosen.slice(0, SAMPLES);
    found.hidden = !few.length;
    const value = ({ values, of }, tuple) => values[of[tuple]];
    const differs = ({ of }) => new Set(few.map((tuple) => of[tuple])).size > 1;
    const heads = few.map((tuple) => {
      const name = `state ${samples[tuple].toLocaleString("en")}`;
      const mark = wrong[tuple] ? " \u2718" : "";
      if (figure.dataset.asks === undefined) return make("th", "", name + mark);
      const button = make("button", "wb-button", `${name}${mark} \u25b8`);
      [button.type, button.title] = ["button", "play a shortest behaviour that leads here"];
      button.addEventListener("click", () => figure.dispatchEvent(
        new CustomEvent("wb-chosen", { bubbles: true, detail: { state: samples[tuple], chosen: true } })));
      return make("th", "", button);
    });
    const lines = [...variables].sort((one, other) => differs(other) - differs(one)).map((variable) =>
      make("tr", differs(variable) ? "wb-differs" : "", make("th", "", variable.name),
        ...few.map((tuple) => make("td", "", value(variable, tuple)))));
    found.replaceChildren(
      make("p", "", make("b", "", `${few.length} of ${said(tallied(chosen)[0], "state")}`), " selected, each of another kind; what differs among them is on top"),
      make("table", "wb-table", make("thead", "", make("tr", "", make("td", ""), ...heads)), make("tbody", "", ...lines)));
  };

  // The values of a lens with the states that all other choices leave, to filter by.
  const valuesOf = (at) => {
    const sizes = lenses[at].values.map(() => [0, 0]);
    for (const tuple of tuples) {
      if (!passes(tuple, at) || !isPicked(tuple)) continue;
      sizes[columns[at][tuple]][0] += counts[tuple];
      sizes[columns[at][tuple]][1] += wrong[tuple];
    }
    const kept = filters.get(at);
    const shown = [...sizes.keys()].filter((number) => sizes[number][0] || kept?.has(number));
    shown.sort((one, other) => sizes[other][0] - sizes[one][0]);
    const top = Math.max(1, ...sizes.map(([size]) => size));
    const more = shown.length - LISTED;
    return [...shown.slice(0, LISTED).map((number) => {
      const [size, bad] = sizes[number];
      const bar = make("span", "wb-density-bar", make("i", ""), make("i", ""));
      [bar.children[0].style.width, bar.children[1].style.width] = [(size - bad) / top, bad / top].map((part) => `${100 * part}%`);
      const button = make("button", "", make("span", "", lenses[at].values[number]), bar, make("span", "wb-number", size.toLocaleString("en")));
      button.type = "button";
      button.title = `${lenses[at].values[number]}: ${said(size, "state")}${judged(size, bad)}`;
      button.setAttribute("aria-pressed", Boolean(kept?.has(number)));
      button.addEventListener("click", () => {
        const values = filters.get(at) ?? new Set();
        if (!values.delete(number)) values.add(number);
        if (values.size) filters.set(at, values);
        else filters.delete(at);
        changed();
        facets.querySelector(`[data-lens="${at}"] [title^="${CSS.escape(`${lenses[at].values[number]}: `)}"]`)?.focus();
      });
      return button;
    }), ...(more > 0 ? [make("p", "wb-note", `and ${more.toLocaleString("en")} more`)] : [])];
  };
  const folds = lenses.map(({ name, values, gain, read }, at) => {
    const told = fault ? `, ${percent(gain)}` : "";
    const fold = make("details", "", make("summary", "", make("b", "", name), ` ${said(values.length, "value")}${told}`), make("div", ""));
    fold.dataset.lens = at;
    fold.addEventListener("toggle", () => fold.open && fold.lastChild.replaceChildren(...valuesOf(at)));
    rowsOf.append(new Option(`${name}${fault ? ` (${percent(gain)}${read ? ", read by the property" : ""})` : ""}`, at));
    return fold;
  });
  const [apart, free] = [true, false].map((wanted) => folds.filter((_, at) => lenses[at].read === wanted));
  const title = (text) => make("p", "wb-density-head", text);
  facets.append(
    title(fault ? `How much of the uncertainty about ${fault} each takes away` : "Variables"), ...free,
    ...(apart.length ? [title("Read by the property itself, which these restate"), ...apart] : []),
    ...cube.others.map((text) => make("p", "wb-note", text)));
  if (free.length) free[0].open = true;

  const changed = () => {
    count();
    summary();
    folds.forEach((fold, at) => fold.open && fold.lastChild.replaceChildren(...valuesOf(at)));
    list();
    again();
  };
  const reset = () => {
    [picked, anchor] = [null, null];
    filters.clear();
    changed();
  };
  clear.addEventListener("click", () => {
    reset();
    canvas.focus();
  });
  rowsOf.value = lens;
  rowsOf.addEventListener("change", () => {
    [lens, picked, anchor] = [Number(rowsOf.value), null, null];
    point(null);
    changed();
  });

  const limited = (value, end) => Math.max(0, Math.min(value, end - 1));
  const placeOf = ({ offsetX, offsetY }) => [limited(Math.floor((offsetX - left) / across()), depths), limited(Math.floor((offsetY - ABOVE) / down()), rows()), offsetY < ABOVE - 4];
  // Rows may be thinner than a pixel: the nearest one with states.
  const near = ([depth, row]) => {
    for (let off = 0; off <= Math.max(1, 6 / down()); off++) {
      for (const other of [row - off, row + off]) if (bins.has(depth * rows() + other) && other >= 0 && other < rows()) return [depth, other];
    }
    return null;
  };
  const spanned = ([depth, row, top], [depth2, row2]) => [Math.min(depth, depth2), Math.max(depth, depth2), top ? 0 : Math.min(row, row2), top ? rows() - 1 : Math.max(row, row2)];
  let begun = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    begun = placeOf(event);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const place = placeOf(event);
    if (begun && (place[0] !== begun[0] || place[1] !== begun[1])) {
      picked = spanned(begun, place);
      point(null);
    } else if (!begun) point(place[2] ? null : near(place));
  });
  canvas.addEventListener("pointerup", (event) => {
    if (!begun) return;
    const place = placeOf(event);
    if (place[0] === begun[0] && place[1] === begun[1]) {
      const bin = place[2] ? place : near(place);
      picked = bin && spanned(place[2] ? place : bin, bin);
    } else picked = spanned(begun, place);
    [begun, anchor] = [null, null];
    changed();
  });
  canvas.addEventListener("pointercancel", () => { begun = null; });
  canvas.addEventListener("pointerleave", () => point(null));
  canvas.addEventListener("blur", () => point(null));
  const led = (key) => {
    const [depth, row] = cursor;
    if (key === "ArrowUp" || key === "ArrowDown") {
      const step = key === "ArrowUp" ? -1 : 1;
      for (let other = row + step; other >= 0 && other < rows(); other += step) if (bins.has(depth * rows() + other)) return [depth, other];
      return cursor;
    }
    const next = depth + (key === "ArrowRight" ? 1 : -1);
    const there = [...Array(rows()).keys()].filter((other) => bins.has(next * rows() + other));
    there.sort((one, other) => Math.abs(one - row) - Math.abs(other - row));
    return there.length && next >= 0 && next < depths ? [next, there[0]] : cursor;
  };
  canvas.addEventListener("keydown", (event) => {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === "Escape" && (picked || filters.size)) reset();
    else if (key === "Enter" && cursor) {
      if (!anchor) picked = spanned(cursor, cursor);
      changed();
    } else if (/^Arrow(Left|Right|Up|Down)$/.test(key)) {
      if (event.shiftKey) anchor ??= cursor;
      else anchor = null;
      const first = [...bins.keys()].reduce((least, at) => Math.min(least, at), Infinity);
      point(cursor ? led(key) : [Math.floor(first / rows()), first % rows()], true);
      if (event.shiftKey) {
        anchor ??= cursor;
        picked = spanned(anchor, cursor);
        changed();
      }
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  new ResizeObserver(() => {
    if (!box.clientWidth) return;
    [wide, tall] = [box.clientWidth, box.clientHeight];
    resized(canvas, wide, tall);
    draw();
  }).observe(box);
  if (fault) legend.append(make("i", "wb-density-none"), "none violates", make("i", "wb-density-some"), "some", make("i", "wb-density-all"), "all do");
  if (path.length) legend.append(make("i", "wb-trace-line"), "the trace");
  changed();
};
