"""What a text says otherwise than it seems to is noted in the result, with its place; most of it TLC warns of."""

import pytest

from tests.tlaplus.trees import module_of
from workbench.checking.check import check
from workbench.tlaplus import sampling
from workbench.tlaplus.specification import module_of_text

NOTED = r"""EXTENDS Naturals
VARIABLES x, y, z
vars == <<x, y, z>>
Init == x = 0 /\ y = 0 /\ z = 0
Next == x < 2 /\ x' = x + 1 /\ UNCHANGED <<y, z>>
Small == x < 3
Same == 1 + 1 = 2
Always == []Small
Whole == Init /\ [][Next]_vars /\ WF_vars(Next)
Parts == Init /\ [][Next]_<<x, <<z>>, y + 1>>
Sum == Init /\ [][Next]_(x + y)
Fair == Init /\ [][Next]_vars /\ WF_<<x, z>>(Next) /\ SF_x(x = 1 /\ Next) /\ \A n \in {1, 2} : WF_x(x = n /\ Next)
"""
FREE = "steps that change nothing else are allowed, and no search takes them"
UNCOUNTED = "steps that change nothing else do not count"
#: A configuration, and the notes. TLC warns of the same, but of no subscript of fairness.
NOTES = [
    ("SPECIFICATION Whole INVARIANT Small\nPROPERTIES Always\nSame", []),
    (
        "SPECIFICATION Whole\nPROPERTIES Always\nSmall",
        ["M.cfg: line 3: PROPERTY Small asks initial states alone; INVARIANT Small asks every state"],
    ),
    (
        "SPECIFICATION Parts",
        [f"M.tla:11:27: the subscript of Next lacks y: {FREE}"],
    ),
    (
        "SPECIFICATION Sum",
        [f"M.tla:12:26: the subscript of Next lacks x, y, z: {FREE}"],
    ),
    (
        "SPECIFICATION Fair",
        [
            f"M.tla:13:37: the subscript of WF lacks y: {UNCOUNTED}",
            f"M.tla:13:58: the subscript of SF lacks y, z: {UNCOUNTED}",
            f"M.tla:13:99: the subscript of WF lacks y, z: {UNCOUNTED}",
        ],
    ),
    ("INIT Init NEXT Next", []),
]


@pytest.mark.parametrize(("cfg", "notes"), NOTES)
def test_what_is_asked_or_said_of_less_than_it_seems_is_noted(cfg, notes):
    model = module_of_text(module_of(NOTED), f"{cfg} CHECK_DEADLOCK FALSE")
    assert [note for note in check(model(), engine="local").notes if note.startswith("M.")] == notes


MET = r"""EXTENDS Naturals
VARIABLES x, rows
Put(f, k) == [f EXCEPT ![k] = 1]
Init == x = 0 /\ rows = [k \in {2, 4} |-> [n |-> 0, at |-> <<0>>]]
Step == x < 3 /\ x' = x + 1
"""
OUT, OF_A_ROW = "EXCEPT changes nothing: {} is not in the domain of", "[n |-> 0, at |-> <<0>>]"
#: The rest of Next, and the place and the text of a note. TLC warns of the same, once for each place.
NOTICED = [
    ("rows' = [rows EXCEPT ![2].n = x]", []),
    ("rows' = [rows EXCEPT ![x].n = 1]", ["8:25", f"{OUT.format(0)} (2 :> {OF_A_ROW} @@ 4 :> {OF_A_ROW})"]),
    ("rows' = [rows EXCEPT ![2].m = 1]", ["8:25", f"{OUT.format(chr(34) + 'm' + chr(34))} {OF_A_ROW}"]),
    ("rows' = [rows EXCEPT ![4].n = 1, ![2].at[x] = 1]", ["8:25", f"{OUT.format(0)} <<0>>"]),
    (r"rows' = [k \in {2, 4} |-> [n |-> Put(<<1>>, rows[k].n)[1], at |-> <<0>>]]", ["4:14", f"{OUT.format(0)} <<1>>"]),
    ("UNCHANGED <<rows, x>>", ["8:17", "UNCHANGED excludes a step that has changed x before"]),
    ("UNCHANGED rows /\\ x' = x + 1", []),
    (
        r"(ENABLED (x' = 5 /\ UNCHANGED x) \/ rows' = rows)",
        ["8:37", "UNCHANGED excludes a step that has changed x before"],
    ),
]


@pytest.mark.parametrize("states", [0, 1, 30])
@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize(("rest", "note"), NOTICED)
def test_what_an_evaluation_passes_over_is_noted_once_for_each_place(rest, note, engine, states, monkeypatch):
    """Whether variables are spread over cells, for which a sample of so many states is taken, makes no difference."""
    monkeypatch.setattr(sampling, "MOST_STATES", states)
    model = module_of_text(module_of(MET, rf"Next == Step /\ {rest}"), "INIT Init NEXT Next")()
    notes = [f"M.tla:{note[0]}: {note[1]}"] if note else []
    assert [note for note in check(model, engine=engine).notes if note.startswith("M.")] == notes
    assert list(model.oversights()) == notes, "a second time the same, since the machine keeps the answers"
    assert [note for note in check(model, engine=engine).notes if note.startswith("M.")] == notes


def test_notes_are_those_of_one_machine():
    text = module_of(
        "EXTENDS Naturals\nCONSTANT K\nVARIABLE f", "Init == f = <<0>>", "Next == f' = [f EXCEPT ![K] = 1]"
    )
    model = module_of_text(text, "CONSTANT K = 1 INIT Init NEXT Next")
    inside, outside = model(), model(K=2)
    assert check(outside).notes == ["M.tla:6:14: EXCEPT changes nothing: 2 is not in the domain of <<0>>"]
    assert check(inside).notes == []


def test_notes_come_in_the_order_of_the_text():
    lines = [
        r"Later == f' = [f EXCEPT ![7] = 1]",
        r"Next == (x = 0 /\ x' = 1 /\ f' = [f EXCEPT ![9] = 1]) \/ (x = 1 /\ x' = 2 /\ Later)",
    ]
    text = module_of("EXTENDS Naturals\nVARIABLES x, f", r"Init == x = 0 /\ f = <<0>>", *lines)
    notes = check(module_of_text(text, "INIT Init NEXT Next CHECK_DEADLOCK FALSE")()).notes
    assert [note.partition(":")[2].partition(" ")[0] for note in notes[-2:]] == ["5:15:", "6:34:"]
