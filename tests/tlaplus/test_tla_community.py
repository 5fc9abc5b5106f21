"""The community's modules: what they bring, and which operator a name means. What operators give is in ``rows``."""

import pytest

from tests.tlaplus.trees import module_of
from workbench.checking.check import check
from workbench.kernel import InputError, ModelError
from workbench.tlaplus.machine.specification import module_of_text


def test_operators_of_one_name_are_those_of_their_module() -> None:
    with pytest.raises(InputError, match=r"M.tla:2:17: IsUndirectedGraph is already defined at Graphs.tla:43:1"):
        module_of_text(module_of("EXTENDS Graphs, UndirectedGraphs", "VARIABLE x"))


def test_what_asks_the_world_is_an_error_where_it_is_evaluated() -> None:
    text = module_of(
        "EXTENDS Integers, TLC, Json, SVG",
        "VARIABLE x",
        "Init == x = 1",
        "Next == UNCHANGED x",
        'Shown == [x |-> x, at |-> TLCGet("level"), as |-> ToJson(x)]',
        'Drawn == <<SVGElem("g", <<>>, <<>>, ""), Image(0, 0, x, x, "", <<>>)>>',
        'Early == TLCGet("level") < 3',
    )
    assert check(module_of_text(text, "INIT Init NEXT Next ALIAS Shown")(), []).distinct == 1
    with pytest.raises(ModelError, match=r"M.tla:8:10: TLCGet of the module TLC is not supported: its value is not a"):
        check(module_of_text(text, "INIT Init NEXT Next INVARIANT Early")())


def test_modules_of_theorems_have_what_they_extend_and_proofs_are_passed_over() -> None:
    theorems = module_of(
        "EXTENDS TLAPS, FiniteSetTheorems, SequenceTheorems, NaturalsInduction",
        "VARIABLE x",
        "Init == x = {}",
        "Next == x' = x \\cup {Cardinality(x)} /\\ Cardinality(x) < Len(<<0, 0>>)",
        "THEOREM Init => IsFiniteSet(x)",
        "  BY FS_EmptySet, SMT DEF Init",
    )
    assert check(module_of_text(theorems)(), []).distinct == 3


def answers(imported: str, *lines: str, configuration: str = "") -> dict[str, str]:
    """The verdicts on the invariants of a module that has these lines."""
    text = module_of(imported, "VARIABLE x", *lines, "Init == x = 1", "Next == x' = 2")
    made = module_of_text(text, f"INIT Init NEXT Next CHECK_DEADLOCK FALSE {configuration}")
    return {one.name: one.word for one in check(made()).verdicts}


@pytest.mark.parametrize(
    "imported", ["EXTENDS SequencesExt", "LOCAL INSTANCE SequencesExt", "INSTANCE SequencesExt", "EXTENDS Graphs"]
)
def test_modules_bring_what_they_extend(imported: str) -> None:
    """As the community's modules have it since 2026, and as TLC has it of its own."""
    two = "Two == Cardinality(ToSet(<<1, x>>)) = 2 /\\ Max({1, 2}) = 2"
    assert answers(imported, two, configuration="INVARIANT Two") == {"Two": "violated"}


def test_an_instance_has_what_its_module_brings() -> None:
    one = r"One == Cardinality({x}) = 1 \/ S!Append(<<x>>, x) = <<>>"
    with pytest.raises(InputError, match="unknown name Cardinality"):
        answers("S == INSTANCE SequencesExt", one, configuration="INVARIANT One")
    one = r"One == S!Cardinality({x}) = 1 /\ S!Append(<<x>>, x) # <<>>"
    assert answers("S == INSTANCE SequencesExt", one, configuration="INVARIANT One") == {"One": "holds"}


def test_a_module_s_own_operators_go_before_those_of_the_community() -> None:
    """It may have been written before the community's module had one of that name."""
    own = ("EXTENDS SequencesExt", "Suffixes(s) == {s}", r"Own == Suffixes(<<x, x>>) = {<<x, x>>}")
    assert answers(*own, configuration="INVARIANT Own") == {"Own": "holds"}


def test_a_configuration_replaces_an_operator_of_the_community() -> None:
    lines = ("EXTENDS FiniteSetsExt", "Least(S) == CHOOSE s \\in S : TRUE", "Small == Max({1, 2}) = 1")
    assert answers(*lines, configuration="INVARIANT Small") == {"Small": "violated"}
    replaced = "CONSTANT Max <- Least INVARIANT Small"
    assert answers(*lines, configuration=replaced) == {"Small": "holds"}
