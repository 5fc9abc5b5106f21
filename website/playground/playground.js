// The page: two editors, a worker with Python, and two frames for what it answers.
const find = (selector) => document.querySelector(selector);
const field = (name) => find(`[name=${name}]`);
const [check, stop, copy, open, traces, most] = ["check", "stop", "link", "open", "traces", "most"].map(field);
const [status, error, remark, printed] = [".status", ".error", ".remark", ".printed"].map(find);
const here = (name) => new URL(name, import.meta.url);
find(".unserved").remove();

const say = (place, words) => {
  place.textContent = words;
  place.hidden = !words && place !== status;
};
const counted = (states) => `${states.toLocaleString("en")} state${states === 1 ? "" : "s"}`;

// Editors. Tab indents; after Esc it goes on to the next control --------------------------------------------------------

const press = () => check.click();
const indent = (editor) => editor.execCommand(editor.somethingSelected() ? "indentMore" : "insertSoftTab");
const leaving = { Tab: false, "Shift-Tab": false };
const keys = {
  "Ctrl-Enter": press, "Cmd-Enter": press, Tab: indent, "Shift-Tab": "indentLess",
  Esc: (editor) => editor.setOption("extraKeys", { ...keys, ...leaving }),
};
const editor = (name, mode) => {
  const screenReaderLabel = `${field(name).ariaLabel}; Esc, then Tab leaves it`;
  const made = CodeMirror.fromTextArea(field(name), {
    mode, theme: "page", indentUnit: 4, lineNumbers: true, matchBrackets: true, extraKeys: keys, screenReaderLabel,
    inputStyle: "contenteditable",  // a screen reader reads the text itself
  });
  made.on("blur", () => made.setOption("extraKeys", keys));
  new ResizeObserver(() => made.refresh()).observe(made.getWrapperElement());
  return made;
};
const [source, settings] = [editor("source", "python"), editor("settings", "toml")];

const mark = (editor, line) => {
  editor.eachLine((each) => editor.removeLineClass(each, "wrap", "bad"));
  if (!line) return;
  editor.addLineClass(line - 1, "wrap", "bad");
  editor.scrollIntoView({ line: line - 1, ch: 0 }, 80);
};
for (const one of [source, settings]) one.on("change", () => mark(one));

const fill = (model) => {
  source.setValue(model.source);
  settings.setValue(model.settings);
};

// Files: all that the page loads, and then its policy forbids every other request, to the worker and the frames too ----

const FILES = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json",
  "workbench.zip", "worker.js", "frame.html"];
const load = async (name) => {
  const found = await fetch(here(name));
  if (!found.ok) throw new Error(`${name}: ${found.statusText}`);
  return [name, await found.arrayBuffer()];
};
const loading = (async () => {
  const files = Object.fromEntries(await Promise.all(FILES.map(load)));
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = "connect-src 'none'";
  document.head.append(policy);
  return files;
})();
const textOf = (file) => new TextDecoder().decode(file);

// Python, in a worker; from a data: address it has the page's policy, and an origin of its own: nobody's storage --------

let worker;
let answers = new Map();  // by the request's number
let asked = 0;
let running = false;
let progress;
let due = false;  // whether to check what the page has brought, once Python is there; never what a link has

const start = (files) => {
  worker = new Worker(`data:text/javascript,${encodeURIComponent(textOf(files["worker.js"]))}`, { type: "module" });
  worker.postMessage(files);
  worker.addEventListener("error", () => say(error, "Python cannot be loaded."));
  worker.addEventListener("message", ({ data }) => {
    if (data.ready) {
      check.disabled = running;
      if (status.textContent.startsWith("Python is loading")) say(status, "Ready.");
      if (due && ours()) check.click();
    } else if (data.failed) {
      say(error, `Python cannot be loaded: ${data.failed}`);
    } else if (data.ended) {
      say(error, `Python ended: ${data.ended}`);
      end();
    } else if ("printed" in data) {
      say(printed, [...printed.textContent.split("\n").filter(Boolean).slice(-99), data.printed].join("\n"));
    } else if (data.progress) {
      progress = data.progress;
      say(status, `Checking: ${counted(progress.states)} so far.`);
    } else {
      answers.get(data.number)?.(data.answer);
      answers.delete(data.number);
    }
  });
};
const ask = async (request) => {
  await loading;
  return new Promise((resolve) => {
    answers.set(++asked, resolve);
    worker.postMessage({ number: asked, request });
  });
};
const end = async () => {
  worker.terminate();
  for (const resolve of answers.values()) resolve(null);
  answers = new Map();
  start(await loading);
};

