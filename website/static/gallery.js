// Searches the gallery's index in the page itself, so that it works without a server. What is searched for is in the
// address, to be passed on.
{
  const form = document.querySelector(".gallery-search");
  if (form) {
    const items = [...document.querySelectorAll(".gallery-list > li")].map((element) => ({
      element,
      protocol: element.dataset.protocol,
      breaks: element.textContent.toLowerCase(),
      repairs: [...element.querySelectorAll(".gallery-repairs")].map((one) => one.textContent.toLowerCase()).join(" "),
    }));
    const fields = ["breaks", "repairs", "protocol"].map((name) => form.elements[name]);
    const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

    const search = () => {
      const [breaks, repairs] = fields.map((field) => wordsOf(field.value));
      const protocol = form.elements.protocol.value;
      let shown = 0;
      for (const item of items) {
        const fits = (!protocol || item.protocol === protocol)
          && breaks.every((word) => item.breaks.includes(word)) && repairs.every((word) => item.repairs.includes(word));
        item.element.hidden = !fits;
        shown += fits;
      }
      const asked = fields.filter((field) => field.value).map((field) => [field.name, field.value]);
      document.querySelector(".gallery-all").open = asked.length > 0;
      form.elements.count.value = asked.length ? `${shown} of ${items.length}` : "";
      history.replaceState(null, "", `#${new URLSearchParams(asked)}`);
    };

    const asked = new URLSearchParams(location.hash.slice(1));
    for (const field of fields) {
      field.value = asked.get(field.name) ?? "";
      field.addEventListener("input", search);
    }
    form.addEventListener("submit", (event) => event.preventDefault());
    if (asked.size) search();
  }
}
