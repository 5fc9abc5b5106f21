"""The community's modules that come with the workbench: their authors' texts, in ``library/texts``."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from workbench.tlaplus.syntax.parser import parse_module
from workbench.tlaplus.syntax.units import Module

#: Modules of theorems, with what they extend. Their own definitions are used only in proofs, which nobody runs.
THEOREMS: Mapping[str, Sequence[str]] = {
    "TLAPS": (),
    "WellFoundedInduction": ("Integers",),
    "NaturalsInduction": ("Integers",),
    "FunctionTheorems": ("Functions",),
    "FiniteSetTheorems": ("Functions", "FiniteSets"),
    "SequenceTheorems": ("Integers", "Sequences"),
}

FOLDER = Path(__file__).parents[1] / "library" / "texts"


@cache
def shipped(name: str) -> Module | None:
    """The community's module of that name, parsed once per process; None if there is no such text."""
    path = FOLDER / f"{name}.tla"
    return parse_module(path.read_bytes(), name) if path.is_file() else None
