"""Switches: what a model with given constants has of the actions and properties that its class declares."""

from collections.abc import Callable, Container
from typing import Any, Protocol

from workbench.kernel.errors import RAISED, ModelError, blame, brief

#: The name of a constant, or a function of the model; its truth counts.
Condition = str | Callable[[Any], Any]

#: None for what every model of the class has.
When = Condition | None

#: Whether a property is checked without being asked for by name, or the condition on which it is.
Default = bool | Condition


class Switched(Protocol):
    """An action or a property."""

    @property
    def name(self) -> str: ...

    @property
    def when(self) -> When: ...


class Chosen(Protocol):
    """A property."""

    @property
    def name(self) -> str: ...

    @property
    def by_default(self) -> Default: ...


def check_switch(declared: Switched, constants: Container[str]) -> None:
    """Raise :class:`ModelError` unless `declared` is switched by one of the `constants`, or by a function."""
    if declared.when is not None:
        _check(declared.name, "when", declared.when, constants)


def check_choice(declared: Chosen, constants: Container[str]) -> None:
    """The same for the condition on which a property is checked by default."""
    if not isinstance(declared.by_default, bool):
        _check(declared.name, "by_default", declared.by_default, constants)


def _check(name: str, option: str, condition: Any, constants: Container[str]) -> None:
    if not callable(condition) and not (isinstance(condition, str) and condition in constants):
        raise ModelError(
            f"{name}: {option} = {brief(condition)} is not accepted; it takes the name of a constant, or a function of "
            "the model"
        )


def applies(declared: Switched, model: Any) -> bool:
    """Whether `model` has the action or property that its class declares."""
    return declared.when is None or _is_true(declared.name, "when", declared.when, model)


def is_default(declared: Chosen, model: Any) -> bool:
    """Whether a check of `model` that names no properties checks this one."""
    if isinstance(declared.by_default, bool):
        return declared.by_default
    return _is_true(declared.name, "by_default", declared.by_default, model)


def _is_true(name: str, option: str, condition: Condition, model: Any) -> bool:
    if isinstance(condition, str):
        return bool(getattr(model, condition))
    try:
        return bool(condition(model))
    except RAISED as error:
        raise blame(f"{option} of {name}", error) from error


def needs(declared: Switched) -> str:
    """What has to be so for the action or property to apply, in words; "" if the declaration does not tell."""
    when = declared.when
    if isinstance(when, str):
        return when
    name = getattr(when, "__name__", "")
    return "" if name == "<lambda>" else name.replace("_", " ")
