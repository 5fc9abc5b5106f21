// What a person takes away from the page: a text in the clipboard, or a file.

// The permalink of a trace at a step. On a page it is the end of an address: the page's own, or the one that it names.
function linkTo(model, step) {
  const line = model.get("permalink").replace(/(?=&watch=)|$/, `&step=${step}`);
  const { opens } = document.body.dataset;
  const here = () => (opens ? new URL(opens, location.href).href : `${location.href.split("#")[0]}#`);
  const page = model.isPage ? here() : model.get("opens");
  return page ? page + line.replaceAll('"', "%22") : line;
}

// The step that a link asks of a trace, if it is one to this trace.
function stepIn(link, permalink) {
  const [, step] = /&step=(\d+)/.exec(link) ?? [];
  const plain = (line) => line.replace(/&step=\d+/, "").replaceAll("%22", '"');
  return plain(link) === plain(permalink) ? Number(step) : undefined;
}

// The button says what came of it. Pages that are served by plain http have no clipboard of this kind: there the text is
// put into a field, in the place given, and selected.
async function copyText(button, text, place) {
  const before = (button.dataset.says ??= button.textContent);  // also where it is pressed again meanwhile
  const said = (words) => {
    button.textContent = words;
    setTimeout(() => (button.textContent = before), 1500);
  };
  if (await navigator.clipboard?.writeText(text).then(() => true, () => false)) return said("Copied");
  const field = document.createElement("textarea");
  Object.assign(field, { className: "wb-copied", readOnly: true, value: text, ariaLabel: "to be copied" });
  field.rows = Math.min(8, text.trimEnd().split("\n").length);
  place.replaceChildren(field);
  field.focus();
  field.select();
  return said(document.execCommand("copy") ? "Copied" : "Selected: press Ctrl+C");
}

function download(name, content, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

