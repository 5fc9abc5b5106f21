// Copies a text that stands in an element; whether that was done. Pages that are served by plain http have no
// clipboard: there the text is put into a field, selected.
const copyText = async (text, place) => {
  const done = await navigator.clipboard?.writeText(text).then(() => true, () => false);
  if (done) return true;
  const field = document.createElement("input");
  field.className = "wb-copied";
  field.readOnly = true;
  field.value = text;
  field.setAttribute("aria-label", "to be copied");
  place.replaceChildren(field);
  field.select();
  return document.execCommand("copy");
};

