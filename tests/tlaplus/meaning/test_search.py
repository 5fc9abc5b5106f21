"""The plain evaluator's search gives TLC's figures, and the states of the compiled machine's reference search."""

from collections import Counter
from functools import cache
from typing import Any

import pytest

from tests.tlaplus.test_tla_machine import ROWS, Row
from tests.tlaplus.trees import module_of
from workbench.kernel import InputError, ModelError
from workbench.kernel.meaning.budget import Budget, Limits, Watch
from workbench.kernel.meaning.plan import make_plan
from workbench.kernel.meaning.search import Search
from workbench.tlaplus.compiler import actions
from workbench.tlaplus.config import closures
from workbench.tlaplus.layout import sample
from workbench.tlaplus.machine.specification import module_of_text
from workbench.tlaplus.meaning import turns
from workbench.tlaplus.meaning.environment import State
from workbench.tlaplus.meaning.opening import Opened, opened
from workbench.tlaplus.meaning.search import Graph, search
from workbench.tlaplus.meaning.standard import EXTENDED, MODULES
from workbench.tlaplus.names.loader import Library, load
from workbench.tlaplus.names.string_order import words_in
from workbench.tlaplus.syntax.cfg_parser import read_configuration
from workbench.tlaplus.values.lazy import force
from workbench.tlaplus.values.values import in_order, shown

#: This search leaves no state out for SYMMETRY; those that ask behaviours alone have the states of others.
PLAIN = {
    name: row
    for name, row in ROWS.items()
    if "SYMMETRY" not in row.cfg and ("INVARIANT" in row.cfg or "PROPERT" not in row.cfg)
}

SAMPLED = 3


@cache
def named(name: str) -> Graph:
    """The graph of one of the rows, which two tests ask for."""
    return graph_of(ROWS[name])


def graph_of(row: Row) -> Graph:
    return search(plainly_opened(row))


def plainly_opened(row: Row) -> Opened:
    texts = {text.split()[2]: text for text in (module_of(row.text), *row.others)}
    library = Library((), MODULES, EXTENDED, texts)
    specification, cfg = load("M", library), read_configuration(row.cfg)
    return opened(specification, cfg, [*cfg.words, *words_in(specification.module, library)])


def of_evaluator(graph: Graph) -> Any:
    """States as they are found, steps with how often each is taken, verdicts with their traces, the error's place."""
    rows = [tuple((one.name, str(value)) for one, value in sorted_by_name(state)) for state in graph.states]
    steps = Counter((rows[one], rows[other]) for one, others in enumerate(graph.successors) for other in others)
    wrong = {name: len(violation.trace) for name, violation in graph.violations.items()}
    failed = graph.failed and (str(graph.failed.failure.at), len(graph.failed.trace))
    return rows, steps, wrong, failed


def sorted_by_name(state: State) -> list[Any]:
    return sorted(state.items(), key=lambda pair: pair[0].name)


def of_machine(row: Row) -> Any:
    """The same of the compiled machine, by the reference search, with variables that are spread over cells.

    Those of few states have one cell each, unless the sample from which cells are learned has fewer.
    """
    model = module_of_text(module_of(row.text), row.cfg, row.others)()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sample, "MOST_STATES", SAMPLED)
        searching = Search(make_plan(model, None, None), Limits(Budget(), Watch()))
        for _ in searching.run():
            pass
    names = sorted(variable.name for variable in model.configured.specification.variables)
    with in_order(model.configured.order):
        rows = [tuple((one, shown(force(getattr(state, one)))) for one in names) for state in searching.states]
    steps = Counter(
        (rows[one], rows[other]) for one, moves in enumerate(searching.graph) for _, other in moves if other >= 0
    )
    kinds = {declared.name: declared.kind for declared in searching.plan.properties}
    wrong = {
        name: len(searching.trace_to(place))
        for name, place in searching.decided.items()
        if kinds[name] in ("invariant", "deadlock")
    }
    return rows, steps, wrong, searching.error


@pytest.mark.parametrize("name", PLAIN)
def test_figures_and_verdicts_are_those_of_tlc(name):
    row, graph = PLAIN[name], named(name)
    judged = {"Deadlock", *(entry.value for entry in read_configuration(row.cfg).invariants)}
    wrong = {name: states for name, states in row.wrong.items() if name in judged}
    assert {name: len(violation.trace) for name, violation in graph.violations.items()} == wrong
    if not row.wrong:
        assert graph.failed is None
        assert (len(graph.states), len(graph.levels), graph.generated) == (row.distinct, row.depth, row.generated)


