"""A machine's plain check: TLC's verdicts, with behaviours that the machine can take again."""

import os
import signal
from typing import Any

import pytest

from tests.tlaplus.test_tla_liveness import UNKNOWN, model_of
from tests.tlaplus.test_tla_machine import COUNTER, ROWS, Row, lock
from tests.tlaplus.trees import module_of
from workbench import Budget, Watch, check
from workbench.kernel import InputError, ModelError, search
from workbench.kernel.meaning.trace import replay
from workbench.kernel.meaning.values import Map, Name, identity
from workbench.tlaplus.machine import plain as plainly
from workbench.tlaplus.machine.plain import as_kernel
from workbench.tlaplus.machine.specification import module_of_text
from workbench.tlaplus.meaning.search import search as search_plainly
from workbench.tlaplus.steps.steps import TextInstance


def machine_of(row: Row) -> Any:
    return module_of_text(module_of(row.text), row.cfg, row.others)()


WRONG = [name for name, row in ROWS.items() if row.wrong]


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG)
def test_behaviours_are_shown_with_the_machines_steps(name):
    machine, wrong = machine_of(ROWS[name]), ROWS[name].wrong
    violated = {verdict.name: verdict.trace for verdict in check(machine, engine="reference").violated}
    assert violated.keys() == wrong.keys()
    for name, states in wrong.items():
        trace = violated[name]
        assert (trace.loop is not None) if states is None else len(trace) == states
        assert trace == replay(machine, trace.start, trace.moves, trace.loop)


