"""What a text says otherwise than it seems to is noted in the result, with its place; most of it TLC warns of."""

import pytest

from tests.tlaplus.trees import module_of
from workbench import Budget, WalkRule, simulate
from workbench.checking.check import check
from workbench.commands import cli
from workbench.kernel import InputError, ModelError
from workbench.tlaplus.layout import sample
from workbench.tlaplus.machine.specification import module_of_text

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


@pytest.mark.parametrize(
    ("size", "notes"), [(1, ["exchanges nothing; it takes sets of at least two model values"]), (2, [])]
)
def test_a_symmetry_that_exchanges_nothing_is_noted(size, notes):
    lines = ["CONSTANT S\nVARIABLE x\nSym == Permutations(S)", r"Init == x \in S", "Next == x' = x"]
    model = module_of_text(module_of("EXTENDS TLC", *lines), "CONSTANT S = {s1, s2}\nINIT Init NEXT Next\nSYMMETRY Sym")
    assert list(model(S=size).oversights()) == [f"M.cfg: line 3: SYMMETRY Sym {note}" for note in notes]


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
    monkeypatch.setattr(sample, "MOST_STATES", states)
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


AFTER = r"""EXTENDS Naturals, TLC
CONSTANT N
VARIABLE x
Init == x = 0
Next == x < 2 /\ x' = x + 1
Two == N = 2
Figures == TLCGet("distinct") = 3 /\ TLCGet("generated") = 3 /\ TLCGet("diameter") = 3
First == N = 2 /\ TLCGet("duration") = 0
Of == x = 2
Levels == TLCGet("diameter") = 2
Both == TLCGet("distinct") = 3 /\ x = 2
Number == 1 + N
"""
NO_FUNCTION = "TLCGet of the module TLC is not supported: its value is not a function of the state"
NO_STATE = "it speaks of a state, and after a search is none"
#: A POSTCONDITION, with its verdict or the note. TLC evaluates those that ask it something, and stops at others.
POSTCONDITIONS = [
    ("Two", 2, "holds", None),
    ("Two", 1, "violated", None),
    ("Figures", 1, "holds", None),
    ("Levels", 1, "violated", None),
    ("First", 1, "violated", None),
    (
        "First",
        2,
        None,
        "M.tla:9:19: TLCGet of the module TLC is not supported: its value is not a function of the state",
    ),
    ("Of", 2, None, NO_STATE),
    ("Both", 2, None, NO_STATE),
    ("Number", 2, None, "M.tla:13:1: 3 is not a boolean"),
]


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize(("name", "number", "word", "why"), POSTCONDITIONS)
def test_a_postcondition_is_judged_unless_only_tlc_can_tell(name, number, word, why, engine):
    cfg = f"CONSTANT N = {number} INIT Init NEXT Next CHECK_DEADLOCK FALSE POSTCONDITION {name}"
    result = check(module_of_text(module_of(AFTER), cfg)(), engine=engine)
    assert [(one.name, one.word, one.kind) for one in result.verdicts] == [(name, word, "postcondition")] * (not why)
    passed = [f"POSTCONDITION {name} is passed over: {why}"] if why else []
    assert [note for note in result.notes if note.startswith("POST")] == passed


FIGURES = r"""EXTENDS Naturals, TLC
VARIABLE x
s == TLCGet("stats")
Init == x \in {0, 1} \/ x = 1
Next == x < 3 /\ x' \in {x + 1, x}
Domain == DOMAIN s = {"queue", "distinct", "initial", "generated", "diameter", "duration", "worker"}
Fields == s.queue = 0 /\ s.distinct = 4 /\ s.initial = 3 /\ s.generated = 9 /\ s.diameter = 3
Queue == TLCGet("queue") = 0
Gone == TLCGet("queue") = 1
Level == TLCGet("level") = 0
Few == s["distinct"] < 4
Let == LET t == TLCGet("stats") IN t.distinct = t.initial + 1
Printed == PrintT(s)
Traces == s.traces = 0
Clock == s.duration < 100
Worker == s.worker = 0
"""
#: What TLC says of each (tlaplus/tlaplus cc6b616cf): Traces is an error; Clock and Worker hold there.
SAID = {
    "holds": ["Domain", "Fields", "Queue", "Level", "Let", "Printed"],
    "violated": ["Gone", "Few"],
    "unknown": ["Traces", "Clock", "Worker"],
}


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_figures_are_those_of_the_search_and_what_the_clock_tells_is_refused_by_name(engine):
    expected = {name: word for word, names in SAID.items() for name in names}
    cfg = f"INIT Init NEXT Next CHECK_DEADLOCK FALSE POSTCONDITIONS {' '.join(expected)}"
    result = check(module_of_text(module_of(FIGURES), cfg)(), engine=engine)
    assert {verdict.name: verdict.word for verdict in result.verdicts} == expected
    assert [result[name].why.partition(": ")[2] for name in SAID["unknown"][1:]] == [
        'TLCGet("stats").duration is not supported: it depends on the clock',
        'TLCGet("stats").worker is not supported: it numbers TLC\'s own threads',
    ]


