// Makes drawings live: images of SVG become inline SVG (hover texts, search, the page's colours), and traces are
// stepped by clicking a row or with the arrow keys. Without scripts everything is shown as it is.
{
  const root = document.currentScript.closest(".wb") ?? document.body;
  const enliven = () => {
    for (const image of root.querySelectorAll("img.wb-svg")) {
      const bytes = Uint8Array.from(atob(image.src.split(",")[1]), (letter) => letter.charCodeAt(0));
      const template = document.createElement("template");
      template.innerHTML = new TextDecoder().decode(bytes);
      image.replaceWith(template.content);
    }

    root.querySelectorAll(".wb-graph").forEach(openGraph);

    // A link to #slides opens the page's first trace as a lesson.
    const slides = location.hash === "#slides" ? document.querySelector(".wb-trace") : null;

    for (const trace of root.querySelectorAll(".wb-trace:not(.wb-live)")) {
      const rows = trace.querySelectorAll(".wb-step");
      const states = trace.querySelectorAll(".wb-state");
      const picture = trace.querySelector(".wb-picture");
      const first = Number(trace.dataset.at ?? states.length - 1);
      let current = first;
      let pictures = [];
      let lanes = [trace.querySelector(".wb-lanes").innerHTML];
      const initial = picture.innerHTML;
      const fetched = [trace.dataset.pictures, trace.dataset.lanes].map((texts) => texts && unpack(texts));
      Promise.all(fetched).then(([all, drawings]) => {
        pictures = all ?? [];
        lanes = drawings ?? lanes;
        draw(false);
        lesson.lanesChanged();
        if (trace === slides) lesson.open({ asking: true });
      });
      const lesson = presenter({
        name: trace.getAttribute("aria-label"),
        count: () => states.length,
        at: () => current,
        go: (step) => show(step),
        picture: (step) => pictures[step] ?? (step === first ? initial : undefined),
        label: (step) => states[step].querySelector("summary code").textContent,
        state: (step) => states[step],
        lanes: () => lanes,
        strip: () => JSON.parse(trace.dataset.strip ?? "{}"),
      });

      const draw = (forth) => {
        if (!pictures[current]) return;
        picture.toggleAttribute("data-moving", forth);
        picture.innerHTML = pictures[current];
      };

      const said = document.createElement("div");
      said.className = "wb-said";
      const show = (step) => {
        const forth = step === current + 1;
        current = Math.min(Math.max(step, 0), states.length - 1);
        states.forEach((state, index) => {
          state.hidden = index !== current;
          state.open = index === current;
        });
        const telling = states[current].querySelectorAll(".wb-sentence, .wb-truth.wb-bad, .wb-ending, .wb-remarked");
        said.replaceChildren(...[...telling].flatMap((one) => [one.cloneNode(true), " "]));
        rows.forEach((row, index) => row.toggleAttribute("data-current", index === current));
        const box = rows[current]?.closest(".wb-lanes");
        if (box) box.scrollTop += rows[current].getBoundingClientRect().bottom - box.getBoundingClientRect().bottom + 40;
        draw(forth);
        lesson.update();
      };

      rows.forEach((row, index) => row.addEventListener("click", () => { show(index); trace.focus({ preventScroll: true }); }));
      trace.addEventListener("keydown", (event) => {
        const move = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
        if (move === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        show(current + move);
      });
      trace.classList.add("wb-live");
      const hint = document.createElement("p");
      hint.className = "wb-note wb-hint";
      const present = document.createElement("button");
      present.textContent = "Present";
      present.className = "wb-button";
      present.title = "fill the window: arrow keys and space step, B hides the verdict, Esc leaves";
      present.addEventListener("click", () => lesson.open());
      hint.append(present, " Click a step, or use the arrow keys.");
      trace.querySelector(".wb-beside").before(hint);
      if (trace.closest(".wb-cell, .wb-player")) hint.after(said);
      else trace.querySelector(".wb-states").open = true;
      show(current);
    }
  };
  // In a notebook, what stands in for a widget is not in sight while that is there.
  if (!root.matches(".wb-cell") || (root.checkVisibility?.() ?? true)) enliven();
  else {
    new IntersectionObserver((seen, observer) => {
      if (!seen.some((one) => one.isIntersecting)) return;
      observer.disconnect();
      enliven();
    }).observe(root);
  }
}
