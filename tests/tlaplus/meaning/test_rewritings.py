r"""A formula in other words has the same states, verdicts and errors: in the plain evaluator and the compiled machine.

Next and the invariant of each module are written in ways that mean the same. TLC generates a state once for each way to
take a step, so that ``F \/ F`` and ``(TRUE \/ TRUE) /\ F`` generate more of them: of these, steps are compared without
how often they are taken. All others generate as many.
"""

from typing import Any

import pytest

from tests.tlaplus.meaning.test_search import graph_of, of_evaluator, of_machine
from tests.tlaplus.test_tla_machine import Row
from tests.tlaplus.trees import module_of
from workbench.kernel import ModelError

#: A module's lines; the configuration; Next; and the invariant, which some states violate or have no value for.
MODULES: dict[str, tuple[str, str, str, str]] = {
    "sets": (
        "VARIABLES x, s\nInit == x = 0 /\\ s = {}",
        "",
        "x < 3 /\\ x' = x + 1 /\\ s' = IF x \\in s THEN s \\ {x} ELSE s \\cup {x, x + 1}",
        "Cardinality(s) < 3",
    ),
    "functions": (
        "VARIABLES x, f\nInit == x = 0 /\\ f = [i \\in 1..2 |-> 0]",
        "",
        "x' = 1 - x /\\ \\E i \\in DOMAIN f : f' = [f EXCEPT ![i] = (@ + x) % 2]",
        "f # <<1, 1>>",
    ),
    "records": (
        "VARIABLES x, r\nInit == x = 0 /\\ r = [a |-> 0, b |-> {}]",
        "",
        "x < 3 /\\ x' = x + 1 /\\ r' = [r EXCEPT !.a = x, !.b = @ \\cup {r.a}]",
        "r.b \\subseteq {0, 1}",
    ),
    "sequences": (
        "VARIABLES x, q\nInit == x = 0 /\\ q = <<>>",
        "",
        "IF Len(q) < 3 THEN q' = Append(q, x) /\\ x' \\in {x, 1} ELSE q' = Tail(q) /\\ x' = 0",
        "Head(<<x>> \\o q) # 1 \\/ Len(q) < 3",
    ),
    "mixed kinds": (
        "CONSTANT m1\nVARIABLES x, y\nInit == x = 0 /\\ y = m1",
        "CONSTANT m1 = m1",
        "x < 4 /\\ x' = x + 1 /\\ y' = CASE x = 0 -> \"a\" [] x = 1 -> <<m1>> [] x = 2 -> {m1, 1} [] OTHER -> m1",
        "y = m1 \\/ x < 3 \\/ y # {1, m1}",
    ),
    "model values": (
        "CONSTANTS m1, m2\nVARIABLES x, g\nInit == x = 0 /\\ g = {m1}",
        "CONSTANTS m1 = m1 m2 = m2",
        "x < 3 /\\ x' = x + 1 /\\ \\E m \\in {m1, m2, 1} : g' = g \\cup {m}",
        "{m1, {}} \\notin SUBSET BOOLEAN /\\ g # {m1, m2, 1}",
    ),
    "strings": (
        'VARIABLES x, t\nInit == x = 0 /\\ t = "a"',
        "",
        "x < 3 /\\ x' = x + 1 /\\ t' = IF x % 2 = 0 THEN t \\o \"b\" ELSE ToString(x)",
        't \\in STRING /\\ t # "1"',
    ),
    "an instance with parameters": (
        "VARIABLES x, y\nI(n) == INSTANCE N WITH v <- x, limit <- n\nInit == x = 0 /\\ y = 0",
        "",
        "I(3)!Up(1) /\\ y' = I(2)!Left",
        "I(4)!Left > y + 1",
    ),
    "ENABLED": (
        "VARIABLES x, y\nInit == x = 0 /\\ y = 0\n"
        "A == x < 2 /\\ x' = x + 1 /\\ y' = y\nB == y < 1 /\\ y' = y + 1 /\\ x' = x",
        "",
        "(A \\/ (B /\\ ~ENABLED A)) /\\ TRUE",
        "ENABLED A \\/ ENABLED B",
    ),
    "quantified actions": (
        "VARIABLES x, y\nInit == x = 0 /\\ y \\in {0, 1}",
        "",
        "\\A i \\in {1, 2} : x < 3 /\\ x' \\in {x + 1, x + 2} /\\ y' = (IF i = 1 THEN y ELSE y') /\\ "
        "\\E j \\in {y} : x' > j",
        "\\A i \\in 0..x : i < 4 \\/ y = 0",
    ),
    "an error in a step": (
        "VARIABLES x, y\nInit == x = 0 /\\ y = 0",
        "",
        "x' = x + 1 /\\ y' = <<0, 0>>[x + 1]",
        "x < 9",
    ),
    "an error in the invariant": (
        "VARIABLES x, y\nInit == x = 0 /\\ y = 0",
        "",
        "x < 3 /\\ x' = x + 1 /\\ y' = x",
        "x < 2 \\/ (1..x)[1] = y",
    ),
}
#: $F is the formula, and $W a word of its own.
WAYS = {
    "TRUE first": "TRUE /\\ $F",
    "TRUE last": "$F /\\ TRUE",
    "or FALSE": "$F \\/ FALSE",
    "IF": "IF TRUE THEN $F ELSE FALSE",
    "IF not": "IF FALSE THEN FALSE ELSE $F",
    "LET": "LET local == $F IN local",
    "LET with a parameter": "LET local(p) == p = 1 /\\ $F IN local(1)",
    "one member": "\\E z \\in {1, 0 + 1} : $F",
    "a state's member": "\\E z \\in {x} : $F",
    "all members": "\\A z \\in {x} : $F",
    "CASE": "CASE TRUE -> $F",
    "an implication": "TRUE => $F",
    "a definition": "$WBehind\n$WBehind == $F",
    "a definition with a parameter": "$WThrough(1)\n$WThrough(p) == p = 1 /\\ $F",
    "an argument": "$WSame($F)\n$WSame(p) == p",
}
#: TLC goes on twice behind these: steps are the same, and not how often each is taken.
TWICE = {"twice": "$F \\/ $F", "a guard": "(TRUE \\/ TRUE) /\\ $F"}
OTHER = module_of(
    "EXTENDS Integers",
    "CONSTANT limit",
    "VARIABLE v",
    "Up(n) == v < limit /\\ v' = v + n",
    "Left == limit - v",
    name="N",
)
EXTENDS = "EXTENDS Integers, Sequences, FiniteSets, TLC"