// Frames, which run no script but the player's, and have no way to anywhere -------------------------------------------

const dark = matchMedia("(prefers-color-scheme: dark)");
const scheme = () => {
  const chosen = localStorage.getItem("theme");  // in the other pages of the site
  return chosen === "light" || chosen === "dark" ? chosen : dark.matches ? "dark" : "light";
};
const paint = () => (document.documentElement.style.colorScheme = scheme());
const places = { verdicts: find(".verdicts"), trace: find(".trace") };
const shown = { verdicts: "", trace: "" };
let focusing = false;

const show = async (name, html) => {
  const around = textOf((await loading)["frame.html"]);
  shown[name] = html;
  if (name === "trace") find(".behaviour").hidden = !html;
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  frame.title = name;
  const own = await parts(true);
  const opens = `${location.href.split("#")[0]}#${own && `${own}&`}`;
  frame.srcdoc = around.replace("SCHEME", scheme()).replace("OPENS", () => opens).replace("<!-- body -->", () => html);
  if (shown[name] !== html) return;  // something else came meanwhile
  frame.style.height = places[name].firstChild?.style.height;  // until its own is known
  places[name].replaceChildren(...(html ? [frame] : []));
};
paint();
dark.addEventListener("change", () => {
  paint();
  for (const [name, html] of Object.entries(shown)) if (html) show(name, html);
});

addEventListener("message", async ({ source: from, data }) => {
  const frame = [...document.querySelectorAll("iframe")].find((one) => one.contentWindow === from);
  if (!frame) return;
  if (data.tall) frame.style.height = `${data.tall + 8}px`;
  if ("presenting" in data) frame.classList.toggle("presenting", data.presenting);
  if (frame.title !== "trace" || running) return;
  if ("take" in data) {
    focusing = true;
    behave(await ask({ do: "take", at: data.at, step: data.take }), true);
  } else if ("at" in data) {
    const answer = await ask({ do: "possible", at: data.at });
    if (answer?.possible !== undefined) from.postMessage({ possible: answer.possible, focusing }, "*");
    focusing = false;
  }
});

// A behaviour: of a verdict, or by hand
const behave = (answer, taken = false) => {
  if (!answer) return;
  complain(answer);
  if (answer.error && !answer.trace) return;
  traces.value = answer.shown ?? "";
  if (taken) address(answer.permalink);
  return show("trace", answer.trace);
};

const complain = (answer) => {
  say(error, answer.error ?? "");
  mark(source, answer.line);
  mark(settings, answer.settings_line);
  if (answer.settings_line) find("details.field").open = true;
};

const clear = () => {
  complain({});
  if (!status.textContent.startsWith("Python is loading")) say(status, "Ready.");
  say(printed, "");
  show("verdicts", "");
  show("trace", "");
};

// Checking -----------------------------------------------------------------------------------------------------------

const busy = (is) => {
  running = is;
  check.disabled = open.disabled = is;
  stop.disabled = !is;
  stop.textContent = "Stop";
};

