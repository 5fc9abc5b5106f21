"""The head of a panel: what the settings are, and where they are changed."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import ipywidgets

from workbench.kernel import InputError, ModelError
from workbench.session import Session, Settings, presets, start_from
from workbench.view.html import element, escape
from workbench.view.tables import constants_line
from workbench.widgets.controls import Controls, grid, switch
from workbench.widgets.fold import Fold
from workbench.widgets.pane import Words

BY_HAND, DEFAULTS = "settings made by hand", "the model's defaults"


class Head(ipywidgets.VBox):
    """The named settings, a control for each constant, the properties, and the symmetric sets.

    Attributes
    ----------
    controls : Controls
    properties, symmetry : dict of str to Checkbox
        By the name of the property, or of the set.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        model = session.settings.model_class
        doc = (model.__doc__ or "").strip().partition("\n\n")[0]
        self.controls = Controls(model, self._changed)
        said = escape(" ".join(doc.split()))
        look = self.controls.look
        title = Words(f'<p class="wb-title"><b>{escape(model.name)}</b> &nbsp;{said}</p>', **look.of(Words))
        self.presets: dict[str, Path | None] = {BY_HAND: None, DEFAULTS: None, **presets(model)}
        self.preset = ipywidgets.Dropdown(
            options=list(self.presets), description="settings", layout={"width": "auto"},
            style=look.of(ipywidgets.Dropdown)["style"],
            tooltip="start from the model's defaults or from a named configuration",
        )  # fmt: skip
        self.preset.add_class("wb-left")
        self.properties = {
            name: switch(name, f"check this {declared.kind}: {declared.doc.partition(chr(10) * 2)[0]}", look, True)
            for name, declared in model.declared_properties.items()
        }
        self.symmetry = {
            name: switch(f"symmetry ({name})", f"take the names in {name} as interchangeable", look)
            for name in model.symmetry
        }
        boxes = [*self.properties.values(), *self.symmetry.values()]
        self._checked = Fold("Properties", grid(boxes, 200), look=look)
        self._settings = Fold("Settings", self.preset, self.controls, self._checked, look=look, by_room=True)
        super().__init__([title, self._settings])
        self._drawing = self._typing = False
        self._draw()
        self.preset.observe(self._chosen, "value")
        for box in self.properties.values():
            box.observe(self._ticked, "value")
        for box in self.symmetry.values():
            box.observe(self._renamed, "value")
        session.on("settings", self._draw)

    # What is shown -------------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        settings = self.session.settings
        self._drawing = True
        if not self._typing:
            self.controls.assign(dict(settings.constants))
        for name, box in self.symmetry.items():
            box.value = name in settings.symmetry
        with suppress(InputError, ModelError):  # the session says what is wrong
            self._draw_properties(settings)
        self._drawing = False

    def _draw_properties(self, settings: Settings) -> None:
        """Tick what is checked; what the constants switch off is not offered. Say which settings these are."""
        model = settings.model()
        ticked = settings.applicable() if settings.ticked is None else settings.ticked
        for name, box in self.properties.items():
            box.disabled, box.value = name not in model.properties, name in ticked
        one = settings.configuration
        names = [name for name, path in self.presets.items() if one is not None and path == one.path]
        if one is None and settings.is_default:
            names = [DEFAULTS]
        self.preset.value = names[0] if names else BY_HAND
        sets = f"; symmetry over {', '.join(settings.symmetry) or 'nothing'}" if self.symmetry else ""
        offered = f"{len(settings.applicable())} of {len(model.properties)} properties are checked"
        self._checked.say(element("span", escape(f"{offered}{sets}"), class_="wb-note"))
        differing = constants_line(model).html()
        named = element("span", escape(one.path.stem), class_="wb-note") if one is not None else ""
        self._settings.say(f"{named}<span>{differing}</span>")

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

    def _ticked(self, _: Any) -> None:
        with self.session.lock:
            if not self._drawing:
                ticked = (name for name, box in self.properties.items() if box.value)
                self._change(self.session.settings.with_ticked(ticked))

    def _renamed(self, _: Any) -> None:
        with self.session.lock:
            if not self._drawing:
                sets = (name for name, box in self.symmetry.items() if box.value)
                self._change(self.session.settings.with_symmetry(sets))

    def _change(self, settings: Settings) -> None:
        """Hand over what was set here: it is not written back into the field where somebody types."""
        self._typing = True
        try:
            self.session.change(settings)
        finally:
            self._typing = False
