"""The plain evaluator finds the states that TLC found: the files in ``tests/tlaplus/behaviours``."""

import pytest

from tests.tlaplus.test_tla_ways import behaviours
from tests.tlaplus.trees import module_of
from workbench.tlaplus.meaning.opening import opened
from workbench.tlaplus.meaning.search import search
from workbench.tlaplus.meaning.standard import EXTENDED, MODULES
from workbench.tlaplus.names.loader import Library, load
from workbench.tlaplus.syntax.cfg_parser import Cfg


def answer(lines: str, instantiated: str) -> str:
    """The states of module M, as the files have them: how many are generated, and those that are found."""
    text = module_of("EXTENDS Integers, Sequences, FiniteSets, TLC", lines)
    library = Library((), MODULES, EXTENDED, {"M": text, "N": module_of(instantiated, name="N")})
    graph = search(opened(load("M", library), Cfg(), ()))
    if graph.failed:
        return "error"
    rows = [sorted((variable.name, str(value)) for variable, value in state.items()) for state in graph.states]
    return f"{graph.generated}: {'; '.join(' '.join(value for _, value in row) for row in rows)}"


@pytest.mark.parametrize(("lines", "instantiated", "printed"), list(behaviours()))
def test_the_states_are_those_of_tlc(lines: str, instantiated: str, printed: str) -> None:
    assert answer(lines, instantiated) == printed
