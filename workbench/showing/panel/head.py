"""The surroundings of a panel's tabs: the stories above them, and the switches at the side."""

from contextlib import suppress
from pathlib import Path

from workbench.kernel import InputError, ModelError
from workbench.kernel.meaning.properties import DEADLOCK
from workbench.showing.panel.controls import Controls
from workbench.showing.panel.fields import Button, Choice
from workbench.showing.panel.parts import Box, Fold, Pane, tab_stop
from workbench.showing.panel.toggles import Toggles
from workbench.showing.pictures.markup import element, joined
from workbench.showing.session import Session, Settings, in_sight, named, presets, start_from, stories
from workbench.showing.session.hints import Hints
from workbench.showing.view.trace.tables import constants_line

BY_HAND, DEFAULTS = "settings made by hand", "the model's defaults"


class Head(Pane):
    """The model's name, and its stories to choose from."""

    def __init__(self, session: Session) -> None:
        super().__init__(on_send=self._tell)
        self.session = session
        model = session.settings.model_class
        self._stories = stories(model)
        self._doc = " ".join((model.__doc__ or "").strip().partition("\n\n")[0].split())
        self._look()
        session.on("settings", self._look)

    def _look(self) -> None:
        lit = named(self.session.settings)
        reached = tab_stop(lit, self._stories.values())
        chips = [
            element(
                "button", title, class_="wb-story", tabindex=0 if path == reached else -1, data_send=title,
                aria_pressed=str(path == lit).lower(),
            )
            for title, path in self._stories.items()
        ]  # fmt: skip
        name = element("b", self.session.settings.model_class.declared.name, title=self._doc)
        note = None if chips else element("span", self._doc, class_="wb-note")
        self.html = element("div", name, note, *chips, class_="wb-title", role="toolbar", aria_label="stories")

    def _tell(self, title: str) -> None:
        self.session.begin(start_from(self._stories[title]))


class Side(Box):
    """The switches: the constants that matter most are in sight, everything else is folded away.

    Attributes:
        controls: Controls
        properties, symmetry (Toggles): By the name of the property, or of the symmetric set.
    """

    def __init__(self, session: Session, hints: Hints) -> None:
        self.session, self._hints, self._typing = session, hints, False
        model = session.settings.model_class
        self.controls = Controls(model, self._changed, in_sight(model))
        self.presets: dict[str, Path | None] = {BY_HAND: None, DEFAULTS: None, **presets(model)}
        tip = "start from the model's defaults or from a named configuration"
        self.preset = Choice("settings", list(self.presets), tip=tip, on_change=self._chosen)
        docs = {name: declared.doc.partition("\n\n")[0] for name, declared in model.declared.properties.items()}
        titles = {
            n: f"check this {model.declared.properties[n].kind}{f': {doc}' if doc else ''}" for n, doc in docs.items()
        }
        titles[DEADLOCK.name] = "check that behaviours end only where they may"
        self.properties = Toggles(titles, self._ticked)
        sets = {name: f"take the names in {name} as interchangeable" for name in model.declared.symmetry}
        self.symmetry = Toggles(sets, self._renamed, before="symmetry over ")
        self.more = Fold("More settings", [self.preset, self.controls, self.properties, self.symmetry])
        tip = "find out what flipping each of them would do, which takes longer here"
        self._ask = Button("Try the switches", tip, hints.ask)
        self._ask.shown = False
        super().__init__([self.controls.near, self._ask], "wb-side")
        self._look()
        session.on("settings", self._look)

    def hint(self) -> None:
        """Show next to each switch what flipping it would do, if that is known."""
        hints: dict[str, list[tuple[str, str]]] = {}
        for attempt in self._hints.decided:
            for name in attempt.changes:
                hints.setdefault(name, []).append(attempt.hint)
        self.controls.hint(hints, [("trying ...", "idle")] if self._hints.trying else [])
        self._ask.shown = self._hints.waiting

    # What is shown -------------------------------------------------------------------------------------------------

    def _look(self) -> None:
        settings = self.session.settings
        if not self._typing:
            self.controls.assign(dict(settings.constants))
        self.symmetry.set({name: name in settings.symmetry for name in settings.model_class.declared.symmetry})
        with suppress(InputError, ModelError):  # the session reports the error
            self._show_properties(settings)

    def _show_properties(self, settings: Settings) -> None:
        """Tick the properties that are checked; do not offer those that the constants switch off. Name the settings."""
        model = settings.model()
        ticked = settings.applicable() if settings.ticked is None else settings.ticked
        declared = model.declared.properties
        self.properties.disable(declared.keys() - model.properties.keys())
        self.properties.set({name: name in ticked for name in self.properties.titles})
        file = named(settings)
        names = [name for name, path in self.presets.items() if file is not None and path == file]
        if settings.configuration is None and settings.is_default:
            names = [DEFAULTS]
        self.preset.value = names[0] if names else BY_HAND
        differing = constants_line(model)
        checks = settings.applicable()
        checked = f"{len(checks)} of {len(model.properties.keys() | set(checks))} properties checked"
        over = f"symmetry over {', '.join(settings.symmetry)}" if settings.symmetry else None
        notes = [element("span", text, class_="wb-note") for text in (checked, over) if text]
        self.more.summary = joined([element("span", differing), *notes])

    # What a person does --------------------------------------------------------------------------------------------

    def _chosen(self) -> None:
        if self.preset.value == BY_HAND:
            return
        path = self.presets[self.preset.value]
        try:
            self.session.begin(start_from(self.session.settings.model_class if path is None else path))
        except InputError as error:
            self.session.refuse(str(error))

    def _changed(self) -> None:
        self._change(self.session.settings.with_typed(self.controls.values()))

    def _ticked(self) -> None:
        self._change(self.session.settings.with_ticked(self.properties.on))

    def _renamed(self) -> None:
        self._change(self.session.settings.with_symmetry(self.symmetry.on))

    def _change(self, settings: Settings) -> None:
        """Hand over a setting made here, without writing it back into the field where somebody is typing."""
        self._typing = True
        try:
            self.session.change(settings)
        finally:
            self._typing = False
