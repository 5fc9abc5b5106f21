"""Constants of a configuration, as models declare them and as commands set them."""

import pytest

from tests.tlaplus.trees import module_of
from workbench.kernel import InputError
from workbench.kernel.meaning.values import Name
from workbench.tlaplus.config import constants
from workbench.tlaplus.config.constants import read_value
from workbench.tlaplus.machine.specification import module_of_text
from workbench.tlaplus.syntax.parser import parse_module
from workbench.tlaplus.values.values import shown

TEXT = r"""EXTENDS Naturals
CONSTANTS Flag, Number, Procs, Values, Nobody, Below, Least
Nothing == CHOOSE n : n \notin Nat
Some == 7
VARIABLE x
Init == x = <<Flag, Number, Procs, Values, Nobody, Below, Least, Nothing, Some>>
Next == x' = x
Nine == 9
"""
CFG = """CONSTANTS Flag = TRUE Number = 3 Procs = {p1, p2} Values = {"a", "b"} Nobody = nobody Below = -1
Nothing = Nothing Least <- Nine Some <- [M] Nine INIT Init NEXT Next"""
MODEL = module_of_text(module_of(TEXT), CFG)


def initial(**constants):
    (state,) = MODEL(**constants).initial_states()
    return state.values[0]


def test_each_has_the_value_of_the_configuration():
    procs = frozenset({Name("p1"), Name("p2")})
    assert initial() == (True, 3, procs, frozenset({'"a"', '"b"'}), "nobody", -1, 9, "Nothing", 9)


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("Flag", "FALSE", False),
        ("Flag", False, False),
        ("Number", "5", 5),
        ("Number", 0, 0),
        ("Procs", "{q1, q2, q3}", ("q1", "q2", "q3")),
        ("Procs", 3, ("p1", "p2", "p3")),
        ("Values", '{"x", "y"}', frozenset({'"x"', '"y"'})),
        ("Values", "1..3", frozenset({1, 2, 3})),
        ("Nobody", "None", "None"),
        ("Nobody", '"none"', '"none"'),
        ("Below", "-7", -7),
        ("Below", "-7 \\* less than 0, and odd", -7),
    ],
)
def test_they_are_set_as_tla_writes_them(name, given, value):
    model = MODEL(**{name: given})
    assert model.constants[name] == value
    assert type(model).declared.constants[name].domain.word(value)
    assert model.changed().constants == model.constants
    assert type(model)(**model.differing()).constants == model.constants


@pytest.mark.parametrize(
    ("name", "given"), [("Number", "-1"), ("Flag", "3"), ("Values", "1 +"), ("Values", "1 + 2"), ("Values", "a == 1")]
)
def test_what_is_no_value_is_refused(name, given):
    with pytest.raises(InputError, match=f"{name} = .* is not accepted"):
        MODEL(**{name: given})


@pytest.mark.parametrize(
    "written", ["<<1, TRUE, {}>>", '[a |-> 1, b |-> "x"]', "(1 :> 2 @@ 3 :> {w})", "{<<w1, {2, 3}>>}", "-5", '"a b"']
)
def test_values_are_written_as_they_are_read(written):
    assert shown(read_value(written)) == written


def test_a_function_as_long_as_tlc_prints_it_is_a_value():
    written = " @@ ".join(f'{number} :> "a, @@ {number}"' for number in range(2, 402))
    value = read_value(f"({written} @@ 2 :> 0)")
    assert (len(value), value[2], value[401]) == (400, '"a, @@ 2"', '"a, @@ 401"')


@pytest.mark.parametrize(("symbol", "cfg"), [("a @@ b", ""), ("Less(a, b)", "CONSTANT @@ <- Less")])
def test_a_long_chain_of_another_operator_than_tlcs_is_not_regrouped(symbol, cfg):
    brings = "EXTENDS Integers, TLC" if cfg else "EXTENDS Integers"
    for length in (50, 51):
        chain = " @@ ".join("1" * length)
        text = module_of(brings, "VARIABLE x", f"{symbol} == a - b", f"Init == x = {chain}", "Next == UNCHANGED x")
        if length == 50:
            assert module_of_text(text, f"{cfg} INIT Init NEXT Next")().initial_states()[0].x == 1 - 49
        else:
            with pytest.raises(InputError, match=r"^M.tla:5:13: so long a chain of @@ is read for TLC's alone"):
                module_of_text(text, f"{cfg} INIT Init NEXT Next")()


def test_the_parser_gets_a_long_record_in_short_lines(monkeypatch):
    given = []
    monkeypatch.setattr(constants, "parse_module", lambda text, name: given.append(text) or parse_module(text, name))
    value = read_value("[" + ", ".join(f"f{number} |-> {number}" for number in range(100)) + "]")
    assert (len(value), max(map(len, given[0].split("\n")))) == (100, len("---- MODULE Value ----"))