check.addEventListener("click", async () => {
  busy(true);
  due = false;
  progress = { states: 0, decided: [] };
  clear();
  say(status, "Checking.");
  address(linked);
  const max = Math.max(1, Math.trunc(most.valueAsNumber) || 1);
  const answer = await ask({ do: "check", source: source.getValue(), settings: settings.getValue(), max_states: max });
  busy(false);
  check.disabled = !answer;  // until Python is back
  if (moved) return arrive();
  if (!answer) {
    const decided = progress.decided.length ? ` Decided so far, without a trace: ${progress.decided.join(", ")}.` : "";
    return say(status, `Incomplete: stopped at ${counted(progress.states)}; the rest is unknown.${decided}`);
  }
  if (answer.error) {
    say(status, "No verdict.");
    return behave(answer);
  }
  say(status, `${answer.word[0].toUpperCase()}${answer.word.slice(1)} (${counted(answer.states)}).`);
  offer(answer.constants);
  const choices = Object.entries({ ...answer.traces, "": "" });
  traces.replaceChildren(...choices.map(([name, told]) => new Option(name ? `${name}: ${told}` : "by hand", name)));
  await show("verdicts", answer.head);
  behave(answer);
  if (linked) follow(linked);
});

stop.addEventListener("click", () => {
  if (stop.textContent !== "Stop") return end();
  worker.postMessage({ request: { do: "stop" } });
  stop.textContent = "Stop now";
  stop.title = "without waiting for the model's code: what was found so far is lost";
});

traces.addEventListener("change", async () => behave(await ask({ do: "show", name: traces.value })));

// Constants, as the model on show declares them; a change is written into the settings ----------------------------------

const constants = find(".constants");
const offer = (declared) => {
  const focused = document.activeElement.name;
  constants.replaceChildren(...declared.map(control));
  constants.hidden = !declared.length;
  constants.elements.namedItem(focused)?.focus();
};
const control = ({ name, doc, value, words, bounds }) => {
  const input = document.createElement(words ? "select" : "input");
  if (words) input.append(...words.map((word) => new Option(word)));
  else input.type = bounds ? "number" : "checkbox";
  Object.assign(input, { name, value, checked: value, required: Boolean(bounds) });
  for (const bound of ["min", "max", "step"]) if (bounds) input[bound] = bounds[bound];  // no more: models say what is in it
  input.addEventListener("change", () => {
    if (!input.reportValidity()) return;
    write(name, words ? JSON.stringify(input.value) : bounds ? input.valueAsNumber : input.checked);
    check.click();  // does nothing while Python is busy
  });
  const [label, said] = ["label", "small"].map((tag) => document.createElement(tag));
  said.textContent = doc;
  label.append(input, name, said);
  return label;
};

const write = (name, value) => {
  const lines = settings.getValue().trimEnd().split("\n");
  let table = lines.findIndex((line) => /^\s*\[constants\]/.test(line));
  if (table < 0) table = lines.push(...(lines[0] ? [""] : []), "[constants]") - 1;
  const next = lines.findIndex((line, at) => at > table && /^\s*\[[\w.]+\]/.test(line));
  const end = next < 0 ? lines.length : next;
  const known = lines.findIndex((line, at) => at > table && at < end && line.split("=")[0].trim() === name);
  lines.splice(known < 0 ? table + 1 : known, known < 0 ? 0 : 1, `${name} = ${value}`);
  settings.setValue(`${lines.join("\n").trimStart()}\n`);
};

// Models: a configuration, or what a link holds -------------------------------------------------------------------------

let opened;  // what the chooser has put into the editors
let linked = "";  // the permalink of a behaviour of a model that has yet to be checked
const ours = () => source.getValue() === opened?.source && settings.getValue() === opened?.settings;

const leave = (why) => {
  say(remark, why);
  say(status, status.textContent.replace(/; then .*/, "."));
};

const choose = async (line = "") => {
  const name = open.value;
  const { source, settings, states } = open.selectedOptions[0].dataset;
  due = false;
  linked = line;
  say(remark, "");
  clear();
  const brought = states ? await ask({ do: "open", name }) : { source, settings };
  if (!brought || open.value !== name) return;
  opened = brought;
  fill(opened);
  offer(opened.constants ?? []);
  if (states > Number(document.body.dataset.most)) {
    address(line);
    if (line) follow(line);
    leave(`${counted(Number(states))} are too many for a browser: the budget ends the search before. Installed, the `
      + `workbench searches them at compiled speed: workbench check ${name}`);
  } else {
    due = true;
    check.click();  // does nothing until Python is there
  }
};
open.addEventListener("change", () => choose());

const through = async (bytes, stream) =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
const packed = async (text) => {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};
const unpacked = async (text) => {
  const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
};

