"""Syntax trees as short texts, modules of few lines, and what is refused, for the tests of the room."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from workbench.kernel import InputError
from workbench.tlaplus.library.standard import MODULES
from workbench.tlaplus.names.loader import Library, load
from workbench.tlaplus.names.specification import Specification
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.parser import parse_module

#: What the tests' modules may extend.
STANDARD = {name: MODULES[name] for name in ("Naturals", "Sequences")}


def module_of(*lines: str, name: str = "M") -> str:
    """The text of a module; its lines begin at line 2."""
    return "\n".join([f"---- MODULE {name} ----", *lines, "===="])


def loaded(*lines: str, **others: str) -> Specification:
    """The specification of module M with these lines, beside other modules by name."""
    texts = {"M": module_of(*lines), **{name: module_of(text, name=name) for name, text in others.items()}}
    return load("M", Library(standard=STANDARD, texts=texts))


def expression_of(text: str) -> tree.Expression:
    """The expression as the parser reads it."""
    (definition,) = parse_module(module_of(f"A == {text}"), "M").each(tree.OperatorDefinition)
    return definition.body


def shape(given: Any) -> str:
    """A tree without its places: ``Operation(+ Number(1) Identifier(x))``."""
    if isinstance(given, tree.Node):
        inner = [
            shape(value)
            for name, value in vars(given).items()
            if name not in ("at", "bulleted", "is_regrouped", "text")
        ]
        return f"{type(given).__name__}({' '.join(inner)})"
    if isinstance(given, tuple):
        return f"[{' '.join(map(shape, given))}]"
    return str(given)


@contextmanager
def refused(message: str) -> Iterator[None]:
    """Expects an InputError of one line that begins so."""
    with pytest.raises(InputError) as caught:
        yield
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
