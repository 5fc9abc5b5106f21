"""The two ways in which something can be wrong: with what a person asked for, or with a model."""

import difflib
from collections.abc import Iterable


class InputError(Exception):
    """Bad input: one line that names the thing, the value and what would be accepted."""


class ModelError(Exception):
    """A model breaks the rules of the modelling language (see ``docs/modelling.md``)."""


def brief(value: object) -> str:
    """A value as an error names it: short, however long it is."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def unknown(kind: str, name: object, known: Iterable[str]) -> InputError:
    """The error for a name that is not there, with the nearest one that is.

    Examples
    --------
    >>> str(unknown("constant", "SafeAck", ["Writers", "SafeAcks"]))
    "unknown constant 'SafeAck' (did you mean SafeAcks?); known: SafeAcks, Writers"
    """
    names = sorted(known)
    near = difflib.get_close_matches(str(name)[:80], names, n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    return InputError(f"unknown {kind} {brief(name)}{hint}; known: {', '.join(names) or 'none'}")
