"""Questions to a module in its own language: definitions that its configuration does not list, and expressions."""

import pickle
from functools import partial

import pytest

from tests.tlaplus.trees import module_of
from workbench import check, scenario
from workbench.commands import cli
from workbench.formats.expression import Expression, example_of, placeholder_of
from workbench.kernel import InputError, search
from workbench.storage.identity import Identity
from workbench.tlaplus.machine.specification import module_of_text

STEPS = r"""EXTENDS Naturals, FiniteSets
CONSTANT Most
VARIABLES x, seen
vars == <<x, seen>>
Init == x = 0 /\ seen = {}
Next == x < Most /\ x' = x + 1 /\ seen' = seen \cup {IF x = 1 THEN "a" ELSE "b"}
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
Small == x < 2
Ends == <>(x = Most)
Below(n) == x < n
"""
MODEL = module_of_text(module_of(STEPS), "SPECIFICATION Spec CONSTANT Most = 3 CHECK_DEADLOCK FALSE")
plainly = partial(check, engine="reference")
#: What is asked, and the verdicts: their names, kinds, words, and for a violation the number of states.
ASKED = [
    ("Small", [("Small", "invariant", "violated", 3)]),
    ("Ends", [("Ends", "liveness", "holds", None)]),
    ("x < 3", [("x < 3", "invariant", "violated", 4)]),
    (r"Below(4) /\ x \in Nat", [(r"Below(4) /\ x \in Nat", "invariant", "holds", None)]),
    ("1 + 1 = 2", [("1 + 1 = 2", "invariant", "holds", None)]),
    ('seen # {"a"}', [('seen # {"a"}', "invariant", "holds", None)]),
    ('"a" \\notin seen  \\* never', [('"a" \\notin seen  \\* never', "invariant", "violated", 3)]),
    ("[][x' = x + 1]_x", [("[][x' = x + 1]_x", "step", "holds", None)]),
    ("[][x # 1]_x", [("[][x # 1]_x", "step", "violated", 3)]),
    ("[]<>(x = 2)", [("[]<>(x = 2)", "liveness", "violated", 4)]),
    (
        "[](x < 4) /\\ <>(x = 3)",
        [
            ("[](x < 4) /\\ <>(x = 3)_safety", "invariant", "holds", None),
            ("[](x < 4) /\\ <>(x = 3)_liveness", "liveness", "holds", None),
        ],
    ),
]


@pytest.mark.parametrize("searched", [search, plainly])
@pytest.mark.parametrize(("asked", "verdicts"), ASKED)
def test_definitions_and_expressions_are_judged_by_what_they_are(searched, asked, verdicts):
    result = searched(MODEL(), asked)
    found = [(v.name, v.kind, v.word, None if v.trace is None else len(v.trace)) for v in result.verdicts]
    assert found == verdicts


#: What is asked, and the end of the message.
REFUSED = [
    ("Smal", "unknown property or definition of M 'Smal' (did you mean Small?); known: "),
    ("x < 2 /\\ Cardinalty(seen) < 2", "column 10: unknown name Cardinalty (did you mean Cardinality?)"),
    ("x <", "'x <' is not accepted: column 4: it is not complete"),
    ("x == 1", "'x == 1' is not accepted: column 4: syntax error: found '='; == defines a name, and = compares"),
    ("x < 1 )", "'x < 1 )' is not accepted: column 7: syntax error: found ')'"),
    ("x = 1 A == x", "'x = 1 A == x' is not accepted: column 1: it takes one expression, and nothing beside it"),
    ("x = 1 ====", "'x = 1 ====' is not accepted: column 1: it takes one expression, and nothing beside it"),
    ("x = 1\n/\\ x = 2", "column 6: it takes one line, with parentheses"),
    ("x' = 1", '"x\' = 1" is not accepted: it is an action; behaviours are asked with [][A]_v and <>P'),
    ("(x')' = 1", "is not accepted: column 1: ' takes what is of a state, not of an action"),
    ("Next", "'Next' is not accepted: it is an action; behaviours are asked with [][A]_v and <>P"),
    ("Below", "'Below' is not accepted: Below takes 1 argument; it takes an expression, such as Below(...)"),
    ("Below(1, 2)", "'Below(1, 2)' is not accepted: column 1: Below takes 1 argument, not 2"),
    ("x + 1", "'x + 1' is not accepted: it is a number; a property is TRUE or FALSE, as in x + 1 = ..."),
    ("{x}", "'{x}' is not accepted: it is a set; a property is TRUE or FALSE, as in ... \\in {x}"),
    ("s.x < 2", "'s.x < 2' is not accepted: column 1: unknown name s"),
]


