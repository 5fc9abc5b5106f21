"""Switches: what a model with given constants has of the actions and properties that its class declares."""

from collections.abc import Callable, Container
from typing import Any, Protocol

from workbench.kernel.errors import RAISED, ModelError, blame, brief

#: The name of a constant, a function of the model, or None for what every model of the class has.
When = str | Callable[[Any], Any] | None


class Switched(Protocol):
    """An action or a property."""

    @property
    def name(self) -> str: ...

    @property
    def when(self) -> When: ...


def check_switch(declared: Switched, constants: Container[str]) -> None:
    """Raise :class:`ModelError` unless `declared` is switched by one of the `constants`, or by a function."""
    when = declared.when
    if when is not None and not callable(when) and not (isinstance(when, str) and when in constants):
        raise ModelError(
            f"{declared.name}: when = {brief(when)} is not accepted; it takes the name of a constant, or a function of "
            "the model"
        )


def applies(declared: Switched, model: Any) -> bool:
    """Whether `model` has the action or property that its class declares."""
    when = declared.when
    if when is None:
        return True
    if isinstance(when, str):
        return bool(getattr(model, when))
    try:
        return bool(when(model))
    except RAISED as error:
        raise blame(f"when of {declared.name}", error) from error


def needs(declared: Switched) -> str:
    """What has to be so for the action or property to apply, in words; "" if the declaration does not tell."""
    when = declared.when
    if isinstance(when, str):
        return when
    name = getattr(when, "__name__", "")
    return "" if name == "<lambda>" else name