#: A VIEW keeps one of several states, which depends on the order in which they are found.
WHOLE = [name for name in PLAIN if "VIEW" not in PLAIN[name].cfg]


@pytest.mark.slow
@pytest.mark.parametrize("name", WHOLE)
def test_states_and_transitions_are_those_of_the_compiled_machine(name):
    (*evaluated, failed), (*compiled, error) = of_evaluator(named(name)), of_machine(PLAIN[name])
    assert evaluated == compiled
    assert failed is None or failed[0] in str(error)


_STEPS = "INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANTS"
#: In `told` are the values of expressions about the state before.
SETS = r"""EXTENDS Integers, FiniteSets
VARIABLES n, s, t, told
Init == n = 0 /\ s = {} /\ t = {} /\ told = <<>>
Next == /\ n < 3 /\ n' = n + 1
        /\ t' = t \cup {n}
        /\ \/ s' = t \cup {n} \/ s' = t \ {0} \/ s' = s
        /\ told' = <<s = t, {} = s, s \subseteq t, t \subseteq 0..1, s \in SUBSET t, t \in {{0}, {0, 1}}, 1 \in s,
                     Cardinality(t \cup {5}), s \cup t, t \ s, s \cap t, {m \in t : m > 0}, s' = t, t \cup {7} = s,
                     2 \in t \ {2}, 7 \in s \cup {7}, t \cup {n} = t'>>
Few == \A m \in t : m < 2
Low == t \subseteq 0..1 /\ s \in {t, {}, {1}}
"""
FUNCTIONS = r"""EXTENDS Integers, Sequences, TLC
VARIABLES n, f, g, q, h, told
Init == n = 0 /\ f = [k \in 1..3 |-> 0] /\ g = f /\ q = <<>> /\ h = [a |-> {}] /\ told = <<>>
Next == /\ n < 3 /\ n' = n + 1
        /\ \E k \in {1, n + 1} : f' = [f EXCEPT ![k] = @ + n']
        /\ g' = f \/ g' = [f EXCEPT ![1] = 0] \/ g' = g
        /\ q' = Append(q, n)
        /\ h' = IF n = 1 THEN h @@ [b |-> {}] ELSE [h EXCEPT !.a = @ \cup {n}]
        /\ told' = <<f = g, f[n + 1], DOMAIN q, DOMAIN h, Len(q), q \o <<9>>, f \in [1..3 -> 0..3], q \in Seq({0}),
                     [f EXCEPT ![1] = 0] = g, h @@ [c |-> 1], q = <<0, 1>>, h = [a |-> {0}], f' = g, "b" \in DOMAIN h,
                     [h EXCEPT !.a = @ \ {0}], f \in {g, g'}, h.a \subseteq {0}, [f EXCEPT ![9] = @ + 1]>>
Type == f \in [1..3 -> 0..3]
Below == \A k \in 1..3 : f[k] \in 0..n
Some == \E k \in DOMAIN f : f[k] = n
"""
CHANGING = r"""EXTENDS Integers, Sequences, TLC
CONSTANT m
VARIABLES n, v, w, told
Init == n = 0 /\ v = <<>> /\ w = m :> {} /\ told = <<>>
Next == /\ n < 4 /\ n' = n + 1
        /\ v' = IF n < 3 THEN Append(v, n) ELSE {n}
        /\ \/ w' = w @@ <<n>> :> {} \/ w' = [w EXCEPT ![m] = @ \cup {n}]
        /\ told' = <<DOMAIN w, <<1>> \in DOMAIN w, w[m], w = m :> {}, w @@ <<7>> :> {1}, w' = w, DOMAIN w'>>
Alone == DOMAIN w \subseteq {m, <<0>>, <<1>>}
"""
OVER_CELLS = {
    "sets": Row(SETS, f"{_STEPS} Few Low", 17, 4, 25, {"Few": 4, "Low": 3}),
    "domains and kinds that change": Row(CHANGING, f"{_STEPS} Alone CONSTANT m = m", 31, 5, 31, {"Alone": 4}),
    "functions": Row(FUNCTIONS, f"{_STEPS} Type Below Some", 24, 4, 34, {"Type": 4, "Below": 3, "Some": 3}),
}


