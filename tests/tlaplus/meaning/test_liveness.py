"""PROPERTIES by the plain evaluator: TLC's verdicts, and those of a search of all short lassos."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from tests.tlaplus.meaning.test_search import plainly_opened
from tests.tlaplus.test_tla_liveness import CLIMBER, MODULE, SHAPES, SPREAD, STAIRS, UNKNOWN, properties
from tests.tlaplus.test_tla_machine import COUNTER, ROWS, Row
from tests.tlaplus.trees import module_of
from workbench.kernel import InputError
from workbench.kernel import search as search_compiled
from workbench.tlaplus.machine import plain
from workbench.tlaplus.machine.specification import module_of_text
from workbench.tlaplus.meaning import liveness
from workbench.tlaplus.meaning.formulas import after_step
from workbench.tlaplus.meaning.liveness import Decided, decide
from workbench.tlaplus.meaning.search import search
from workbench.tlaplus.syntax.cfg_parser import read_configuration


def decided(text: str, cfg: str, *others: str) -> list[Decided]:
    model = plainly_opened(Row(text, cfg, others=others))
    return decide(model, search(model))


def holds(verdicts: Sequence[Decided]) -> dict[str, bool | None]:
    return {verdict.name: verdict.holds for verdict in verdicts}


# TLC's verdicts ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("specification", ["Free", "Fair", "Strong"])
def test_formulas_of_many_shapes(specification):
    lines, asked = properties(SHAPES)
    verdicts = decided(MODULE + lines, f"SPECIFICATION {specification} {asked}")
    expected = {f"P{at}": specification not in violated.split() for at, violated in enumerate(SHAPES.values())}
    assert holds(verdicts) == expected


@pytest.mark.parametrize(
    ("specification", "violated"),
    [("Free", {"Refined", "Opened", "Taller", "Low"}), ("Feet", {"Opened", "Taller", "Low"}), ("All", {"Taller"})],
)
def test_a_refinement_with_its_fairness(specification, violated):
    verdicts = decided(CLIMBER, f"SPECIFICATION {specification} PROPERTIES Refined Opened Taller Low", STAIRS)
    assert holds(verdicts) == {name: name not in violated for name in ("Refined", "Opened", "Taller", "Low")}


WITH_PROPERTIES = {name: row for name, row in ROWS.items() if "PROPERT" in row.cfg}


@pytest.mark.parametrize("name", WITH_PROPERTIES)
def test_properties_of_specifications(name):
    row = WITH_PROPERTIES[name]
    verdicts = decided(row.text, row.cfg, *row.others)
    asked = [entry.value for entry in read_configuration(row.cfg).properties]
    wrong = {name.removesuffix("_liveness"): states for name, states in row.wrong.items()}
    assert holds(verdicts) == {name: name not in wrong for name in asked}
    for verdict in verdicts:
        states = wrong.get(verdict.name, 0)
        if states is None:
            assert verdict.loop is not None
        else:
            assert len(verdict.trace) == states


@pytest.mark.parametrize(
    ("behaviour", "asked", "is_true"), [("Spec", "Strong", True), ("Weak", "Strong", False), ("Some", "Again", False)]
)
def test_a_step_that_writes_the_same_value_anew_does_not_change_it(behaviour, asked, is_true):
    assert holds(decided(SPREAD, f"SPECIFICATION {behaviour} PROPERTY {asked}")) == {asked: is_true}


# The definition ------------------------------------------------------------------------------------------------------

#: An operator with its operands; "state", "[]_", "<<>>_", WF and SF have names of sets.
Formula = tuple[Any, ...]
LEAVES = ("state", "[][]_", "<><<>>_", "WF", "SF")
OPERATORS = ("~", "/\\", "\\/", "=>", "<=>", "[]", "<>", "~>", "[]", "<>")
MADE_OF_NAMES = {"state": "{}", "[]_": "[{}]_x", "<<>>_": "<<{}>>_x", "WF": "WF_x({})", "SF": "SF_x({})"}
NODES = range(3)


class Case:
    """A random graph with sets of states and of steps, and formulas about them.

    Attributes:
        initial, allowed: The states to begin with, and the steps that change the state.
        states, steps: By their names.
        fairness: A formula, beside Init and Next.
    """

    def __init__(self, seed: int) -> None:
        draw = self.draw = Random(seed)
        self.initial = draw.sample(NODES, draw.choice((1, 1, 2)))
        pairs = [(one, other) for one in NODES for other in NODES if one != other]
        self.steps = {name: set(draw.sample(pairs, draw.choice((1, 2, 3)))) for name in ("A", "B")}
        self.allowed = self.steps["A"] | self.steps["B"]
        self.states = {name: {node for node in NODES if draw.random() < 0.5} for name in ("P", "Q")}
        self.fairness = "/\\", *((draw.choice(("WF", "SF")), name) for name in draw.choice(("A", "B", "AB")))
        self.formulas = [self._formula(3) for _ in range(6)]

    def _formula(self, depth: int) -> Formula:
        kind = self.draw.choice((*LEAVES, *(2 * OPERATORS if depth else ())))
        if kind in ("[][]_", "<><<>>_"):
            return kind[:2], (kind[2:], self.draw.choice("AB"))
        if kind in LEAVES:
            return kind, self.draw.choice("PQ" if kind == "state" else "AB")
        return kind, *(self._formula(depth - 1) for _ in range(1 if kind in ("~", "[]", "<>") else 2))

    @property
    def text(self) -> str:
        relations = (
            f"{name} == " + r" \/ ".join(rf"(x = {one} /\ x' = {other})" for one, other in pairs)
            for name, pairs in self.steps.items()
        )
        lines = [
            *("EXTENDS Naturals", "VARIABLE x", *relations, r"Next == A \/ B"),
            *(rf"{name} == x \in {_set(nodes)}" for name, nodes in self.states.items()),
            rf"Spec == x \in {_set(self.initial)} /\ [][Next]_x /\ {written(self.fairness)}",
            *(f"F{number} == {written(formula)}" for number, formula in enumerate(self.formulas)),
        ]
        return "\n".join(lines)

    @property
    def cfg(self) -> str:
        asked = " ".join(f"F{number}" for number in range(len(self.formulas)))
        return f"SPECIFICATION Spec PROPERTIES {asked} CHECK_DEADLOCK FALSE"

    def may_follow(self, node: int, other: int) -> bool:
        return node == other or (node, other) in self.allowed

    def lassos(self, most: int) -> Iterator[tuple[list[int], int]]:
        """Each behaviour with at most that many states before it repeats."""
        pending = [[node] for node in self.initial]
        while pending:
            word = pending.pop()
            yield from ((word, loop) for loop, node in enumerate(word) if self.may_follow(word[-1], node))
            if len(word) < most:
                pending += [[*word, node] for node in NODES if self.may_follow(word[-1], node)]

    def is_true(self, formula: Formula, word: list[int], loop: int, at: int = 0) -> bool:
        """The truth of a formula from a position of a lasso on, by its definition."""
        kind, *operands = formula
        if kind == "state":
            return word[at] in self.states[operands[0]]
        if kind in ("[]_", "<<>>_"):
            step = word[at], word[at + 1] if at + 1 < len(word) else word[loop]
            return step in self.steps[operands[0]] or (kind == "[]_" and step[0] == step[1])
        if kind in ("WF", "SF"):
            cycle = range(loop, len(word))
            enabled = [any(one == word[place] for one, _ in self.steps[operands[0]]) for place in cycle]
            taken = any(self.is_true(("<<>>_", operands[0]), word, loop, place) for place in cycle)
            return taken or not (all(enabled) if kind == "WF" else any(enabled))
        if kind in ("[]", "<>"):
            places = {*range(at, len(word)), *range(loop, len(word))}
            return (all if kind == "[]" else any)(self.is_true(operands[0], word, loop, place) for place in places)
        if kind == "~>":
            return self.is_true(("[]", ("=>", operands[0], ("<>", operands[1]))), word, loop, at)
        truths = [self.is_true(operand, word, loop, at) for operand in operands]
        if kind == "~":
            return not truths[0]
        if kind == "=>":
            return not truths[0] or truths[1]
        return truths[0] == truths[1] if kind == "<=>" else (all if kind == "/\\" else any)(truths)


def _set(numbers: Any) -> str:
    return f"{{{', '.join(map(str, sorted(numbers)))}}}"


def written(formula: Formula) -> str:
    """A formula of TLA+."""
    kind, *operands = formula
    if kind in MADE_OF_NAMES:
        return MADE_OF_NAMES[kind].format(*operands)
    *first, last = map(written, operands)
    return f"({first[0] if first else ''} {kind} {last})"


LASSOS = 4
SEEDS = range(28)


def compiled(case: Case) -> dict[str, bool | None]:
    """The verdicts of the compiled machine, which may have two on one property."""
    verdicts = dict[str, bool | None]()
    for verdict in search_compiled(module_of_text(module_of(case.text), case.cfg)()).verdicts:
        name = verdict.name.partition("_")[0]
        both = verdicts.get(name, True), verdict.holds
        verdicts[name] = False if False in both else None if None in both else True
    return verdicts


@pytest.mark.slow
def test_random_formulas_are_true_of_all_lassos_or_false_of_the_one_shown(monkeypatch):
    monkeypatch.setattr(plain, "MOST_SETTLED", 0)  # else this evaluator decides for the machine, too
    counts = dict.fromkeys((True, False), 0)
    unknown = dict.fromkeys((True, False), 0)
    for seed in SEEDS:
        case = Case(seed)
        fair = [lasso for lasso in case.lassos(LASSOS) if case.is_true(case.fairness, *lasso)]
        by_machine = compiled(case)
        for verdict, formula in zip(decided(case.text, case.cfg), case.formulas, strict=True):
            assert verdict.holds is not None
            word = [int(str(value)) for state in verdict.trace for value in state.values()]
            if verdict.holds:
                assert all(case.is_true(formula, *lasso) for lasso in fair), written(formula)
            elif verdict.loop is not None:
                assert word[0] in case.initial
                assert all(case.may_follow(*step) for step in pairwise([*word, word[verdict.loop]]))
                assert case.is_true(case.fairness, word, verdict.loop)
                assert not case.is_true(formula, word, verdict.loop), written(formula)
            else:  # however it goes on
                assert not any(case.is_true(formula, *lasso) for lasso in fair if lasso[0][: len(word)] == word)
            counts[verdict.holds] += 1
            if by_machine[verdict.name] is None:
                unknown[verdict.holds] += 1
            else:
                assert by_machine[verdict.name] is verdict.holds, written(formula)
    # The compiled machine leaves some unknown of each kind.
    assert (counts, unknown) == ({True: 92, False: 76}, {True: 44, False: 37})


# What is decided, and what is not ------------------------------------------------------------------------------------


def test_what_the_compiled_machine_leaves_unknown():
    lines, asked = properties(UNKNOWN)
    assert [verdict.holds for verdict in decided(MODULE + lines, f"SPECIFICATION Fair {asked}")] == [
        *(False, True, True, True, False, True, False)
    ]


def test_a_lasso_goes_to_the_nearest_fair_cycle():
    (verdict,) = decided(MODULE + "P == <>Ends", "SPECIFICATION Free PROPERTY P")
    assert (len(verdict.trace), verdict.loop) == (1, 0)


#: Formulas behind operators that take formulas and actions, LET and instances, with whether they hold under Strong.
WRITTEN = {
    "Again(F) == []<>F\nP == Again(x = 2)": False,
    "Leads(F, G) == F ~> G\nP == Leads(on, x = 1)": False,
    "Fairly(A, v) == WF_v(A)\nP == Fairly(Up, vars)": True,
    "Each(F(_)) == \\A n \\in 1 .. 2 : F(n)\nP == Each(LAMBDA n : <>(x = n))": True,
    "Each(F(_)) == \\A n \\in 1 .. 4 : F(n)\nPast(n) == <>(x = n)\nP == Each(Past)": False,
    "P == LET Last == 2 Done(n) == <>(x = n) IN Done(Last)": True,
    "P == IF 1 > 2 THEN [](x = on) ELSE <>(x = 2)": True,
    "P == 1 > 2 => <>(x = 7)": True,
    "P == 1 > 2 => \\A n \\in {}[1] : <>(x = n)": True,
    "P == ~(1 > 2 /\\ \\A n \\in {}[1] : <>(x = n))": True,
    "P == []<>(x = 2) => ([]<>on /\\ []<>(x = 0))": False,
    "P == (<>Ends) <=> ([]<>Ends)": True,
    "P == <>[]Ends /\\ x = 1": False,
    "P == (<>[](x = 7) \\/ []<>(x = 1 /\\ <>(x = 2))) => []<>(x = 0)": False,
}


@pytest.mark.parametrize("text", WRITTEN)
def test_formulas_are_found_behind_names(text):
    (verdict,) = decided(MODULE + text, "SPECIFICATION Strong PROPERTY P")
    assert (verdict.holds, verdict.why) == (WRITTEN[text], "")


UNDECIDED = {
    "P == \\A n \\in {x} : <>(x = n)": "M.tla:15:9: a temporal formula takes bounds that are constant sets",
    "P == <>(x = on)": "M.tla:15:9: an integer and a Boolean cannot be compared: 0 and FALSE",
    "P == []<>on -+-> <>Ends": "M.tla:15:6: this is no temporal formula that can be decided",
}


@pytest.mark.parametrize("text", UNDECIDED)
def test_what_cannot_be_decided_is_unknown_with_its_place(text):
    (verdict,) = decided(MODULE + text, "SPECIFICATION Strong PROPERTY P")
    assert (verdict.holds, verdict.why) == (None, UNDECIDED[text])


def test_a_product_that_is_too_large_leaves_a_property_unknown(monkeypatch):
    monkeypatch.setattr(liveness, "MOST_NODES", 10)
    (verdict,) = decided(MODULE + "P == on ~> <>[]~on", "SPECIFICATION Free PROPERTY P")
    assert (verdict.holds, verdict.why) == (None, "its product with the graph has more than 10 nodes")


PROMISES = "Low == [](x < 3)\nNear == [][x' < 4]_x\nEver == <>(x = 4)\nLater == <>(x > 0)\nBegins == y = 1\n"


def of_counter(asked: str) -> list[tuple[bool | None, int, int | None, str]]:
    verdicts = decided(COUNTER + PROMISES, f"SPECIFICATION Spec CHECK_DEADLOCK FALSE {asked}")
    return [(verdict.holds, len(verdict.trace), verdict.loop, verdict.why) for verdict in verdicts]


def test_a_state_that_a_constraint_leaves_out_is_judged_and_no_behaviour_goes_on_from_it():
    within = "within the constraints"
    assert of_counter("CONSTRAINT Bound PROPERTIES Low Near Ever") == [
        *((False, 3, None, ""), (True, 0, None, within), (False, 1, 0, ""))
    ]
    assert of_counter("PROPERTIES Low Near Begins Later") == [
        *((False, 3, None, ""), (False, 4, None, ""), (False, 1, None, ""), (False, 1, 0, ""))
    ]


def test_a_view_leaves_properties_unknown_and_symmetry_leaves_out_no_state():
    why = "one state stands for all with its VIEW, so that the behaviours are not known"
    assert of_counter("VIEW Odd PROPERTY Ever") == [(None, 0, None, why)]
    row = ROWS["fairness of Next alone"]
    (verdict,) = decided(row.text, f"{row.cfg} SYMMETRY Symmetric", *row.others)
    assert verdict.holds is False


def test_an_action_is_not_evaluated_on_a_step_that_stutters():
    text = COUNTER + "P == [][<<1>>[IF x' = x THEN 0 ELSE 1] = 1]_<<x, y>>"
    (verdict,) = decided(text, "SPECIFICATION Spec PROPERTY P")
    assert (verdict.holds, verdict.why) == (True, "")


def test_an_error_beyond_what_violates_a_property_does_not_hide_it():
    (verdict,) = decided(COUNTER + "P == [](x # 2 /\\ (x < 3 \\/ y[x] = 1))", "SPECIFICATION Spec PROPERTY P")
    assert (verdict.holds, len(verdict.trace)) == (False, 2)


def test_nothing_is_known_after_an_error():
    (verdict,) = decided(
        COUNTER + "P == <>(x = 2)\nBad == x # 2 \\/ y[x] = 1", "INIT Init NEXT Next INVARIANT Bad PROPERTY P"
    )
    assert (verdict.holds, verdict.why) == (None, "the search ended with an error")


@pytest.mark.parametrize(
    ("assumed", "message"),
    [("1 > 2", "M.tla:3:1: what is assumed here is false with these constants"), ("{}[1] = 1", "M.tla:3:8: ")],
)
def test_what_is_assumed_is_evaluated_before_the_search(assumed, message):
    text = COUNTER.replace("VARIABLES", f"ASSUME {assumed}\nVARIABLES")
    with pytest.raises(InputError) as refused:
        decided(text, "INIT Init NEXT Next")
    assert str(refused.value).startswith(message)


def test_a_lasso_of_a_wrong_automaton_is_not_reported(monkeypatch):
    """It is evaluated by the definitions of the operators once more."""
    monkeypatch.setattr(liveness, "after_step", lambda *asked: [(rest, frozenset()) for rest, _ in after_step(*asked)])
    with pytest.raises(AssertionError, match="the automaton accepts a behaviour that the formula does not"):
        decided(MODULE + "P == [](x = 0 => [](x # 7))", "SPECIFICATION Free PROPERTY P")
