"""The community's modules: what they bring, and which operator a name means. What operators give is in ``rows``."""

import pytest

from tests.tlaplus.trees import module_of
from workbench.checking.check import check
from workbench.kernel import InputError, ModelError
from workbench.tlaplus.library.standard import MODULES
from workbench.tlaplus.machine.specification import module_of_text
from workbench.tlaplus.names.loader import Library, load
from workbench.tlaplus.names.shipped import FOLDER, shipped
from workbench.tlaplus.syntax.tree import OperatorDefinition

INVARIANT = "INIT Init NEXT Next INVARIANT I"
TEXTS = sorted(path.stem for path in FOLDER.glob("*.tla"))


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_of_operators_of_one_name_the_one_of_the_first_module_counts(engine: str) -> None:
    """As for TLC, which warns."""
    lines = (
        "VARIABLE x",
        "Init == x = IsUndirectedGraph([node |-> {1}, edge |-> {<<1, 1>>}])",
        "Next == x' = x",
        "I == x",
    )
    result = check(module_of_text(module_of("EXTENDS Graphs, UndirectedGraphs", *lines), INVARIANT)(), engine=engine)
    assert result["I"].holds
    path = "M.tla:2:17: Path is defined at Graphs.tla:55:1; another one, defined at UndirectedGraphs.tla:35:1, does not"
    assert f"{path} count" in result.notes
    other = module_of_text(module_of("EXTENDS UndirectedGraphs, Graphs", *lines), INVARIANT)
    with pytest.raises(ModelError, match=r"UndirectedGraphs.tla:19:45: a function and a set cannot be compared"):
        check(other(), engine=engine)


def test_what_asks_the_world_is_an_error_where_it_is_evaluated() -> None:
    text = module_of(
        "EXTENDS Integers, TLC, Json, SVG",
        "VARIABLE x",
        "Init == x = 1",
        "Next == UNCHANGED x",
        'Shown == [x |-> x, at |-> TLCGet("level"), as |-> ToJson(x)]',
        'Drawn == <<SVGElem("g", <<>>, <<>>, ""), Image(0, 0, x, x, "", <<>>)>>',
        'Early == TLCGet("duration") < 3',
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


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_that_is_shipped_has_no_mistakes(name: str) -> None:
    """Whoever extends it does not check it again."""
    text = (FOLDER / f"{name}.tla").read_text()
    assert load(name, Library(standard=MODULES, texts={name: text})).module.name == name


def test_python_overrides_what_a_text_defines_with_as_many_arguments() -> None:
    overrides = {(name, operator, arity) for name in TEXTS for operator, (arity, _) in MODULES.get(name, {}).items()}
    modules = [module for name in TEXTS if (module := shipped(name)) is not None]
    defined = {(m.name, unit.name, len(unit.parameters)) for m in modules for unit in m.each(OperatorDefinition)}
    assert len(modules) == len(TEXTS) == 10
    assert overrides - defined == set()


@pytest.mark.slow
def test_operators_that_only_the_text_defines() -> None:
    own = ("EXTENDS SequencesExt", "Own == ReplaceAllSubSeqs(<<2, 2>>, <<x, x>>, <<x, x, x>>) = <<2, 2, x>>")
    assert answers(*own, configuration="INVARIANT Own") == {"Own": "holds"}
    own = ("EXTENDS Graphs", "Own == HasCycle([node |-> {1, 2}, edge |-> {<<1, 2>>, <<2, x>>}])")
    assert answers(*own, configuration="INVARIANT Own") == {"Own": "holds"}


@pytest.mark.parametrize("hidden", ["MapThenFoldSet", "Divides", "Reduce", "Max"])
def test_what_is_local_in_a_text_stays_there(hidden: str) -> None:
    with pytest.raises(InputError, match=f"unknown name {hidden}"):
        answers("EXTENDS BagsExt, DyadicRationals", f"Own == {hidden}(x) = x")


def test_the_community_s_texts_do_not_read_a_user_s_version() -> None:
    """SequencesExt would miss FoldFunction in this one; the module itself gets both."""
    text = module_of(
        "EXTENDS Functions, SequencesExt",
        "VARIABLE x",
        "Init == x = 1",
        "Next == FALSE",
        "Own == Range(1) = 2 /\\ ToSet(<<x>>) = {1} /\\ FoldSeq(LAMBDA y, z : y + z, 0, <<x, 2>>) = 3",
    )
    functions = module_of("EXTENDS Naturals", "Range(n) == n + 1", name="Functions")
    made = module_of_text(text, "INIT Init NEXT Next INVARIANT Own CHECK_DEADLOCK FALSE", [functions])
    assert [one.word for one in check(made()).verdicts] == ["holds"]
