"""Configuration files: what modules need of them, beside what ``tests/formats`` checks."""

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.tlaplus.test_tla_machine import ROWS, Row
from tests.tlaplus.trees import module_of
from workbench.kernel import InputError, ModelError
from workbench.kernel.meaning.result import model_line
from workbench.kernel.meaning.values import Name
from workbench.registry import get_model
from workbench.showing.view.trace.tables import constants_line
from workbench.tlaplus.machine.specification import module_of_text
from workbench.tlaplus.syntax.cfg_parser import IN_MODULE, REPLACEMENT, CfgEntry, InModule, read_configuration


def test_each_statement_has_its_place():
    cfg = read_configuration(
        """\\* a comment
        CONSTANTS n = -3 None = None Nat <- SmallNat Int <- [Inner] SmallInt c = [Inner] 4 (* another *)
        ACTION_CONSTRAINT Bound ACTION_CONSTRAINTS More Less
        VIEW Seen ALIAS Shown POSTCONDITION After Later POSTCONDITIONS Last"""
    )
    assert cfg.constants == {"n": CfgEntry(-3, 2)}
    assert cfg.model_values == {"None": 2}
    assert cfg.replacements == {"Nat": CfgEntry("SmallNat", 2)}
    assert cfg.replacements_in == {InModule("Inner", "Int"): CfgEntry("SmallInt", 2)}
    assert cfg.constants_in == {InModule("Inner", "c"): CfgEntry(4, 2)}
    assert [entry.value for entry in cfg.action_constraints] == ["Bound", "More", "Less"]
    assert {keyword: entry.value for keyword, entry in cfg.single.items()} == {
        "VIEW": "Seen",
        "ALIAS": "Shown",
    }
    assert [entry.value for entry in cfg.postconditions] == ["After", "Later", "Last"]


def test_a_string_is_not_the_model_value_of_its_spelling_and_true_is_not_one():
    value = read_configuration('CONSTANT S = {w1, "w1", w1, 1, TRUE, {a}, {"a"}}').constants["S"].value
    assert [type(item) for item in value] == [Name, str, int, bool, tuple, tuple]
    assert [type(item[0]) for item in value[4:]] == [Name, str]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CONSTANT Nat <- 3", "line 1: found 3; expected the name of a definition"),
        ("CONSTANT Nat <- A Nat <- B", "line 1: Nat is given twice, here and in line 1; it takes one value"),
        ("CONSTANT c = [M 1", "line 1: found 1; expected ]"),
        ("VIEW A VIEW B", "line 1: VIEW is given twice"),
        ("TYPE T", "line 1: TYPE is not supported: TLC itself does nothing with it"),
        ("CONSTANT c = - 1", "line 1: found -; expected a number, a text, TRUE, FALSE, a model value or a set"),
        ("CONSTANT c = `1", "line 1: '`' is not part of a TLC configuration"),
    ],
)
def test_mistakes_are_named_with_their_line(text, message):
    with pytest.raises(InputError) as caught:
        read_configuration(text)
    assert str(caught.value) == message


def test_a_caller_refuses_what_it_does_not_take():
    for text, keyword in [("VIEW A", "VIEW"), ("CONSTANT A <- B", REPLACEMENT), ("CONSTANT A = [M] 1", IN_MODULE)]:
        with pytest.raises(InputError, match="is not supported: no reason"):
            read_configuration(text, {keyword: "no reason"})


_TOKEN = re.compile(r'"[^"]*"|<-|\w+|\S')
_VALUES = ["1", "-1", '"a"', "TRUE", "m", "{}", '{1, "a"}', "{m, 2}", "{{1}, {m}}", "[M]", "9" * 20, "<-", "=", "Nat"]
#: One example of a configuration for each module.
_CONFIGURED = list({row.text: row for row in ROWS.values()}.values())


@some.composite
def damaged(draw: some.DrawFn) -> tuple[Row, str]:
    """A module with a configuration of which some tokens are left out, doubled, exchanged or others."""
    row = draw(some.sampled_from(_CONFIGURED))
    tokens = _TOKEN.findall(row.cfg)
    names = re.findall(r"^(\w+)(?:\([^)]*\))? ==", row.text, re.MULTILINE)
    for _ in range(draw(some.integers(1, 3))):
        at, other = (draw(some.integers(0, len(tokens) - 1)) for _ in range(2))
        given = draw(some.sampled_from([tokens[other], *_VALUES, *names]))
        change = draw(some.sampled_from(["left out", "doubled", "exchanged", "another"]))
        if change == "left out" and len(tokens) > 1:
            del tokens[at]
        elif change == "doubled":
            tokens.insert(at, tokens[at])
        elif change == "exchanged":
            tokens[at], tokens[other] = tokens[other], tokens[at]
        else:
            tokens[at] = given
    return row, " ".join(tokens)


