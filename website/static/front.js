// The front page's switches: which combination is chosen says what is shown and which trace plays.
{
  const part = document.currentScript.closest(".front");
  const protocols = JSON.parse(part.querySelector("script[type='application/json']").textContent);
  const [place, said, frame] = [".wb-what-if", ".front-said", "iframe"].map((name) => part.querySelector(name));
  const byHand = part.querySelector(".front-by-hand");
  const root = new URL("../front/", document.currentScript.src);
  const radios = [...part.querySelectorAll("input[name=protocol]")];
  let protocol;
  let chosen = [];  // of each switch or choice, the number of its value
  let badge, told, visited, hints;  // where things are said

  const make = (name, className, ...inside) => {
    const element = document.createElement(name);
    element.className = className;
    element.append(...inside);
    return element;
  };
  // A place for a line or several, each with room for the longest of its texts: nothing below moves.
  const roomy = (...texts) => {
    const lines = (say) => make("div", "", ...texts.map((some) => make("div", "", say(some))));
    const room = lines((some) => some.reduce((longest, text) => (text.length > longest.length ? text : longest), ""));
    room.ariaHidden = "true";
    return make("div", "front-roomy", lines(() => ""), room);
  };
  const put = (place, ...texts) => texts.forEach((text, at) => { place.firstChild.children[at].textContent = text; });
  const shown = () => protocol.shown[chosen.join(" ")];

  function control({ name, doc, is_switch: isSwitch, words }, at) {
    const input = make(isSwitch ? "input" : "select", "");
    if (isSwitch) {
      input.type = "checkbox";
      input.checked = chosen[at] === 1;
    } else {
      input.append(...words.map((word, number) => new Option(word, number)));
      input.value = chosen[at];
    }
    input.name = name;
    input.addEventListener("change", () => {
      const { flips } = shown();
      chosen[at] = isSwitch ? Number(input.checked) : Number(input.value);
      show(flips[at]?.[chosen[at]]);
    });
    const label = make("label", "wb-switch", ...(isSwitch ? [input, name] : [name, input]));
    return [label, make("div", "wb-note", doc), hints[at]];
  }

  // The title of what this is; else what the last flip did, or what the property promises. After a flip that repairs
  // everything, the trace is told again.
  function show([flip, again] = []) {
    const one = shown();
    const sentence = one.title || flip || one.doc || one.why;
    badge.innerHTML = one.badge;
    put(told, sentence, sentence === one.why ? "" : one.why);
    visited.textContent = one.visited;
    hints.forEach((hint, at) => {
      const [text, kind] = one.hints[at] ?? ["", "idle"];
      put(hint, text);
      hint.className = `front-roomy wb-hint wb-${kind}`;
    });
    const name = again || one.frame;
    frame.hidden = !name;
    byHand.href = new URL(`../playground.html#${one.start}`, root).href;
    const wanted = name ? new URL(name, root).href : "about:blank";
    if (frame.dataset.page !== wanted) frame.contentWindow.location.replace(wanted);
    frame.dataset.page = wanted;
  }

  function open() {
    protocol = protocols[radios.findIndex((radio) => radio.checked)];
    chosen = protocol.switches.map((one) => one.first);
    const all = Object.values(protocol.shown);
    badge = make("span", "");
    const sentences = all.flatMap((one) => [one.title || one.doc, ...(one.title ? [] : one.flips.flat().map(([sentence]) => sentence))]);
    told = roomy(sentences, all.map((one) => one.why));
    visited = make("span", "wb-note");
    hints = protocol.switches.map((_, at) => roomy(all.map((one) => one.hints[at]?.[0] ?? "")));
    said.replaceChildren(badge, told, visited);
    const sizes = protocol.sizes && `with ${protocol.sizes}`;
    place.replaceChildren(...protocol.switches.flatMap(control), make("p", "wb-note", sizes));
    show();
  }

  const paint = () => frame.contentWindow.postMessage({ scheme: getComputedStyle(document.body).colorScheme }, "*");
  frame.addEventListener("load", paint);
  new MutationObserver(paint).observe(document.body, { attributes: true, attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  for (const radio of radios) radio.addEventListener("change", open);
  open();
}
