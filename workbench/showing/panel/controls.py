"""Controls made from the constants that a model declares: one for each, by its kind."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from workbench.kernel import Constant
from workbench.kernel.meaning.machine import ModelClass
from workbench.showing.panel.fields import Choice, Field, Number, Typed
from workbench.showing.panel.named import Edges
from workbench.showing.panel.parts import Box, Pane
from workbench.showing.panel.toggles import Toggles, hint
from workbench.showing.pictures.markup import Markup, element


class Control:
    """A field for one constant."""

    def __init__(self, field: Field) -> None:
        self.part = self.field = field

    def get(self) -> Any:
        """The value that is set, in a form that the constant accepts, or rejects with a reason."""
        return self.field.value

    def set(self, value: Any) -> None:
        """Set to a value that a model has."""
        self.field.value = value

    def look(self) -> None:
        """Follow the settings of other controls."""


class Size(Control):
    """The size of a set of names; names that were given by hand stay until the size is changed."""

    _names: tuple[str, ...] = ()

    def get(self) -> Any:
        return self._names if len(self._names) == self.field.value else self.field.value

    def set(self, value: Any) -> None:
        self._names, self.field.value = value, len(value)


class Parts(Control):
    """A partition, typed as ``w1 w2 | w3``; empty if every member is a separate part."""

    def get(self) -> Any:
        parts = [part.replace(",", " ").split() for part in self.field.value.split("|")]
        return None if parts == [[]] else parts

    def set(self, value: Any) -> None:
        self.field.value = " | ".join(" ".join(part) for part in value or ())


def _tip(constant: Constant) -> str:
    return f"{constant.doc} ({constant.domain.describe()})".lstrip()


def _about(constant: Constant, hints: Iterable[tuple[str, str]] = ()) -> Markup:
    """The description of a choice, and what each other value would do."""
    effects = (hint(text, kind) for text, kind in hints)
    return element("div", element("div", constant.doc, class_="wb-note"), *effects, class_="wb-about")


class Controls(Box):
    """The controls of a model's constants: the switches side by side, and the other controls above them.

    Args:
        on_change: Called after a person has changed something.
        near: The constants whose controls stand in a box of their own, each switch and choice with its sentence.

    Attributes:
        near (Box): The box of those.
        told (Toggles): The switches in it.
        about (dict): The sentence below each choice in it.
        switches (Toggles): The other constants that are on or off.

    Examples:
        >>> from workbench.protocols.bakery.model import Bakery
        >>> controls = Controls(Bakery, print)
        >>> controls.assign({**Bakery(Writers=2).constants})
        >>> controls.values()["Writers"], controls.values()["LazyReap"]
        (('w1', 'w2'), True)
    """

    def __init__(self, model: ModelClass, on_change: Callable[[], None], near: Sequence[str] = ()) -> None:
        self._on_change, self._declared = on_change, model.declared.constants
        declared = self._declared
        switches = [name for name, constant in declared.items() if constant.domain.kind == "switch"]
        sentences = {name: declared[name].doc for name in near if name in switches}
        rest = {name: _tip(declared[name]) for name in switches if name not in sentences}
        self.sentences = Toggles(sentences, self._changed, sentences=True)
        self.switches = Toggles(rest, self._changed)
        self._controls = {n: self._control(n, c) for n, c in declared.items() if n not in switches}
        choices = [name for name in near if name in self._controls and declared[name].domain.kind == "choice"]
        self.about = {name: Pane(_about(declared[name])) for name in choices}
        beside = [
            part
            for name in near
            if name in self._controls
            for part in (self._controls[name].part, self.about.get(name))
            if part is not None
        ]
        self.near = Box([self.sentences, *beside], "wb-near")
        far = [control.part for name, control in self._controls.items() if name not in near]
        super().__init__([Box(far, "wb-controls"), self.switches])
        self._look()

    def _control(self, name: str, constant: Constant) -> Control | Edges:
        domain, tip = constant.domain, _tip(constant)
        more: dict[str, Any] = {"tip": tip, "on_change": self._changed}
        match domain.kind:
            case "choice":
                return Control(Choice(name, {domain.word(value): value for value in domain}, **more))
            case "integer":
                return Control(Number(name, domain.numbers, **more))
            case "names":
                return Size(Number(name, domain.sizes, **more))
            case "partition":
                written = {**more, "tip": f"{tip}; written as: w1 w2 | w3"}
                return Parts(Typed(name, placeholder="w1 w2 | w3", **written))
            case _:
                return Edges(name, constant, tip, self._members, self._changed)

    def _members(self, of: str) -> tuple[str, ...]:
        """The present names in a set."""
        return tuple(self._declared[of].parse(of, self._controls[of].get()))

    def _look(self) -> None:
        for control in self._controls.values():
            control.look()

    def hint(self, hints: Mapping[str, Sequence[tuple[str, str]]], unknown: Sequence[tuple[str, str]] = ()) -> None:
        """Show next to each visible switch or choice what another value would do, or that this is `unknown`."""
        of = {name: hints.get(name, unknown) for name in (*self.sentences.titles, *self.about)}
        self.sentences.hints = {name: of[name][0] for name in self.sentences.titles if of[name]}
        for name, words in self.about.items():
            words.html = _about(self._declared[name], of[name])

    def values(self) -> dict[str, Any]:
        """The values that are set, for the model's constructor."""
        typed = {name: control.get() for name, control in self._controls.items()}
        on = {*self.sentences.on, *self.switches.on}
        return {name: typed.get(name, name in on) for name in self._declared}

    def assign(self, constants: dict[str, Any]) -> None:
        """Set some or all of the controls, without calling `on_change`."""
        self.sentences.set(constants)
        self.switches.set(constants)
        for name in constants.keys() & self._controls.keys():
            self._controls[name].set(constants[name])
        self._look()

    def _changed(self) -> None:
        self._look()
        self._on_change()
