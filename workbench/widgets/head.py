"""The head of a panel: what the settings are, and where they are changed."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import ipywidgets

from workbench.kernel import InputError, ModelError
from workbench.pictures.markup import Markup, element, joined
from workbench.session import Session, Settings, presets, start_from
from workbench.view.tables import constants_line
from workbench.widgets.controls import Controls
from workbench.widgets.fold import Fold
from workbench.widgets.pane import Words
from workbench.widgets.switches import Switches

BY_HAND, DEFAULTS = "settings made by hand", "the model's defaults"


class Head(ipywidgets.VBox):
    """The named settings, a control for each constant, the properties, and the symmetric sets.

    Attributes:
        controls: Controls
        properties, symmetry (Switches): By the name of the property, or of the symmetric set.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        model = session.settings.model_class
        doc = (model.__doc__ or "").strip().partition("\n\n")[0]
        self.controls = Controls(model, self._changed)
        said = " ".join(doc.split())
        look = self.controls.look
        name = element("b", model.name) + Markup(" \N{NO-BREAK SPACE}")
        title = Words(element("p", name, said, class_="wb-title"), **look.of(Words))
        self.presets: dict[str, Path | None] = {BY_HAND: None, DEFAULTS: None, **presets(model)}
        self.preset = ipywidgets.Dropdown(
            options=list(self.presets), description="settings", layout={"width": "auto"},
            style=look.of(ipywidgets.Dropdown)["style"],
            tooltip="start from the model's defaults or from a named configuration",
        )  # fmt: skip
        self.preset.add_class("wb-left")
        docs = {name: declared.doc.partition("\n\n")[0] for name, declared in model.declared_properties.items()}
        titles = {name: f"check this {model.declared_properties[name].kind}: {doc}" for name, doc in docs.items()}
        self.properties = Switches(titles, self._ticked, layout=look.layout)
        sets = {name: f"take the names in {name} as interchangeable" for name in model.symmetry}
        self.symmetry = Switches(sets, self._renamed, before="symmetry over ", layout=look.layout)
        self._checked = Fold("Properties", self.properties, self.symmetry, look=look)
        self._settings = Fold("Settings", self.preset, self.controls, self._checked, look=look, by_room=True)
        super().__init__([title, self._settings])
        self._drawing = self._typing = False
        self._draw()
        self.preset.observe(self._chosen, "value")
        session.on("settings", self._draw)

    # What is shown -------------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        settings = self.session.settings
        self._drawing = True
        if not self._typing:
            self.controls.assign(dict(settings.constants))
        self.symmetry.set({name: name in settings.symmetry for name in settings.model_class.symmetry})
        with suppress(InputError, ModelError):  # the session says what is wrong
            self._draw_properties(settings)
        self._drawing = False

    def _draw_properties(self, settings: Settings) -> None:
        """Tick what is checked; what the constants switch off is not offered. Say which settings these are."""
        model = settings.model()
        ticked = settings.applicable() if settings.ticked is None else settings.ticked
        declared = model.declared_properties
        self.properties.disable(declared.keys() - model.properties.keys())
        self.properties.set({name: name in ticked for name in declared})
        one = settings.configuration
        names = [name for name, path in self.presets.items() if one is not None and path == one.path]
        if one is None and settings.is_default:
            names = [DEFAULTS]
        self.preset.value = names[0] if names else BY_HAND
        sets = f"; symmetry over {', '.join(settings.symmetry) or 'nothing'}" if model.symmetry else ""
        offered = f"{len(settings.applicable())} of {len(model.properties)} properties are checked"
        self._checked.say(element("span", f"{offered}{sets}", class_="wb-note"))
        differing = constants_line(model).html()
        named = element("span", one.path.stem, class_="wb-note") if one is not None else None
        self._settings.say(joined([named, element("span", differing)]))

    # What a person does --------------------------------------------------------------------------------------------

    def _chosen(self, change: Any) -> None:
        with self.session.lock:
            if self._drawing or change["new"] == BY_HAND:
                return
            path = self.presets[change["new"]]
            try:
                self.session.begin(start_from(self.session.settings.model_class if path is None else path))
            except InputError as error:
                self.session.refuse(str(error))

    def _changed(self) -> None:
        with self.session.lock:
            self._change(self.session.settings.with_typed(self.controls.values()))

    def _ticked(self) -> None:
        with self.session.lock:
            self._change(self.session.settings.with_ticked(self.properties.on))

    def _renamed(self) -> None:
        with self.session.lock:
            self._change(self.session.settings.with_symmetry(self.symmetry.on))

    def _change(self, settings: Settings) -> None:
        """Hand over what was set here: it is not written back into the field where somebody types."""
        self._typing = True
        try:
            self.session.change(settings)
        finally:
            self._typing = False