@pytest.mark.slow
@given(damaged())
def test_whatever_a_configuration_says_is_taken_or_refused(configuration):
    row, cfg = configuration
    with suppress(InputError, ModelError):
        module_of_text(module_of(row.text), cfg, row.others)()


def test_the_headline_names_another_cfg_than_the_one_beside_the_module(tmp_path):
    (tmp_path / "Held.tla").write_text("---- MODULE Held ---- CONSTANT N VARIABLE x Init == x = N Next == x' = N ====")
    for name in ("Held", "Small"):
        (tmp_path / f"{name}.cfg").write_text("CONSTANT N = 1 INIT Init NEXT Next")
    usual, small = (get_model(f"{tmp_path}/Held.tla{cfg}") for cfg in ("", ":Small.cfg"))
    assert [model_line(usual()), model_line(usual(N=2))] == ["Held  with its default constants", "Held  N=2"]
    assert [model_line(small()), model_line(small(N=2))] == ["Held  with Small.cfg", "Held  with Small.cfg, N=2"]
    assert str(constants_line(small(N=2))) == "with Small.cfg, <code>N=2</code>"


#: What is instantiated of a module, an expression, a statement of a .cfg, and the expression's value for TLC
#: (tlaplus/tlaplus cc6b616cf); None where TLC does not find the name in the specification.
BODY = "F(n) == n + 1", "G(n) == F(n)", "C == 5", "D == C"
INNER = module_of("EXTENDS Naturals", *BODY, name="Inner")
GIVEN = module_of("EXTENDS Naturals", "CONSTANT K", *BODY, name="Given")
OVER = module_of("EXTENDS Inner", "CONSTANT K", name="Over")
INSTANCES = [
    ("I == INSTANCE Inner", "I!G(1)", "F <- H", None),
    ("I(n) == INSTANCE Inner", "I(1)!G(1)", "F <- H", None),
    ("I == INSTANCE Inner", "LET F(n) == n IN F(1)", "F <- H", None),
    ("I == INSTANCE Inner", "I!D", "C <- Seven", None),
    ("I == INSTANCE Inner", "I!D", "C = 7", 5),
    ("I == INSTANCE Inner", "I!D", "C =[Inner] 7", 7),
    ("I == INSTANCE Inner", "I!G(1)", "F <-[Inner] H", 0),
    ("I == INSTANCE Inner", "I!G(1)", "+ <- Sum", None),
    ("F(n) == 50\nI == INSTANCE Inner", "<<F(1), I!G(1)>>", "F <- H", (0, 2)),
    ("INSTANCE Inner\nI == INSTANCE Inner", "<<F(1), G(1), I!G(1)>>", "F <- H", (0, 0, 0)),
    ("INSTANCE Inner", "<<G(1), D>>", "F <- H C <- Seven", (0, 7)),
    ("INSTANCE Inner", "G(1)", "F(1) = 0", 0),
    ("LOCAL INSTANCE Inner", "<<G(1), F(1)>>", "F <- H", (2, 0)),
    ("INSTANCE Given WITH K <- 1", "<<G(1), F(1)>>", "F <- H", (2, 0)),
    ("INSTANCE Given WITH K <- 1", "<<D, C>>", "C = 7", (5, 7)),
    ("INSTANCE Given WITH K <- 1", "<<G(1), F(1)>>", "F(1) = 0", (2, 0)),
    ("INSTANCE Over WITH K <- 1", "<<G(1), F(1)>>", "F <- H", (0, 0)),
]


@pytest.mark.parametrize(("instance", "value", "constants", "expected"), INSTANCES)
def test_a_name_of_the_root_module_alone_is_replaced(instance, value, constants, expected):
    definitions = "VARIABLE x", instance, "H(n) == 0", "Seven == 7", "Sum(a, b) == 42"
    text = module_of(*definitions, f"Init == x = {value}", "Next == x' = x", name="Outer")
    cfg = f"INIT Init NEXT Next CONSTANT {constants}"
    if expected is None:
        with pytest.raises(InputError, match=r"^Outer.cfg: line 1: [FC+] is no name of Outer itself, but of Inner; "):
            module_of_text(text, cfg, [INNER, GIVEN, OVER])
    else:
        (state,) = module_of_text(text, cfg, [INNER, GIVEN, OVER])().each_initial_state()
        assert state.x == expected


def test_an_operator_of_a_named_instance_alone_is_given_no_values():
    """TLC passes over them in silence."""
    text = module_of("VARIABLE x", "I == INSTANCE Inner", "Init == x = I!G(1)", "Next == x' = x", name="Outer")
    with pytest.raises(InputError, match=r"^Outer.cfg: line 1: F is no name of Outer itself, but of Inner; "):
        module_of_text(text, "CONSTANT F(1) = 0\nINIT Init NEXT Next", [INNER])
