"""The functions that describe the states of models, registered by the model's class, which does not know them."""

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any
from weakref import WeakSet

from workbench.kernel import machine_of
from workbench.kernel.meaning.errors import unknown
from workbench.kernel.meaning.machine import AnyModel, ModelClass
from workbench.registry import is_named_by_user, load_file, protocol_of

Describe = Callable[..., Iterable[Any]]


@dataclass(frozen=True)
class Painting:
    """The way to draw the states of a model.

    Attributes:
        describe: Maps a model and a state to things.
        shows: The variables in the picture: states that differ in one of them have different pictures.
        leaves_out: The other variables that are not ghosts, each with the reason.
        options: By option, the constant, attribute or method of the model that has the choices.
    """

    describe: Describe
    shows: frozenset[str]
    leaves_out: dict[str, str]
    options: dict[str, str]

    def takes(self, keyword: str) -> bool:
        """Whether the function takes a keyword argument of this name."""
        taken = inspect.signature(self.describe).parameters
        return keyword in taken or any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values())


_PAINTINGS: dict[ModelClass, Painting] = {}
#: The users' modules whose picture files have been looked for; a reloaded file counts as a new module.
_LOOKED_FOR: WeakSet[ModuleType] = WeakSet()


def picture_of(
    model: ModelClass, *, leaves_out: Mapping[str, str] | None = None, **options: str
) -> Callable[[Describe], Describe]:
    """Declare a function ``(model, s)`` that describes the states of a class of models, and of its subclasses.

    It returns or yields things, texts and Nones. It may have the keyword-only parameters `history`, the earlier states
    of the trace, oldest first, and `faults`, the places at fault in the state.

    Args:
        leaves_out: The variables that the picture does not show, with the reasons; besides ghosts.
        **options: Keyword-only parameters for the reader to choose, None by default, and the constants, attributes or
            methods of the model with the choices.
    """
    left_out = dict(leaves_out or {})
    for variable in left_out:
        if variable not in model.declared.variables:
            raise unknown(f"variable of {model.declared.name}", variable, model.declared.variables)

    def register(describe: Describe) -> Describe:
        shown = frozenset(name for name, entry in model.declared.variables.items() if not entry.ghost) - set(left_out)
        _PAINTINGS[model] = Painting(describe, shown, left_out, dict(options))
        return describe

    return register


def painting_of(model: AnyModel) -> Painting | None:
    """The way to draw the states of `model`; None for the default picture.

    A model in a file that the user has named, ``counter.py``, may have its picture in ``counter_picture.py`` beside it.
    """
    model = machine_of(model)
    _load_beside(type(model.author))
    protocol = protocol_of(type(model.author))
    if protocol is not None and protocol.picture:
        protocol.part(protocol.picture)
    return next((_PAINTINGS[cls] for cls in type(model.author).__mro__ if cls in _PAINTINGS), None)


def _load_beside(model: ModelClass) -> None:
    """Load the file with the model's picture, once, in which ``from counter import Counter`` is this very class."""
    module = sys.modules.get(model.__module__)
    if module is None or module in _LOOKED_FOR or not is_named_by_user(module.__name__):
        return
    _LOOKED_FOR.add(module)
    path = Path(str(module.__file__))
    picture = path.with_name(f"{path.stem}_picture.py")
    if picture.is_file():
        before = sys.modules.get(path.stem)
        sys.modules[path.stem] = module
        try:
            load_file(picture, "picture")
        finally:
            del sys.modules[path.stem]
            if before is not None:
                sys.modules[path.stem] = before


def options_of(model: AnyModel) -> dict[str, tuple[Any, ...]]:
    """The options of the picture of `model`, with their choices.

    Examples:
        >>> from workbench.protocols.hudi.model import Hudi
        >>> options_of(Hudi(OpLimit=3))
        {'reader': (1, 2, 3)}
    """
    model = machine_of(model)
    painting = painting_of(model)
    return {} if painting is None else {name: model.members(domain) for name, domain in painting.options.items()}