def test_there_may_be_several_postconditions():
    text = "EXTENDS TLC, Integers", "VARIABLE x", "Init == x = 0", "Next == x' = x", 'Two == TLCGet("distinct") = 2'
    lines = *text, 'Some == TLCGet("generated") > 0'
    for statement in ("POSTCONDITION Some Two", "POSTCONDITIONS Some Two", "POSTCONDITION Some POSTCONDITION Two"):
        result = check(module_of_text(module_of(*lines), f"INIT Init NEXT Next {statement}")())
        assert (result["Some"].holds, result["Two"].holds) == (True, False)


def test_a_postcondition_is_judged_after_a_whole_search_alone():
    cfg = "CONSTANT N = 1 INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT Of POSTCONDITION Two"
    model = module_of_text(module_of(AFTER), cfg)()
    assert [one.word for one in check(model).verdicts] == ["violated", "violated"]
    cut = check(model, ["Two"], budget=Budget(states=1))
    assert (cut["Two"].word, cut["Two"].why.partition(":")[0]) == ("unknown", "the search is incomplete")
    assert (
        simulate(model, ["Two"], rule=WalkRule(walks=1))["Two"].why
        == "it is asked after a search of the whole space alone"
    )


def test_a_false_postcondition_ends_the_command_as_a_violation_does(tmp_path, capsys):
    (tmp_path / "M.tla").write_text(module_of(AFTER))
    (tmp_path / "M.cfg").write_text("CONSTANT N = 2 INIT Init NEXT Next CHECK_DEADLOCK FALSE POSTCONDITION Two")
    assert cli.main(["check", str(tmp_path / "M.tla")]) == 0
    assert "holds Two" in " ".join(capsys.readouterr().out.split())
    assert cli.main(["check", str(tmp_path / "M.tla"), "--set", "N=1"]) == 1
    assert "violated Two: it is false after the search" in " ".join(capsys.readouterr().out.split())


def test_a_postcondition_has_a_name_of_its_own():
    cfg = "CONSTANT N = 1\nINIT Init NEXT Next INVARIANT Two\nPOSTCONDITION Two"
    with pytest.raises(
        InputError, match=r"M\.cfg: line 3: Two is a property twice; POSTCONDITION takes a name of its own"
    ):
        module_of_text(module_of(AFTER), cfg)


COUNTED = r"""EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 3 /\ TLCSet(7, x) /\ TLCGet("level") < 9
Low == TLCGet("level") < 9
Returns == []<>(x = 0)
Asks == TLCGet(7) = x
"""


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_what_depends_on_the_level_is_known_of_first_visits_alone(engine):
    cfg = "INIT Init NEXT Next INVARIANT Low PROPERTY Returns"
    result = check(module_of_text(module_of(COUNTED), cfg)(), engine=engine)
    (low, returns, deadlock) = result.verdicts
    assert {low.within, deadlock.within} == {'the first visits that TLCGet("level") counts'}
    assert (returns.word, returns.why.split(", ")[0]) == ("unknown", 'states are told apart without TLCGet("level")')
    assert result.notes == ["M.tla:5:29: TLCSet sets nothing: a search here has no counters"]


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_a_counter_that_is_read_is_an_error(engine):
    model = module_of_text(module_of(COUNTED), "INIT Init NEXT Next INVARIANT Asks")()
    with pytest.raises(ModelError, match=r"^M\.tla:8:9: TLCGet .*is not supported"):
        check(model, engine=engine)