def written(name: str, way: str) -> str:
    """A module's lines with both of its formulas written in one of the ways; definitions go before their uses."""
    lines, _, *formulas = MODULES[name]
    for word, formula in zip(("Next", "Inv"), formulas, strict=True):
        use, *definition = way.replace("$F", f"({formula})").replace("$W", word).split("\n")
        lines += "".join(f"\n{line}" for line in (*definition, f"{word} == {use}"))
    return lines


def row_of(name: str, lines: str, *others: str) -> Row:
    cfg = f"INIT Init NEXT Next INVARIANT Inv CHECK_DEADLOCK FALSE {MODULES[name][1]}"
    return Row(f"{EXTENDS}\n{lines}", cfg, others=(OTHER, *others))


def behind_an_instance(name: str) -> Row:
    lines = written(name, "$F")
    declared = "\n".join(line for line in lines.splitlines() if line.startswith(("CONSTANT", "VARIABLE")))
    used = f"{declared}\nInner == INSTANCE Within\nInit == Inner!Init\nNext == Inner!Next\nInv == Inner!Inv"
    return row_of(name, used, module_of(EXTENDS, lines, name="Within"))


def found(row: Row) -> tuple[Any, Any]:
    """What the evaluator and the compiled machine find; of an error, that there is one."""
    *evaluated, failed = of_evaluator(graph_of(row))
    try:
        *compiled, error = of_machine(row)
    except ModelError as before:
        compiled, error = [], before
    return (evaluated if failed is None else failed[1]), (compiled if error is None else "error")


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
def test_other_words_mean_the_same(name: str) -> None:
    evaluated, compiled = found(row_of(name, written(name, "$F")))
    assert compiled == ("error" if name.startswith("an error") else evaluated)
    assert isinstance(evaluated, int) == name.startswith("an error")
    rows = {way: row_of(name, written(name, text)) for way, text in (WAYS | TWICE).items()}
    rows["an instance"] = behind_an_instance(name)
    for way, row in rows.items():
        again = found(row)
        if way in TWICE and not isinstance(evaluated, int):
            assert [each_once(one) for one in again] == [each_once(one) for one in (evaluated, compiled)], way
        else:
            assert again == (evaluated, compiled), way


def each_once(answer: Any) -> Any:
    """What is found, without how often each step is taken."""
    states, steps, wrong = answer
    return states, set(steps), wrong