@pytest.mark.parametrize("name", OVER_CELLS)
def test_values_over_cells_are_those_of_the_evaluator_and_of_tlc(name, monkeypatch):
    """With more members than a quantifier asks one by one."""
    for module in (closures, turns):
        monkeypatch.setattr(module, "MOST_CASES", 2)
    row = OVER_CELLS[name]
    graph = graph_of(row)
    assert (len(graph.states), len(graph.levels), graph.generated) == (row.distinct, row.depth, row.generated)
    evaluated = of_evaluator(graph)
    assert evaluated[2] == row.wrong
    assert of_machine(row) == evaluated


def test_a_compiler_that_takes_all_for_some_is_noticed(monkeypatch):
    """It once did so in Next, and every engine with it."""
    monkeypatch.setattr(actions, "_for_all", actions._exists)
    noticed = set()
    for name, row in ROWS.items():
        if r"\A in Next: " in name:
            mutant = of_machine(row._replace(text=row.text + "\\* compiled anew"))
            if mutant != of_evaluator(named(name)):
                noticed.add(name.removeprefix(r"\A in Next: "))
    assert noticed == {"Plain", "Behind", "Beside", "Let", "States"}


HEAD = r"""EXTENDS Integers, Sequences, TLC
VARIABLES x, y
Init == x = 0 /\ y = <<1>>
Step == x < 3 /\ x' = x + 1 /\ y' = y
"""
#: Lines from line 6 on, with the place and the length of the trace of the error.
ERRORS = {
    "outside of a domain": ("Next == Step /\\\n   y[x] = 1\nInv == TRUE", "7:4", 1),
    "outside of a domain, in an invariant": ("Next == Step\nInv ==\n  y[1 + x] = 1", "8:3", 2),
    "an integer and a string": ('Next == Step\nInv == x < 2 \\/ x = "a"', "7:17", 3),
    "an integer and a tuple in a set": ("Next == Step\nInv == {x, y} # {}", "7:8", 1),
    "CHOOSE": ("Next == Step\nInv == (CHOOSE i \\in {1, 2} : i > x) > 0", "7:9", 3),
    "used before it is assigned": ("Next == x' = y'[1] /\\ y' = y\nInv == TRUE", "6:14", 1),
    "never assigned": ("Next ==\n x' = x + 1\nInv == TRUE", "6:1", 1),
    "CASE": ("Next == Step\nInv == CASE x < 2 -> TRUE [] x > 4 -> FALSE", "7:8", 3),
    "CASE in an action": ("Next == CASE x < 2 -> Step [] x > 4 -> Step\nInv == TRUE", "6:9", 3),
    "an infinite set": ("Next == Step /\\\n \\E i \\in Nat : i > x\nInv == TRUE", "7:2", 1),
    "an infinite set in an action": ("Next == \\E i \\in Nat : x' = i /\\ y' = y\nInv == TRUE", "6:9", 1),
    "an infinite set to begin with": ("Start == x \\in Nat /\\ y = 0\nNext == Step\nInv == TRUE", "6:10", 0),
    "no Boolean": ("Next == Step\nInv == x < 2 /\\ x", "7:17", 1),
    "no Boolean, negated": ("Next == Step\nInv == ~x", "7:9", 1),
    "no Boolean in an IF": ("Next == Step\nInv == IF x THEN TRUE ELSE FALSE", "7:11", 1),
    "Assert": ('Next == Step /\\ Assert(x < 1, "no")\nInv == TRUE', "6:17", 2),
    "no set": ("Next == Step\nInv == x < 2 \\/ x \\in y", "7:17", 3),
    "no member of SUBSET": ("Next == Step\nInv == x \\notin SUBSET {1}", "7:8", 1),
    "an operator of a module": ("Next == x' = x + 1 /\\ y' = Tail(y)\nInv == Head(y) > 0", "7:8", 2),
    "no field": ("Next == Step\nInv == [a |-> x].b = 1", "7:8", 1),
    "in a definition": ("Next == Step\nThird(s) == s[3]\nInv == x < 1 \\/ Third(y) = 1", "7:13", 2),
    "in a LET": ("Next == Step\nInv == LET z == y[x]\n IN x < 2 => z = 1", "7:17", 1),
    "32 bits": ("Next == Step\nInv == x + 2147483646 > 0", "7:8", 3),
    "an integer and a Boolean in a set over cells": (
        "Start == x = 0 /\\ y = {}\nNext == x < 3 /\\ x' = x + 1 /\\ y' = y \\cup {x}\n"
        "Inv ==\n x < 2 \\/ 5 \\in (y \\cup {5}) \\cup {TRUE}",
        "9:17",
        3,
    ),
    "no number": ("Next == Step\nInv == x <= (y = y)", "7:8", 1),
    "32 bits, below": ("Next == Step\nInv == -2147483647 - x < 0", "7:8", 3),
    "32 bits, above": ("Next == Step\nInv == x - (-2147483646) > 0", "7:8", 3),
}
#: The compiled machine names the disjunct here.
OTHERWISE = {"never assigned": "7:2"}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_have_their_places_and_traces(name):
    text, at, states = ERRORS[name]
    start = "Start" if "Start ==" in text else "Init"
    row = Row(HEAD + text, f"INIT {start} NEXT Next INVARIANT Inv CHECK_DEADLOCK FALSE")
    assert of_evaluator(graph_of(row))[-1] == (f"M.tla:{at}", states)
    try:
        error = of_machine(row)[-1]
    except ModelError as before:
        error = before
    assert str(error).startswith(f"M.tla:{OTHERWISE.get(name, at)}: ")