def test_a_result_has_the_figures_and_bounds_of_a_check():
    machine = machine_of(ROWS["constraint"])
    result = check(machine, engine="reference")
    assert (result.distinct, result.depth, result.generated) == (6, 3, 16)
    assert result.outside == search(machine).outside == 4
    assert [(v.name, v.kind, v.summary) for v in result.verdicts] == [
        ("Even", "invariant", "holds within the constraint"),
        ("Deadlock", "deadlock", "holds within the constraint"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("procs", [1, 2, 4])
def test_the_constants_are_the_machines(procs):
    machine = machine_of(lock("SPECIFICATION Spec INVARIANT TypeOK")).changed(Procs=procs, Limit=2)
    (plain, reference) = check(machine, engine="reference"), search(machine)
    assert (plain.distinct, plain.generated) == (reference.distinct, reference.generated)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["reference", "local"])
def test_what_no_search_of_the_machine_decides_is_decided_plainly(engine, monkeypatch):
    model = model_of("Fair", UNKNOWN)
    result = check(model, engine=engine)
    assert [verdict.holds for verdict in result.verdicts] == [False, True, True, True, False, True, False]
    assert all(verdict.why.endswith("decided by the plain evaluator") for verdict in result.verdicts)
    monkeypatch.setattr(plainly, "MOST_SETTLED", 1)
    assert {verdict.holds for verdict in check(model, engine=engine).verdicts} == {None}


def test_states_beyond_the_evaluators_bound_are_sought_at_most_once(monkeypatch):
    explored = list[Any]()

    def noted(*arguments: Any) -> Any:
        explored.append(arguments)
        return search_plainly(*arguments)

    monkeypatch.setattr(plainly, "search", noted)
    monkeypatch.setattr(plainly, "MOST_SETTLED", 1)
    model = model_of("Fair", UNKNOWN)
    assert {verdict.holds for verdict in check(model, engine="local").verdicts} == {None}
    assert not explored, "the search has found more states than that"
    plain = model.plain()
    assert [plain.settled(declared, 1) for declared in model.properties.values()] == [None] * len(model.properties)
    assert len(explored) == 1


@pytest.mark.parametrize(
    "formula", ["<>(1 = 2)", "[]<>(1 = 2)", r"\E i \in {} : <>(x = i)", "x < 9 ~> 1 = 2", "[](x < 9) /\\ <>(1 = 2)"]
)
def test_a_formula_that_is_false_whatever_happens_is_violated(formula):
    """The plain evaluator found no part of it to judge."""
    results = [check(model_of("Fair", [formula]), engine=engine) for engine in ("local", "reference")]
    for result in results:
        (verdict,) = (verdict for verdict in result.verdicts if verdict.kind == "liveness")
        assert verdict.holds is False


#: Rows with what bounds, merges or exchanges states, and with properties of steps.
COMPARED = [
    name for name, row in ROWS.items()
    if not row.wrong and any(word in row.cfg for word in ("SYMMETRY", "CONSTRAINT", "PROPERT"))
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPARED)
def test_figures_and_verdicts_are_those_of_a_search_of_the_machine(name):
    machine = machine_of(ROWS[name])
    plain, compiled = check(machine, engine="reference"), search(machine)
    for figure in ("distinct", "generated", "levels", "outside", "symmetry", "actions"):
        assert getattr(plain, figure) == getattr(compiled, figure)
    assert [(v.name, v.kind, v.word) for v in plain.verdicts] == [(v.name, v.kind, v.word) for v in compiled.verdicts]


def test_it_stops_at_the_first_violation_and_judges_only_what_is_asked():
    machine = module_of_text(module_of(COUNTER), "INIT Init NEXT Next INVARIANT Bound")()
    plain, compiled = (check(machine, engine=engine, fail_fast=True) for engine in ("reference", "local"))
    assert (plain.stopped, plain["Bound"].trace_states) == (compiled.stopped, compiled["Bound"].trace_states)
    assert check(machine, ["Deadlock"], engine="reference").verdicts == search(machine, ["Deadlock"]).verdicts


def test_a_text_that_the_plain_evaluator_lacks_a_module_for_is_searched_compiled_and_says_so():
    text = module_of("EXTENDS Json", "VARIABLE x", "Init == x = 1", "Next == x' = x")
    result = check(module_of_text(text, "INIT Init NEXT Next")(), engine="reference")
    assert (result.distinct, len(result.notes)) == (1, 1)
    assert result.notes[0].startswith("searched with what is compiled from the text, since the plain evaluator lacks")


def test_a_machine_with_other_steps_than_its_text_counts_none_and_says_so(monkeypatch):
    machine = machine_of(lock("SPECIFICATION Spec INVARIANT TypeOK"))
    whole = check(machine, engine="reference")
    run = TextInstance.run
    monkeypatch.setattr(TextInstance, "run", lambda self, *given: ([], {}) if self.number == 1 else run(self, *given))
    result = check(machine, engine="reference")
    assert (result.distinct, result.generated, result.actions) == (whole.distinct, whole.generated, [])
    assert result.notes[0].startswith("actions are not counted: the machine's next states differ from the text's in ")


def test_an_error_of_evaluation_has_its_behaviour():
    text = COUNTER + "Bad == x # 2 \\/ y[x] = 1"
    machine = module_of_text(module_of(text), "INIT Init NEXT Next INVARIANT Bad")()
    with pytest.raises(ModelError, match=r"M.tla:17:17: ") as met:
        check(machine, engine="reference")
    assert [state.x for state in met.value.trace.states] == [1, 2]


def test_what_is_violated_stays_so_beside_an_error():
    text = module_of(COUNTER + "Bad == x # 3 \\/ y[x] = 1\nP == <>(x = 2)")
    result = module_of_text(text, "SPECIFICATION Spec INVARIANTS Bound Bad PROPERTY P")()
    result = check(result, engine="reference")
    assert [(verdict.name, verdict.holds) for verdict in result.verdicts] == [
        *(("Bound", False), ("Bad", None), ("P", None), ("Deadlock", None))
    ]
    assert result.stopped == f"an error of the model: {result.error}"


def test_a_budget_of_states_ends_it_with_what_is_found():
    machine = machine_of(lock("SPECIFICATION Fair INVARIANTS TypeOK Small PROPERTY Served"))
    result = check(machine, engine="reference", budget=Budget(states=50))
    why = "the search is incomplete: the budget of 50 states is used up"
    said = "count < 2 is false: count is 2 (M.tla:35:10)"
    assert (result.distinct, sum(result.levels), result.complete) == (50, 50, False)
    assert [(v.name, v.holds, v.why) for v in result.verdicts] == [
        *(("TypeOK", None, why), ("Small", False, said), ("Served", None, why))
    ]


@pytest.mark.slow
def test_a_budget_of_seconds_ends_one_long_evaluation():
    text = module_of(
        "EXTENDS Naturals, FiniteSets",
        "VARIABLE x",
        "Init == x = 0",
        "Next == x' = Cardinality({s \\in SUBSET (1 .. 40) : 1 \\in s})",
    )
    machine = module_of_text(text, "INIT Init NEXT Next")
    result = check(machine(), engine="reference", budget=Budget(seconds=0.2))
    assert result.stopped == "the budget of 0.2 seconds is used up"


def test_progress_is_reported_and_a_caller_may_stop_it():
    met = list[int]()
    machine = machine_of(lock("SPECIFICATION Spec INVARIANT TypeOK"))
    result = check(machine, engine="reference", watch=Watch(lambda at: met.append(at.states), lambda: 9 in met))
    assert (result.stopped, result.distinct) == ("stopped on request", 9)
    assert list(dict.fromkeys(met)) == [*range(10)]


def test_an_interrupt_ends_it_with_what_is_found():
    machine = machine_of(lock("SPECIFICATION Spec INVARIANT TypeOK"))
    pressed = list[object]()  # once: a second time, it would end the test

    def press(progress: object) -> None:
        if not pressed:
            os.kill(os.getpid(), signal.SIGINT)
        pressed.append(progress)

    result = check(machine, engine="reference", watch=Watch(press))
    assert (result.stopped, result.interrupted) == ("interrupted", True)


def test_a_step_that_the_machine_lacks_is_an_error(monkeypatch):
    machine = machine_of(lock("SPECIFICATION Spec INVARIANT Small"))
    run = TextInstance.run
    monkeypatch.setattr(TextInstance, "run", lambda self, *given: ([], {}) if self.number == 1 else run(self, *given))
    with pytest.raises(ModelError, match=r"M: the machine has no step from "):
        check(machine, engine="reference")


def test_a_constant_that_no_configuration_can_write_is_refused():
    text = module_of("CONSTANT C", "VARIABLE x", "Init == x = C", "Next == x' = x")
    kind = module_of_text(text, "CONSTANT C = {} INIT Init NEXT Next")
    with pytest.raises(InputError, match=r"C = \(1, 2\) is not accepted here: a .cfg cannot write it"):
        kind(C="<<1, 2>>").plain()


VALUES = {
    "<<>>": (),
    '<<TRUE, -3, "a", m>>': (True, -3, '"a"', Name("m")),
    "{{}, {1}}": frozenset({frozenset(), frozenset({1})}),
    '[a |-> 1, b |-> "x"]': Map({'"a"': 1, '"b"': '"x"'}),
    "[i \\in {0, 2} |-> i]": Map({0: 0, 2: 2}),
    "[i \\in 1 .. 2 |-> {i}]": (frozenset({1}), frozenset({2})),
}


@pytest.mark.parametrize("written", VALUES)
def test_values_are_those_of_the_machine(written):
    text = module_of("EXTENDS Integers", "CONSTANT m", "VARIABLE x", f"Init == x = {written}", "Next == x' = x")
    machine = module_of_text(text, "CONSTANT m = m INIT Init NEXT Next")()
    (state,) = search_plainly(machine.plain().opened).states
    (value,) = map(as_kernel, state.values())
    (initial,) = machine.initial_states()
    assert identity(value) == identity(initial.x) == identity(VALUES[written])
