// A panel: parts whose HTML the kernel makes. New HTML replaces only what differs: what the reader did to the rest -
// typed, unfolded, focused, selected, scrolled - stays. What a person does in a part is sent, with a number; HTML that
// the kernel made before it heard of that is outdated, and waits.

// What tells an element from others at its place.
const keyOf = ({ dataset, firstElementChild: first }) => dataset.part ?? dataset.send ?? dataset.copy ?? dataset.name
  ?? (first?.matches("summary") ? first.textContent.replace(/\d+/g, "") : first?.dataset.copy);

// Whether an element can stay, while its attributes and what is in it change. A graph is drawn as a whole.
const stays = (before, now) => before.nodeName === now.nodeName && now.nodeType === Node.ELEMENT_NODE
  && !now.matches("input, select, textarea, .wb-graph, .wb-whole, .wb-density, .wb-runs") && keyOf(before) === keyOf(now);

// Make of `live`, which was made of `before`, what is in `now`.
function patch(live, before, now) {
  const there = [...live.childNodes];
  const old = [...before.childNodes];
  [...now.childNodes].forEach((node, at) => {
    if (!old[at]) live.append(node.cloneNode(true));
    else if (old[at].isEqualNode(node)) return;
    else if (!stays(old[at], node)) there[at].replaceWith(node.cloneNode(true));
    else {
      for (const { name } of old[at].attributes) if (!node.hasAttribute(name)) there[at].removeAttribute(name);
      for (const { name, value } of node.attributes) {
        if (old[at].getAttribute(name) !== value) there[at].setAttribute(name, value);
      }
      if (!node.dataset.part) patch(there[at], old[at], node);  // a place is filled by its part
    }
  });
  for (const gone of there.slice(now.childNodes.length, old.length)) gone.remove();
}

function redraw(el, before, now) {
  const parts = () => [...el.querySelectorAll("details, .wb-graph, .wb-whole, .wb-density, .wb-runs")];
  const known = new Set(parts());
  const unfolded = new Map([...known].map((details) => [keyOf(details), details.open]));
  const focused = el.contains(document.activeElement) ? document.activeElement : el;
  patch(el, before, now);
  for (const part of parts().filter((part) => !known.has(part))) {
    if (part.matches("details")) part.open = unfolded.get(keyOf(part)) ?? part.open;
    else if (part.matches(".wb-whole")) openStates(part);
    else if (part.matches(".wb-density")) openDensity(part);
    else if (part.matches(".wb-runs")) openRuns(part);
    else openGraph(part);
  }
  el.querySelectorAll("[data-search]").forEach((input) => search(el, input));
  if (!focused.isConnected) focusAgain(el, focused.dataset.send);
}

// What had the focus was replaced, or has gone: then the keyboard goes on from here.
function focusAgain(el, sends) {
  const same = sends === undefined ? null : el.querySelector(`[data-send="${CSS.escape(sends)}"]:not([disabled])`);
  if (!same) {
    el.tabIndex = -1;
    el.addEventListener("blur", () => el.removeAttribute("tabindex"), { once: true });
  }
  (same ?? el).focus({ preventScroll: true });
}

// Dims what does not match, and goes to the first hit, or to a later one.
function search(el, input, go = undefined) {
  const wanted = input.value.trim().toLowerCase();
  const hits = [];
  for (const item of el.querySelectorAll(input.dataset.search)) {
    const matches = item.textContent.toLowerCase().includes(wanted);
    item.classList.toggle("wb-dimmed", !matches);
    if (matches) hits.push(item);
  }
  const at = go === undefined || !hits.length ? 0 : go % hits.length;
  if (wanted && hits.length && go !== undefined) hits[at].closest(".wb-graph").view.centre(hits[at]);
  const where = go === undefined || hits.length < 2 ? "" : ` (${at + 1}, Enter for the next)`;
  input.nextElementSibling.textContent = wanted ? `${hits.length} found${hits.length ? where : ""}` : "";
}