// The address holds the model and its settings: a configuration by its name, anything else as it is. At its end may
// stand the permalink of a behaviour. The way back leads through what was checked and taken here.
const written = new Set();
const parts = async (ended) => {
  const same = ours();
  const model = { source: source.getValue(), settings: settings.getValue() };
  const states = most.value === most.defaultValue ? "" : most.value;
  const what = !same ? { model: await packed(JSON.stringify(model)) }
    : !opened.line && (open.value || ended) ? { open: open.value } : {};
  return new URLSearchParams({ ...what, ...(states && { states }) }).toString().replaceAll("%2F", "/");
};
let addressing = 0;
const address = async (line = "") => {
  const latest = ++addressing;
  const where = location.hash;
  const both = [await parts(line !== ""), line || (ours() && opened.line)].filter(Boolean).join("&");
  if (latest !== addressing || where !== location.hash) return;  // somebody has gone elsewhere meanwhile
  const fragment = both && `#${both.replaceAll('"', "%22")}`;  // as browsers say it
  written.add(fragment);
  if (fragment !== location.hash) history.pushState(null, "", fragment || location.pathname + location.search);
};

// The parts of the address that is open, and the permalink at its end.
const inAddress = () => {
  const [, own, line] = /^#?(.*?)&?(workbench:.*)?$/.exec(location.hash);
  return [own, line ?? ""];
};

copy.addEventListener("click", async () => {
  const [own, line] = inAddress();
  if (own !== await parts(line !== "")) await address();  // it was edited, and has not been checked
  const done = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
  copy.textContent = done ? "Copied" : "It is in the address bar";
  setTimeout(() => (copy.textContent = "Copy link"), 2000);
});

field("save").addEventListener("click", () => {
  const href = URL.createObjectURL(new Blob([source.getValue()]));
  Object.assign(document.createElement("a"), { href, download: "model.py" }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
});

const follow = async (line) => {
  linked = "";
  await behave(await ask({ do: "follow", source: source.getValue(), settings: settings.getValue(), line }));
  find(".behaviour").scrollIntoView();
};

// The model of a permalink alone comes with the package: it runs at once.
const named = async (line) => {
  open.selectedIndex = -1;
  due = false;
  linked = "";
  say(remark, "");
  clear();
  const brought = await ask({ do: "named", line });
  if (!brought || brought.error) return behave(brought);
  fill(opened = { ...brought, line: line.replace(/#.*/, "") });
  offer(opened.constants);
  say(status, "Ready.");
  follow(line);
};

let moved = false;  // whether the address is another one since the check began
let arrivals = 0;
const arrive = async () => {
  const arrival = ++arrivals;
  moved = false;
  const [own, line] = inAddress();
  const link = new URLSearchParams(own);
  most.value = link.get("states") ?? most.defaultValue;
  if (line && !link.has("open") && !link.has("model")) return named(line);
  open.value = link.get("open") ?? "";
  try {
    if (open.selectedIndex < 0) throw new Error(`there is no configuration ${link.get("open")}`);
    if (!link.has("model")) return choose(line);
    const model = JSON.parse(await unpacked(link.get("model")));
    if (arrival !== arrivals) return;
    if (typeof model.source !== "string" || typeof model.settings !== "string") throw new Error("no model");
    due = false;
    clear();
    fill(model);
    offer([]);
    linked = line;
    if (written.has(location.hash)) check.click();
    else leave("This model is from a link, and runs when you press Check: code that somebody has written.");
  } catch (wrong) {
    open.value = "";
    choose();
    say(remark, `The link is damaged: ${wrong.message}`);
  }
};

loading.then(start).catch((wrong) => say(error, `Python cannot be loaded: ${wrong.message}`));
arrive();
addEventListener("hashchange", () => {
  if (!running) return arrive();
  moved = true;  // the check ends first, and soon
  worker.postMessage({ request: { do: "stop" } });
});
// Where nothing may be kept, it works all the same, with a network.
navigator.serviceWorker?.register(here("../playground.offline.js"), { scope: here("../playground").href }).catch(() => {});
