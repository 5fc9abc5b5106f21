// A trace as slides, one to a page: what is printed while it fills the window. Before the first state that tells
// how the behaviour ends stands a slide that asks. Pages and the player have this text before that of the presenter.

// `tells(step)` says whether the verdict shows in a state. The element is hidden on screens.
const slidesOf = (host, tells) => {
  const textsIn = (step, names) => [...(host.state(step)?.querySelectorAll(names) ?? [])].map((one) => one.textContent);
  const slide = (step, ...said) => {
    const picture = make("div", "wb-picture");
    picture.innerHTML = host.picture(step) ?? "";
    const title = make("p", "wb-where", `${step + 1} of ${host.count()} `, make("code", "", host.label(step)));
    return make("section", "wb-slide", title, picture, make("div", "wb-said", ...said));
  };
  const deck = make("div", "wb wb-deck", make("style", "", "@page { size: 1280px 720px; margin: 0; }"));
  let asked = false;
  for (let step = 0; step < host.count(); step++) {
    if (tells(step) && step > 0 && !asked) {
      deck.append(slide(step - 1, make("p", "wb-verdict", "What will happen?")));
      asked = true;
    }
    deck.append(slide(step,
      ...textsIn(step, ".wb-sentence").map((text) => make("p", "wb-sentence", text)),
      ...textsIn(step, ".wb-truth.wb-bad, .wb-ending").map((text) => make("p", "wb-verdict", text))));
  }
  return deck;
};