// The arrow keys lead from one of these to its neighbours, and Tab past all of them.
const LED = "g[data-send], [role=tab], [role=toolbar] > button";

// That to which an arrow key leads: the nearest one on that side, rather straight ahead than close by.
function beside(cell, key) {
  const [x, y] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key] ?? [0, 0];
  const from = cell.getBoundingClientRect();
  let [nearest, least] = [undefined, Infinity];
  for (const other of cell.parentElement.querySelectorAll(`:scope > :is(${LED})`)) {
    const to = other.getBoundingClientRect();
    const ahead = x * (to.left - from.left) + y * (to.top - from.top);
    const aside = Math.abs(y * (to.left - from.left)) + Math.abs(x * (to.top - from.top));
    if (ahead > 1 && ahead + 4 * aside < least) [nearest, least] = [other, ahead + 4 * aside];
  }
  return nearest;
}

// What a field says, and the same of its twin in the HTML as the kernel made it: so its answer replaces nothing.
function valueOf(field, twin) {
  const mark = (one, as, is) => (is ? one?.setAttribute(as, as) : one?.removeAttribute(as));
  if (field.type === "checkbox") {
    mark(twin, "checked", field.checked);
    return field.checked;
  }
  if (field.options) {
    [...field.options].forEach((option, at) => mark(twin?.options[at], "selected", option.selected));
    return field.multiple ? [...field.selectedOptions].map((one) => one.value) : field.value;
  }
  if (field.matches("textarea") && twin) twin.textContent = field.value;
  else if (field.type !== "radio") twin?.setAttribute("value", field.value);
  return field.value;
}

// What has needed a line more keeps it, so that nothing moves under the mouse when a text gets shorter.
const KEEPING = ".wb-hint, .wb-verdicts, .wb-said";

function keepRoom(panel) {
  for (const part of panel.querySelectorAll(KEEPING)) {
    const kept = parseFloat(part.style.minHeight) || 0;
    if (part.offsetHeight > kept) part.style.minHeight = `${part.offsetHeight}px`;
  }
}

const partOf = (target) => target.closest("[data-part]");

// What a player asks of its model, of values that the kernel keeps for its part; two runs have one, too. What a person
// sets while an answer is awaited goes out as one.
function modelOf(values, send, ask) {
  const calls = [];
  let unsent = {};
  let sent = {};  // what the kernel has not answered, so that what it says of these is old
  let awaited;
  let last;
  const fire = (events) => {
    const meant = calls.filter(([event]) => event.split(" ").some((one) => events.includes(one)));
    new Set(meant.map(([, call]) => call)).forEach((call) => call());
  };
  const save = () => {
    if (awaited !== undefined || !Object.keys(unsent).length) return;
    awaited = send(unsent);
    [sent, unsent] = [unsent, {}];
  };
  return {
    get: (name) => values[name],
    set(name, value) {
      if (values[name] === value) return;
      values[name] = unsent[name] = value;
      fire([`change:${name}`]);
    },
    save_changes: save,
    send: ask,
    on: (event, call) => calls.push([event, call]),
    off: (event, call) => calls.splice(calls.findIndex(([one, other]) => one === event && other === call), 1),
    received(message, told) {
      if (message === last) return;  // every view of the panel hears it
      last = message;
      if (message.heard?.[1] === awaited) [awaited, sent] = [undefined, {}];
      const news = Object.entries(told).filter(([name, value]) =>
        !(name in unsent || name in sent) && JSON.stringify(value) !== JSON.stringify(values[name]));
      Object.assign(values, Object.fromEntries(news));
      fire(news.map(([name]) => `change:${name}`));
      calls.filter(([event]) => event === "msg:custom").forEach(([, call]) => call(message));
      save();
    },
  };
}

// The style of all panels, which a document, or a shadow root with a panel in it, adopts once.
const SHEET = new CSSStyleSheet();
SHEET.replaceSync(STYLE);

