// The front page's switches: which combination is chosen says which verdict is shown and which trace plays.
{
  const part = document.currentScript.closest(".front");
  const protocols = JSON.parse(part.querySelector("script[type='application/json']").textContent);
  const [place, said, frame] = [".front-switches", ".front-said", "iframe"].map((name) => part.querySelector(name));
  const root = new URL("../front/", document.currentScript.src);
  const radios = [...part.querySelectorAll("input[name=protocol]")];
  let protocol;
  let chosen = [];  // of each switch or choice, the number of its value

  const make = (name, className, text = "") => {
    const element = document.createElement(name);
    element.className = className;
    element.textContent = text;
    return element;
  };

  function control({ name, doc, is_switch: isSwitch, words }, at) {
    const label = make("label", "front-switch");
    label.title = doc;
    const input = document.createElement(isSwitch ? "input" : "select");
    if (isSwitch) {
      input.type = "checkbox";
      input.checked = chosen[at] === 1;
    } else {
      input.append(...words.map((word, number) => new Option(word, number)));
      input.value = chosen[at];
    }
    input.name = name;
    input.addEventListener("change", () => {
      chosen[at] = isSwitch ? Number(input.checked) : Number(input.value);
      show();
    });
    label.append(...(isSwitch ? [input, name] : [`${name} `, input]), make("small", ""));
    return label;
  }

  function show() {
    const [page, verdict, hints] = protocol.shown[chosen.join(" ")];
    said.innerHTML = verdict;
    [...place.querySelectorAll("small")].forEach((small, at) => {
      [small.textContent, small.dataset.kind] = hints[at];
    });
    frame.hidden = !page;
    const wanted = page ? new URL(page, root).href : "about:blank";
    if (frame.dataset.page !== wanted) frame.contentWindow.location.replace(wanted);
    frame.dataset.page = wanted;
  }

  function open() {
    protocol = protocols[radios.findIndex((radio) => radio.checked)];
    chosen = protocol.switches.map((one) => one.first);
    place.replaceChildren(...protocol.switches.map(control), make("p", "front-note", protocol.sizes && `with ${protocol.sizes}`));
    show();
  }

  const paint = () => frame.contentWindow.postMessage({ scheme: getComputedStyle(document.body).colorScheme }, "*");
  addEventListener("message", ({ source, data }) => {
    if (source !== frame.contentWindow || !("tall" in data)) return;
    frame.style.height = `${data.tall}px`;
    paint();
  });
  new MutationObserver(paint).observe(document.body, { attributes: true, attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  for (const radio of radios) radio.addEventListener("change", open);
  open();
}