@pytest.mark.parametrize(("asked", "message"), REFUSED)
def test_what_is_no_question_is_refused_in_one_line_with_its_column(asked, message):
    with pytest.raises(InputError) as refused:
        MODEL().asking([asked])
    assert message in str(refused.value)
    assert "\n" not in str(refused.value).replace("\\n", "")


def test_a_module_without_states_is_not_asked_about_them():
    model = module_of_text(module_of("EXTENDS Naturals", "ASSUME 1 < 2"))
    with pytest.raises(InputError, match=r"'1 = 2' is not accepted: M\.cfg names no behaviour, and so there are no "):
        model().asking(["1 = 2"])


def test_a_property_with_the_name_of_an_action_constraint_is_judged_by_itself():
    cfg = "INIT Init NEXT Next CONSTANT Most = 3 CHECK_DEADLOCK FALSE ACTION_CONSTRAINT Small"
    model = module_of_text(module_of(STEPS), cfg)
    for searched in (search, plainly):
        (verdict,) = searched(model(), "Small").verdicts
        assert (verdict.word, len(verdict.trace)) == ("violated", 3)


def test_a_machine_that_was_asked_is_the_same_elsewhere_and_with_other_constants():
    asked, names = MODEL().asking(["x < 3", "Small"])
    assert type(MODEL().asking(["Small", "x < 3"])[0]) is type(asked)
    assert names == ("x < 3", "Small")
    assert asked.asking(["Small"])[0] is asked
    sent = pickle.loads(pickle.dumps(asked))
    assert [verdict.word for verdict in plainly(sent, names).verdicts] == ["violated", "violated"]
    assert [verdict.word for verdict in plainly(asked.changed(Most=1), names).verdicts] == ["holds", "holds"]
    identity = Identity.of(asked, names)
    assert identity.rebuild(MODEL, "the run").properties.keys() >= {"x < 3", "Small"}


def test_the_command_takes_what_the_configuration_does_not_list(tmp_path, capsys):
    (tmp_path / "M.tla").write_text(module_of(STEPS))
    (tmp_path / "M.cfg").write_text("SPECIFICATION Spec CONSTANT Most = 3 CHECK_DEADLOCK FALSE")
    target = str(tmp_path / "M.tla")
    assert cli.main(["check", target, "--property", "x < 4", "--property", "Ends", "--engine", "reference"]) == 0
    assert cli.main(["check", target, "--property", "y < 4"]) == 2
    assert capsys.readouterr().err == "workbench: 'y < 4' is not accepted: column 1: unknown name y\n"


# Conditions, watches and scenarios -----------------------------------------------------------------------------------

NAMES = r"""CONSTANTS Writers
VARIABLES done, log
Init == done = {} /\ log = <<>>
Write(w) == w \notin done /\ done' = done \cup {w} /\ log' = [k \in DOMAIN log \cup {w} |-> "yes"]
Next == \E w \in Writers : Write(w)
"""
WRITERS = module_of_text(module_of(NAMES), "INIT Init NEXT Next CONSTANT Writers = {w1, w2} CHECK_DEADLOCK FALSE")
#: An expression, its value in the initial state, whether it is true there, and its remark.
READ = [
    ("done = {}", "TRUE", True, None),
    ("done # {}  \\* nobody yet", "FALSE", False, None),
    (r"\A w \in Writers : w \notin done", "TRUE", True, None),
    ("{w1} \\cup done", "{w1}", False, "{w1} \\cup done is neither TRUE nor FALSE: it is no condition"),
    ("w1 # w2", "TRUE", True, "w1 # w2 does not depend on the state: as a condition it is always TRUE"),
    (
        "s.done == self.initial_states()[0].done and 1 == 1",
        "TRUE",
        True,
        "s.done == self.initial_states()[0].done and 1 == 1 is Python, which a module takes for the last time; "
        "write TLA+, without the s.",
    ),
    (
        "s.done == s.done",
        "TRUE",
        True,
        "s.done == s.done is Python, which a module takes for the last time; write done = done",
    ),
]


@pytest.mark.parametrize(("text", "value", "true", "remark"), READ)
def test_an_expression_of_a_modules_state_is_tla(text, value, true, remark):
    model = WRITERS()
    expression = Expression(model, text)
    assert (*expression.read(model.initial_states()[0]), expression.remark) == (value, true, remark)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("s.done # {}", "'s.done # {}' is not accepted: column 1: unknown name s; write done # {}"),
        ("done = {w3}", "'done = {w3}' is not accepted: column 9: unknown name w3"),
        ("done' = {}", "it speaks of steps; it takes an expression of a state"),
        ("[](done = {})", "it speaks of behaviours; it takes an expression of a state"),
        ("log[w1] = 1", "in the initial state, the expression, column 1: "),
    ],
)
def test_what_is_no_expression_of_a_state_is_refused(text, message):
    with pytest.raises(InputError) as refused:
        Expression(WRITERS(), text)
    assert message in str(refused.value)


