"""Questions to a module in its own language: definitions that its configuration does not list, and expressions."""

import pickle
from functools import partial

import pytest

from tests.tlaplus.trees import module_of
from workbench import check
from workbench.commands import cli
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
