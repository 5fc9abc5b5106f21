"""What people write who come from other languages, or forget a word, is told with what to write instead."""

import pytest

from tests.tlaplus.trees import module_of, refused
from workbench import check
from workbench.kernel import ModelError
from workbench.tlaplus.machine.specification import module_of_text

START = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0"

#: A definition of Next, and what is said of it.
STEPS = {
    "Next == x' == x + 1": "M.tla:5:13: syntax error: found '='; == defines a name, and = compares",
    "Next == x == 1 /\\ x' = x": "M.tla:5:12: syntax error: found '='; == defines a name, and = compares",
    "Next == x' = x\nInv = x < 2": "M.tla:6:1: syntax error: found 'Inv'; a definition has ==: Inv == ...",
    "Next == x != 7 /\\ x' = x": "M.tla:5:12: syntax error: found '='; TLA+ writes # or /= for unequal",
    "Next == x += 1": "M.tla:5:12: syntax error: found '='; TLA+ has no +=; an action has x' = x + 1",
    "Next == x := x + 1": "M.tla:5:9: unknown name :=; an assignment of PlusCal; an action of TLA+ has x' = ...",
    "Next == x = 1 && x' = x": r"M.tla:5:21: the operator && stands before it; TLA+ writes /\ for and",
    "Next == !(x = 1) /\\ x' = x": "M.tla:5:8: syntax error: found '!(x'; expected an expression; TLA+ writes ~ for",
    "Next == true /\\ x' = x": "M.tla:5:9: unknown name true; TLA+ writes TRUE",
    "Next == x' = 'a'": 'M.tla:5:14: syntax error: found "\'a\'"; strings stand in double quotes, "a"',
    "Next == x' = x // same": r"M.tla:5:14: unknown name //; a comment begins with \* and ends with the line",
    "Next == x' = IF x = 1 THEN 2\nA == 3": "M.tla:5:28: syntax error: found '2'; the IF in line 5 has no ELSE",
    "Next == LET y == 1\n x' = y": 'M.tla:6:3: syntax error: found "\'"; the LET in line 5 has no IN',
    "Next == x' = (x + 1\nA == 3": "M.tla:5:19: syntax error: found '1'; the ( in line 5 is not closed by )",
    "Next == x' \\in {x, 1\nA == 3": "M.tla:5:20: syntax error: found '1'; the { in line 5 is not closed by }",
    "VARIABLES y z\nNext == x' = x": "M.tla:5:13: syntax error: found 'z'; names are separated by commas",
    "Next == x' = Append(x, 1)": "M.tla:5:14: unknown name Append; EXTENDS Sequences brings it",
    "Next == x' = x @@ x": "M.tla:5:14: unknown name @@; EXTENDS TLC brings it",
}


@pytest.mark.parametrize("lines", STEPS)
def test_what_was_meant_is_told(lines):
    with refused(STEPS[lines]):
        module_of_text(module_of(START, lines), "INIT Init NEXT Next")


def test_a_module_without_an_end_is_told_so():
    with refused("M.tla:5:1: syntax error: found 'Next'; the module does not end: the line ==== is missing"):
        module_of_text(module_of(START, "Next == x' = x").rstrip("=\n"), "INIT Init NEXT Next")


#: Constants with their configuration, and what is said of them.
CONSTANTS = {
    "CONSTANT M = 2": "M.cfg: no value for N; a .cfg gives constants values, and M is no constant of a module",
    "CONSTANT N = {1} INVARIANT Live": "M.cfg: line 2: Live is no predicate of states; it is temporal, and PROPERTY",
    "CONSTANT N = 2": "M.tla:6:18: 2 is not a set, so that it has no members to enumerate",
}


@pytest.mark.parametrize("cfg", CONSTANTS)
def test_a_configuration_that_does_not_fit_is_told_how(cfg):
    text = module_of(START, "CONSTANT N\nNext == \\E n \\in N : x' = n", "Live == <>(x = 1)")
    with refused(CONSTANTS[cfg]):
        module_of_text(text, f"INIT Init NEXT Next\n{cfg}")


@pytest.mark.parametrize(
    ("step", "why"),
    [
        ("f[p]' = 1", "M.tla:6:12: f' is used before it is assigned; f' = [f EXCEPT ![i] = ...] assigns"),
        (
            'f\' = [f EXCEPT ![p] = f["p"]]',
            'M.tla:6:34: "p" is not in the domain of (p :> 0): "p" is a string, and p a',
        ),
    ],
)
def test_what_cannot_be_evaluated_is_told_with_what_can(step, why):
    lines = ("CONSTANT p", "VARIABLE f", "Init == f = [q \\in {p} |-> 0]", f"Next == /\\ {step}")
    model = module_of_text(module_of("EXTENDS Naturals", *lines), "INIT Init NEXT Next CONSTANT p = p")
    with pytest.raises(ModelError) as met:
        check(model(), engine="local")
    assert str(met.value).startswith(why)
