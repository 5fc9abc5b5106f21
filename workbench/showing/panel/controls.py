"""Controls made from the constants that a model declares: one for each, by its kind."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import ipywidgets

from workbench.kernel import Constant, Model
from workbench.showing.panel.named import Edges, Named
from workbench.showing.panel.pane import Words
from workbench.showing.panel.switches import Switches
from workbench.showing.pictures.markup import Markup, element


class Control:
    """A widget for one constant."""

    widget: Any

    def get(self) -> Any:
        """What is set, in a form that the constant accepts (or complains about)."""
        return self.widget.value

    def set(self, value: Any) -> None:
        """Set to a value that a model has."""
        self.widget.value = value

    @property
    def field(self) -> Any:
        """The widget whose value changes."""
        return self.widget


class Look:
    """One layout for many widgets, and one style for all of a kind: each of its own would be two widgets more.

    Args:
        **style: Such as ``description_width``.
    """

    def __init__(self, **style: str) -> None:
        self._style, self.layout = style, ipywidgets.Layout()
        self.width = style.get("description_width", "0")
        self._styles: dict[type, Any] = {}

    def of(self, kind: Any) -> dict[str, Any]:
        """What a widget of that kind is made with."""
        style = kind.class_traits()["style"].klass
        if style not in self._styles:
            self._styles[style] = style(**self._style)
        return {"layout": self.layout, "style": self._styles[style]}


def _tooltip(constant: Constant) -> str:
    return f"{constant.doc} ({constant.domain.describe()})".lstrip()


def _about(constant: Constant, hints: Iterable[tuple[str, str]] = ()) -> Markup:
    """The sentence of a choice, and what each other value would do."""
    told = (element("div", text, class_=f"wb-hint wb-{kind}") for text, kind in hints)
    return element("div", element("div", constant.doc, class_="wb-note"), *told, class_="wb-about")


class Choice(Control):
    """One of a few values."""

    def __init__(self, name: str, constant: Constant, look: Look) -> None:
        options = [(constant.domain.word(value), value) for value in constant.domain]
        self.widget = ipywidgets.Dropdown(
            options=options, description=name, tooltip=_tooltip(constant), **look.of(ipywidgets.Dropdown)
        )


class Integer(Control):
    """A number in a range."""

    def __init__(self, name: str, constant: Constant, look: Look) -> None:
        self.widget = _stepper(name, constant, look, constant.domain.numbers)


def _stepper(name: str, constant: Constant, look: Look, numbers: range) -> Any:
    return ipywidgets.BoundedIntText(
        value=numbers[0],
        min=numbers[0],
        max=numbers[-1],
        step=numbers.step,
        description=name,
        tooltip=_tooltip(constant),
        **look.of(ipywidgets.BoundedIntText),
    )


class Size(Control):
    """The size of a set of names; names that were given by hand stay until the size is changed."""

    def __init__(self, name: str, constant: Constant, look: Look) -> None:
        self.widget = _stepper(name, constant, look, constant.domain.sizes)
        self._names: tuple[str, ...] = ()

    def get(self) -> Any:
        return self._names if len(self._names) == self.widget.value else self.widget.value

    def set(self, value: Any) -> None:
        self._names = value
        self.widget.value = len(value)


class Parts(Control):
    """A partition, typed as ``w1 w2 | w3``; nothing for a part of its own for each member."""

    def __init__(self, name: str, constant: Constant, look: Look) -> None:
        self.widget = ipywidgets.Text(
            description=name,
            tooltip=f"{_tooltip(constant)}; written as: w1 w2 | w3",
            placeholder="w1 w2 | w3",
            continuous_update=False,
            **look.of(ipywidgets.Text),
        )

    def get(self) -> Any:
        parts = [part.replace(",", " ").split() for part in self.widget.value.split("|")]
        return None if parts == [[]] else parts

    def set(self, value: Any) -> None:
        self.widget.value = " | ".join(" ".join(part) for part in value or ())


_CONTROLS: dict[str, Callable[[str, Constant, Look], Control]] = {
    "choice": Choice,
    "integer": Integer,
    "names": Size,
    "partition": Parts,
}
_NAMED: dict[str, type[Named]] = {"graph": Edges, "relation": Edges}


def grid(widgets: Iterable[Any], least: int) -> Any:
    """Widgets in columns of at least that many pixels, as many as fit."""
    columns = f"repeat(auto-fill, minmax({least}px, 1fr))"
    layout = ipywidgets.Layout(grid_template_columns=columns, grid_gap="0 24px")
    return ipywidgets.GridBox(list(widgets), layout=layout).add_class("wb-controls")


class Controls(ipywidgets.VBox):
    """The controls of a model's constants: the switches side by side, and what else there is above them.

    Args:
        on_change: Called after a person has changed something.
        near: The constants whose controls stand in a box of their own, each switch and choice with its sentence.

    Attributes:
        near (VBox): The box of those.
        told (Switches): The switches in it.
        about (dict): What is said below each choice in it.
        switches (Switches): The other constants that are on or off.

    Examples:
        >>> from workbench.protocols.bakery.model import Bakery
        >>> controls = Controls(Bakery, print)
        >>> controls.assign({**Bakery(Writers=2).constants})
        >>> controls.values()["Writers"], controls.values()["LazyReap"]
        (('w1', 'w2'), True)
    """

    def __init__(self, model: type[Model], on_change: Callable[[], None], near: Sequence[str] = ()) -> None:
        self._on_change, self._assigning = on_change, False
        declared = model.declared.constants
        longest = max((len(name) for name, constant in declared.items() if constant.domain.kind != "switch"), default=0)
        #: So that controls stand in line.
        self.look = Look(description_width=f"{min(150, 10 + 7 * longest)}px")
        self._look_near = Look(description_width="initial")
        self._names, self._near = tuple(declared), near
        switches = [name for name, constant in declared.items() if constant.domain.kind == "switch"]
        told = {name: declared[name].doc for name in near if name in switches}
        rest = {name: _tooltip(declared[name]) for name in switches if name not in told}
        self.told = Switches(told, self._changed, sentences=True, layout=self.look.layout)
        self.switches = Switches(rest, self._changed, layout=self.look.layout)
        self._declared = declared
        self._controls: dict[str, Any] = {n: self._control(n, c) for n, c in declared.items() if n not in switches}
        choices = [name for name in near if name in self._controls and declared[name].domain.kind == "choice"]
        self.about = {n: Words(_about(declared[n]), **self._look_near.of(Words)) for n in choices}
        beside = [
            widget
            for name in near
            if name in self._controls
            for widget in (self._controls[name].widget, self.about.get(name))
            if widget is not None
        ]
        self.near = ipywidgets.VBox([self.told, *beside]).add_class("wb-near")
        far = [control.widget for name, control in self._controls.items() if name not in near]
        super().__init__([grid(far, 260), self.switches])
        for control in self._controls.values():
            control.field.observe(self._changed, "value")
        self._draw()

    def _control(self, name: str, constant: Constant) -> Any:
        if constant.domain.kind not in _NAMED:
            return _CONTROLS[constant.domain.kind](name, constant, self._look_near if name in self._near else self.look)
        options = self.look.of(ipywidgets.Combobox)
        kind = _NAMED[constant.domain.kind]
        return kind(name, constant, _tooltip(constant), self._members, self.look.width, **options)

    def _members(self, of: str) -> tuple[str, ...]:
        """The names that a set has as it is set at present."""
        return tuple(self._declared[of].parse(of, self._controls[of].get()))

    def _draw(self) -> None:
        for control in self._controls.values():
            if isinstance(control, Named):
                control.draw()

    def hint(self, hints: Mapping[str, Sequence[tuple[str, str]]], unknown: Sequence[tuple[str, str]] = ()) -> None:
        """Say beside the switches and choices in sight what another value of each would do, or that it is `unknown`."""
        of = {name: hints.get(name, unknown) for name in (*dict(self.told.titles), *self.about)}
        self.told.hints = {name: of[name][0] for name in dict(self.told.titles) if of[name]}
        for name, words in self.about.items():
            words.html = _about(self._declared[name], of[name])

    def values(self) -> dict[str, Any]:
        """What is set, for the model's constructor."""
        typed = {name: control.get() for name, control in self._controls.items()}
        on = {*self.told.on, *self.switches.on}
        return {name: typed.get(name, name in on) for name in self._names}

    def assign(self, constants: dict[str, Any]) -> None:
        """Set some or all of the controls, without calling `on_change`."""
        self._assigning = True
        try:
            self.told.set(constants)
            self.switches.set(constants)
            for name in constants.keys() & self._controls.keys():
                self._controls[name].set(constants[name])
        finally:
            self._assigning = False
        self._draw()

    def _changed(self, _: Any = None) -> None:
        if not self._assigning:
            self._draw()
            self._on_change()
