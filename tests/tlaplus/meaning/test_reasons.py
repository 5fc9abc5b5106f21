"""Why an invariant of a module is false: the sentence names the smallest part, and what it read."""

import pytest

from tests.tlaplus.trees import module_of
from workbench import check
from workbench.kernel.meaning.properties import Fault, Place, Span
from workbench.showing.pictures import faults
from workbench.showing.view import trace_view
from workbench.tlaplus.machine.specification import module_of_text
from workbench.tlaplus.meaning import reasons

LEASES = [
    "EXTENDS Integers, FiniteSets, Sequences", "CONSTANT Procs", "VARIABLES x, leased, log",
    'Init == x = 0 /\\ leased = [p \\in Procs |-> "none"] /\\ log = <<>>',
    'Take(p) == /\\ leased[p] = "none" /\\ leased\' = [leased EXCEPT ![p] = "w"]',
    "           /\\ log' = Append(log, [who |-> p, n |-> x]) /\\ UNCHANGED x",
    "Up == x < 3 /\\ x' = x + 1 /\\ UNCHANGED <<leased, log>>",
    "Next == Up \\/ \\E p \\in Procs : Take(p)", 'Free(p) == leased[p] = "none"', "Taken == {p \\in Procs : ~Free(p)}",
    "At(n) == x = n", "Zero == LET here == At(0) IN here",
]  # fmt: skip

#: Invariants, and what is said of them where they are violated first.
SAID = {
    r"/\ x >= 0 /\ \A i \in 0..1 : x # 2 + i": "x # 2 + i is false for i = 0: x is 2",
    r"\A p \in Procs : Free(p)": 'leased[p] = "none" is false for p = a: leased[p] is "w"',
    r"\E p \in Procs : Free(p)": r"no p \in Procs has Free(p)",
    r"x > 0 => \E p \in Taken : Free(p)": r"no p \in Taken has Free(p): Taken is empty",
    r'leased \in [Procs -> {"none"}]': r'leased \in [Procs -> {"none"}] is false: leased[a] is "w"',
    r"log \in Seq([who : Procs, n : {0}])": r"log \in Seq([who: Procs, n: {0}]) is false: log[1].n is 1",
    r"x = 2 => Cardinality(Taken) = 1": "Cardinality(Taken) = 1 is false: Cardinality(Taken) is 0",
    r'~(x = 1 /\ \E p \in Procs : leased[p] = "w")': 'x = 1 is true; leased[p] = "w" is true for p = a',
    r"x < 2 \/ \A i \in 1..Len(log) : log[i].n < x": (
        "x < 2 is false: x is 2; log[i].n < x is false for i = 1: log[i].n is 2, x is 2"
    ),
    r"{i \in 0..3 : i < x} \subseteq {0}": (
        r"{i \in 0 .. 3 : i < x} \subseteq {0} is false: 1 is in {i \in 0 .. 3 : i < x} and not in {0}"
    ),
    r"IF x = 3 THEN LET z == x + 1 IN z = 5 ELSE TRUE": "z = 5 is false: z is 4",
    r"CASE x = 1 -> Zero [] OTHER -> TRUE": "x = n is false for n = 0: x is 1",
    r'[a |-> 1, n |-> x, b |-> 2] = [a |-> 1, n |-> 0, b |-> 2]': (
        '[a |-> 1, n |-> x, b |-> 2] = [a |-> 1, n |-> 0, b |-> 2] is false: they differ at "n": 1 and 0'
    ),
    r'log = <<>> \/ log[1] \in [who : Procs, m : {0}]': (
        r"log = <<>> is false: log is <<[who |-> a, n |-> 0]>>; "
        r"log[1] \in [who: Procs, m: {0}] is false: its fields are who, n"
    ),
    r"leased \in [{} -> {1}]": r"leased \in [{} -> {1}] is false: its domain is {a, b}",
    "~Zero": "x = n is true for n = 0",
}  # fmt: skip


@pytest.mark.parametrize("invariant", SAID)
def test_it_names_the_smallest_part_and_what_it_read(invariant):
    text = module_of(*LEASES, f"Inv == {invariant}")
    verdict = check(module_of_text(text, "CONSTANT Procs = {a, b} INIT Init NEXT Next INVARIANT Inv")())["Inv"]
    said = [part.rpartition(" (M.tla:")[0] for part in verdict.why.split("; ")]
    assert "; ".join(said) == SAID[invariant]