function adoptStyle(el) {
  const root = el.getRootNode();
  const { adoptedStyleSheets } = root.adoptedStyleSheets ? root : document;  // it may not be in a page yet
  if (!adoptedStyleSheets.includes(SHEET)) adoptedStyleSheets.push(SHEET);
}

// The models of players and of two runs by their values, which all views of a panel share.
const MODELS = new WeakMap();

function render({ model, el }) {
  adoptStyle(el);
  el.classList.add("wb", "wb-pane", "wb-panel");
  const html = model.get("parts");  // kept up to date here, for whoever shows the panel once more
  const values = model.get("values");
  const places = new Map();  // by its number, where a part is, the HTML there, and the last click that counts
  const leavePlayers = [];
  let clicks = 0;
  const lost = () => el.classList.add("wb-lost");

  function update(number) {
    const place = places.get(number);
    const now = html[number] ?? "";
    if (!place || place.html === now || place.click > place.heard) return;
    const template = document.createElement("template");
    template.innerHTML = now;
    redraw(place.live, place.drawn, template.content);
    [place.html, place.drawn] = [now, template.content];
    place.live.querySelectorAll("[data-part]").forEach(enter);
    const stage = place.live.querySelector("[data-player]:not(.wb-player)");
    if (stage) leavePlayers.push(playTrace({ model: modelAt(number), el: stage }));
    place.live.querySelector(".wb-runs")?.goes?.(values[number]?.step);
  }

  function modelAt(number) {
    const part = Number(number);
    if (!MODELS.has(values[number])) {
      MODELS.set(values[number], modelOf(values[number],
        (set) => tell({ part, set, click: ++clicks }) ? clicks : undefined, (ask) => tell({ part, ask })));
    }
    return MODELS.get(values[number]);
  }

  function enter(live) {
    const number = live.dataset.part;
    if (places.get(number)?.live === live) return;
    places.set(number, { live, drawn: document.createDocumentFragment(), html: "", click: 0, heard: 0 });
    update(number);
  }

  // Whether the kernel will hear it; if it has ended, the panel says so.
  function tell(content) {
    try {
      model.send(content);
      return true;
    } catch {
      lost();
      return false;
    }
  }

  function send(target, value) {
    const { part } = partOf(target).dataset;
    const place = places.get(part);
    place.click = ++clicks;
    if (tell({ part: Number(part), send: target.dataset.send, value, click: clicks })) return;
    place.heard = clicks;
    queueMicrotask(() => {  // a switch goes back
      place.html = undefined;
      update(part);
    });
  }

  el.addEventListener("click", (event) => {
    const target = event.target.closest("[data-send], [data-copy], [data-view]");
    if (!target || target.disabled || target.matches("input, select, textarea")) return;
    const { copy, view } = target.dataset;
    if (view) partOf(target).querySelector(".wb-graph")?.view[view]();
    else if (copy) copyText(target, copy, target.nextElementSibling);
    else {
      if (target.matches("[role=tab]")) openTab(target);
      send(target);
    }
  });
  const say = ({ target }) => {
    if (!target.dataset.send) return;
    const place = places.get(partOf(target).dataset.part);
    const twin = place.drawn.querySelector(`[data-send="${CSS.escape(target.dataset.send)}"]`);
    send(target, valueOf(target, twin));
    place.html = undefined;  // what the kernel does not accept becomes what it was
  };
  el.addEventListener("change", say);
  el.addEventListener("keydown", (event) => {
    const target = event.target.closest(LED);
    const chosen = target?.matches("g") && ["Enter", " "].includes(event.key);  // a button of HTML does this by itself
    const next = target && beside(target, event.key);
    if (!target || !(chosen || next)) return;
    event.preventDefault();
    event.stopPropagation();
    if (chosen) send(target);
    else next.focus();
    if (target.role === "tab") next.click();
  });
  el.addEventListener("wb-chosen", ({ target, detail }) => tell({ part: Number(partOf(target).dataset.part), ask: detail }));
  el.addEventListener("wb-stepped", ({ target, detail }) => {
    const { part } = partOf(target).dataset;
    if (!values[part]) return;  // nobody asks where these runs stand
    const runs = modelAt(part);
    runs.set("step", detail.step);
    runs.save_changes();
  });
  let hit = 0;
  el.addEventListener("input", ({ target }) => {
    if (target.dataset.search) search(partOf(target), target, hit = 0);
    if (target.type === "range") target.nextElementSibling.value = target.value;
  });
  el.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    if (event.target.dataset.search) search(partOf(event.target), event.target, ++hit);
    else if (event.target.matches("[type=text], [type=number]")) say(event);
  });

  // While somebody is at the panel, the notebook keeps no new copy of it.
  let attended = false;
  const attend = (somebody) => {
    if (somebody !== attended) tell({ attended: attended = somebody });
  };
  const leave = () => attend(false);
  el.addEventListener("pointerdown", () => attend(true), true);
  el.addEventListener("keydown", ({ key, ctrlKey, metaKey }) => {
    if (!["Alt", "Control", "Meta", "Shift"].includes(key)) attend(!(key === "s" && (ctrlKey || metaKey)));  // saved
  }, true);
  el.addEventListener("pointerleave", leave);
  el.addEventListener("focusout", ({ relatedTarget }) => el.contains(relatedTarget) || el.matches(":hover") || leave());
  document.addEventListener("visibilitychange", leave);

  const received = (message) => {
    const { parts, values: told = {}, heard, save, player, graph } = message;
    if (save) download(save.name, save.content, save.type);
    if (graph !== undefined) places.get(String(graph))?.live.querySelector(".wb-whole")?.shows?.(message.state, message.picture);
    for (const number of new Set([...Object.keys(told), player, heard?.[0]])) {
      if (number in told) values[number] ??= {};
      if (!values[number]) continue;
      const shown = MODELS.get(values[number]);
      if (shown) shown.received(message, told[number] ?? {});
      else Object.assign(values[number], told[number]);
      places.get(number)?.live.querySelector(".wb-runs")?.goes?.(values[number].step);
    }
    if (!parts) return;
    Object.assign(html, parts);
    if (heard) {
      const number = String(heard[0]);
      const place = places.get(number);
      if (place) place.heard = heard[1];
      update(number);
    }
    Object.keys(parts).forEach(update);
  };
  model.on("msg:custom", received);
  model.on("comm_live_update", lost);  // its kernel has ended

  const root = document.createElement("div");
  root.dataset.part = model.get("root");
  el.append(root);
  enter(root);
  tell({ want: "parts" });  // what has changed since the widget was there, before its page listened
  const forget = keepKeys();
  const seen = new MutationObserver(() => keepRoom(el));
  seen.observe(el, { childList: true, subtree: true });
  let wide;
  const sized = new ResizeObserver(() => {
    if (el.clientWidth === wide) return;
    wide = el.clientWidth;
    for (const part of el.querySelectorAll(KEEPING)) part.style.minHeight = "";
    keepRoom(el);
  });
  sized.observe(el);
  return () => {
    model.off("msg:custom", received);
    model.off("comm_live_update", lost);
    document.removeEventListener("visibilitychange", leave);
    seen.disconnect();
    sized.disconnect();
    forget();
    leavePlayers.forEach((leave) => leave());
  };
}

// A tab is open at once; the kernel fills it.
function openTab(tab) {
  const tabs = [...tab.parentElement.children];
  const panels = [...tab.parentElement.parentElement.children].slice(1);
  tabs.forEach((one, at) => {
    one.setAttribute("aria-selected", one === tab);
    one.tabIndex = one === tab ? 0 : -1;
    panels[at].hidden = one !== tab;
  });
}

export default { render };
