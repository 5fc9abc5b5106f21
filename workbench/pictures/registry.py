"""Who draws which model: functions that describe a state, declared for classes of models that do not know of them."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from workbench.kernel import Model
from workbench.kernel.errors import unknown

Describe = Callable[..., Iterable[Any]]


@dataclass(frozen=True)
class Painting:
    """How the states of a model are drawn.

    Attributes:
        describe: From a model and a state to things.
        shows: The variables that the picture shows: two states that differ in one of them have different pictures.
        leaves_out: The others, each with the reason.
        options: What a person may choose, and the constant, attribute or method of the model that has the choices.
    """

    describe: Describe
    shows: frozenset[str]
    leaves_out: dict[str, str]
    options: dict[str, str]

    def takes(self, keyword: str) -> bool:
        """Whether the function takes a keyword argument of this name."""
        given = inspect.signature(self.describe).parameters
        return keyword in given or any(parameter.kind is parameter.VAR_KEYWORD for parameter in given.values())


_PAINTINGS: dict[type[Model], Painting] = {}


def picture_of(
    model: type[Model], *, leaves_out: Mapping[str, str] | None = None, **options: str
) -> Callable[[Describe], Describe]:
    """Declare a function ``(model, s)`` that describes the states of a class of models, and of its subclasses.

    It returns or yields things, texts and Nones. Where it has a keyword-only parameter `history`, that is the earlier
    states of the trace, the oldest first; `faults` is the places that are at fault in the state.

    Args:
        leaves_out: The variables that the picture does not show, with the reasons.
        **options: Keyword-only parameters that a person may choose, None at first, and what they range over: the name
            of a constant, attribute or method of the model.
    """
    left_out = dict(leaves_out or {})
    for variable in left_out:
        if variable not in model.declared_variables:
            raise unknown(f"variable of {model.name}", variable, model.declared_variables)

    def register(describe: Describe) -> Describe:
        shown = frozenset(model.declared_variables) - set(left_out)
        _PAINTINGS[model] = Painting(describe, shown, left_out, dict(options))
        return describe

    return register


def painting_of(model: Model) -> Painting | None:
    """How the states of `model` are drawn; None if nobody has said so, and they are drawn as variables."""
    return next((_PAINTINGS[cls] for cls in type(model).__mro__ if cls in _PAINTINGS), None)


def options_of(model: Model) -> dict[str, tuple[Any, ...]]:
    """What a person may choose in a picture of `model`, and the choices.

    Examples:
        >>> from workbench.models.hudi import Hudi
        >>> options_of(Hudi(OpLimit=3))
        {'reader': (1, 2, 3)}
    """
    painting = painting_of(model)
    return {} if painting is None else {name: model.members(domain) for name, domain in painting.options.items()}