def test_each_part_has_its_place():
    head = ["EXTENDS Naturals", "VARIABLE x", "Init == x = 0", "Next == x < 5 /\\ x' = x + 1"]
    text = module_of(*head, "Low(n) ==", "  x < n", "Inv == Low(2)")
    model, steps = module_of_text(text, "INIT Init NEXT Next INVARIANT Inv")(), "[][x # 1]_x"
    assert check(model)["Inv"].why == "x < n is false for n = 2: x is 2 (M.tla:7:3)"
    (broken,) = trace_view(check(model, [steps])[steps].trace, properties=[steps]).steps[-1].broken
    assert broken.why == "x # 1 is false: x is 1 (the expression, column 4)", "before the step"


def test_where_the_evaluators_disagree_it_is_said(monkeypatch):
    text = module_of("VARIABLE x", "Init == x = 0", "Next == x' = x", "Inv == x = 1")
    monkeypatch.setattr(reasons, "holds", lambda *given: True)
    why = check(module_of_text(text, "INIT Init NEXT Next INVARIANT Inv")())["Inv"].why
    assert why == ("it is false, but the plain evaluator says: Inv is true. One of them is wrong; please report it")


def test_it_marks_the_cells_that_the_false_part_read():
    text = module_of(*LEASES, "Inv == /\\ x >= 0", r"       /\ \A p \in Procs : Free(p)")
    verdict = check(module_of_text(text, "CONSTANT Procs = {a, b} INIT Init NEXT Next INVARIANT Inv")())["Inv"]
    assert isinstance(verdict.why, Fault)
    assert verdict.why.places == (Place("leased", "a"),)
    assert [span.place for span in verdict.why.spans] == ["M.tla:10:12"]
    assert verdict.trace is not None
    (fault,) = faults(verdict.trace.model, verdict.trace.last, ["Inv"])
    assert (str(fault), fault.places) == (f"Inv: {verdict.why}", verdict.why.places)


#: Lines behind those of `SPANNED`, a false invariant among them, and the lines, columns and ends that are marked.
SPANNED = ["EXTENDS Naturals", "VARIABLE x", "Init == x = 1", "Next == UNCHANGED x"]
SPANS = [
    (["Inv == x # 2 /\\ x  >  1 /\\ x # 3"], [(6, 17, 24)]),
    (["Inv == /\\ x # 2", "       /\\ x +", "\t1 = 3 \\* no"], [(7, 11, 14), (8, 2, 7)]),
    (["Inv ==\t/\\ x # 1"], [(6, 11, 16)]),
    (["Inv == x > 1 (* not *) + 1 \\* at all"], [(6, 8, 27)]),
    (["Inv == x = 3 \\/ x = 4"], [(6, 8, 13), (6, 17, 22)]),
]


@pytest.mark.parametrize(("lines", "spans"), SPANS)
def test_a_false_part_is_marked_from_its_beginning_to_its_end(lines, spans):
    text = module_of(*SPANNED, *lines)
    why = check(module_of_text(text, "INIT Init NEXT Next INVARIANT Inv")())["Inv"].why
    assert isinstance(why, Fault)
    assert why.spans == tuple(Span("M.tla", *span) for span in spans)


def test_listings_mark_what_is_false_and_say_where():
    text = module_of(*SPANNED, "Inv ==", "\t/\\ x # 1")
    model = module_of_text(text, "INIT Init NEXT Next INVARIANT Inv")()
    shown = trace_view(check(model)["Inv"].trace)
    assert shown.marks == [[{"line": "M.tla:7", "from": 11, "to": 16, "place": "M.tla:7:5"}]]
    assert f'<li id="{shown.prefix}M.tla:7"><code>        /\\ x # 1</code></li>' in shown.html()
    assert "data-marks=" in shown.html()
    asked = check(model, ["x = 2"])["x = 2"]
    assert trace_view(asked.trace, properties=["x = 2"]).marks == [[]]  # no file has it


def test_a_part_that_makes_two_properties_false_is_marked_once():
    text = module_of(*SPANNED, "Part ==", "x # 1", "A == Part", "B == Part /\\ x > 0")
    model = module_of_text(text, "INIT Init NEXT Next INVARIANTS A B")()
    marked = {"line": "M.tla:7", "from": 0, "to": 5, "place": "M.tla:7:1"}
    assert trace_view(check(model)["A"].trace).marks == [[marked]]