def test_expressions_name_the_model_values_that_the_machine_has():
    model = WRITERS(Writers=["a", "b"])
    assert Expression(model, "a \\notin done").holds(model.initial_states()[0])
    for searched in (search, plainly):
        (verdict,) = searched(model, "done # {a, b}").verdicts
        assert verdict.word == "violated"
    with pytest.raises(InputError, match="unknown name w1"):
        Expression(model, "w1 \\in done")


def test_the_example_of_a_module_is_a_condition_of_its_own():
    model = WRITERS()
    assert example_of(model) == "done = {}"
    assert placeholder_of(model) == "TLA+, such as  done = {}"
    assert Expression(model, example_of(model)).holds(model.initial_states()[0])


#: The lines of a scenario, and what is said of it.
STORIES = [
    ("Write(w2)  \\* first\n\n\\* then\ndone # {w2}", "found: 3 states\n  state 3: Write(w2)\n  state 3: done # {w2}"),
    ("Write(w2) where w1 \\in done", "found: 3 states\n  state 3: Write(w2) where w1 \\in done"),
    (
        "Write(w1)\ndone = {}",
        "impossible: line 2: done = {}: it is true in none of the 2 states that can follow; "
        "there done is {w1, w2}, {w1}\n  state 2: Write(w1)",
    ),
    (
        "done # done",
        "impossible: line 1: done # done: it is true in none of the 4 states that can follow; "
        "there done is {w1, w2}, {w1}, {w2}, {}",
    ),
    (
        "(LET all == done IN all) # done",  # whose left side is not repeated in full
        "impossible: line 1: (LET all == done IN all) # done: it is true in none of the 4 states that can follow",
    ),
    (
        "s.done",
        "found: 2 states\n  state 2: s.done\n"
        "  note: s.done is Python, which a module takes for the last time; write done",
    ),
]


@pytest.mark.parametrize(("lines", "told"), STORIES)
def test_a_scenario_of_a_module_is_tla(lines, told):
    assert str(scenario(WRITERS(), lines)) == told


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("s.done # {}", "line 1: expression 's.done # {}' is not accepted: column 1: unknown name s; write done # {}"),
        ("# first", r"line 1: '# first' is not accepted: \* begins a comment"),
        (
            "done",
            "line 1: done cannot be evaluated in a reachable state (it is {} there, which is neither TRUE nor FALSE)",
        ),
    ],
)
def test_a_line_that_is_no_condition_in_tla_is_refused(lines, message):
    with pytest.raises(InputError) as refused:
        scenario(WRITERS(), lines)
    assert str(refused.value) == message


def test_the_command_finds_a_shortest_behaviour_to_a_state(tmp_path, capsys):
    (tmp_path / "M.tla").write_text(module_of(STEPS))
    (tmp_path / "M.cfg").write_text("SPECIFICATION Spec CONSTANT Most = 3")
    target = str(tmp_path / "M.tla")
    assert cli.main(["scenario", target, "--reach", 'seen # {"b"} /\\ x > 0']) == 0
    assert capsys.readouterr().out.startswith("found: 3 states\n")
    assert cli.main(["scenario", target, "--reach", "x > 3"]) == 1
    assert capsys.readouterr().out.startswith("impossible: line 1: x > 3: it is true in none of the 4 states")
    assert cli.main(["scenario", target, "--reach", "x >"]) == 2
    assert cli.main(["scenario", target]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "workbench: --reach: line 1: expression 'x >' is not accepted: column 4: it is not complete",
        "workbench: a scenario takes FILE or --reach EXPR, one of them",
    ]


def test_walks_grids_and_datasets_take_what_the_configuration_does_not_list(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "M.tla").write_text(module_of(STEPS))
    (tmp_path / "M.cfg").write_text("SPECIFICATION Spec CONSTANT Most = 3")
    asked = ["--property", "x < 3"]
    assert cli.main(["walk", "M.tla", "--walks", "1", "--json", *asked]) == 1
    assert '"why": "x is 3 (the expression, column 1)"' in capsys.readouterr().out
    assert cli.main(["sweep", "M.tla", "--grid", "Most=2,3", "--workers", "1", "-o", "grid.csv", *asked]) == 1
    table = (tmp_path / "grid.csv").read_text().splitlines()
    assert [line[: line.index("d", 2)] for line in table[1:]] == ["2,hol", "3,violate"]
    assert cli.main(["export", "M.tla", "-o", "space", *asked]) == 0
    capsys.readouterr()
    assert cli.main(["walk", "M.tla", "--walks", "1", "--property", "x < y"]) == 2
    assert capsys.readouterr().err == "workbench: 'x < y' is not accepted: column 5: unknown name y\n"