@pytest.mark.slow
@pytest.mark.parametrize(("steps", "states"), [("x' = Sum(500) % 7", 2), ("x' = Sum(-1)", None)])
def test_recursion_may_be_deep_and_endless_recursion_is_an_error(steps, states):
    text = f"""EXTENDS Integers
VARIABLE x
RECURSIVE Sum(_)
Sum(n) == IF n = 0 THEN 0 ELSE n + Sum(n - 1)
Init == x = 0
Next == {steps}
"""
    graph = graph_of(Row(text, "INIT Init NEXT Next"))
    assert (None if graph.failed else len(graph.states)) == states
    assert graph.failed is None or len(graph.failed.trace) == 1


@pytest.mark.parametrize(
    ("asked", "generated"), [("a = TRUE /\\ a /\\ Inc", 4), ("(a => a) /\\ Inc", 4), ("a /\\ a = TRUE /\\ Inc", 7)]
)
def test_an_argument_whose_value_is_known_has_one_way(asked, generated):
    """As TLC has it, which takes the value that it knows; the compiled machine goes on twice in all of these."""
    text = f"""EXTENDS Integers
VARIABLE x
Inc == x' = (x + 1) % 3
Asked(a) == {asked}
Init == x = 0
Next == x < 5 /\\ Asked(TRUE \\/ x = x)
"""
    graph = graph_of(Row(text, "INIT Init NEXT Next"))
    assert (len(graph.states), graph.generated) == (3, generated)


BEHAVIOUR = r"""EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 3
Spec == /\ Init
        /\ [][Next]_x
        /\ {conjunct}
"""


@pytest.mark.parametrize(
    ("conjunct", "why"),
    [
        ("[](x < 2)", "a specification has initial predicates, "),
        (r"\A i \in {1, 2} : [][x' # i]_x", "a specification has initial predicates, "),
        ("[](x < 2) /\\ <>(x = 1)", "a specification has initial predicates, "),
        ("x' = 1", "this is no temporal formula that can be decided"),
    ],
)
def test_a_conjunct_of_a_specification_that_bounds_its_behaviours_is_refused(conjunct, why):
    """It was passed over."""
    with pytest.raises(InputError, match=rf"M.tla:8:12: {why}"):
        graph_of(Row(BEHAVIOUR.format(conjunct=conjunct), "SPECIFICATION Spec"))


@pytest.mark.parametrize("conjunct", ["WF_x(Next)", "[]<>(x = 2)", r"\A i \in {1, 2} : WF_x(Next /\ x # i)"])
def test_liveness_in_a_specification_leaves_no_state_out(conjunct):
    assert len(graph_of(Row(BEHAVIOUR.format(conjunct=conjunct), "SPECIFICATION Spec")).states) == 3
