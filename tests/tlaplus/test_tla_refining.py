"""Refinements: what an instance says of a step is asked once for each pair of images."""

from typing import Any

import pytest

from tests.tlaplus.exploring import calls_in
from tests.tlaplus.trees import module_of
from workbench.checking.check import check
from workbench.tlaplus.machine.specification import module_of_text

CLOCK = module_of(
    "EXTENDS Naturals",
    "CONSTANT Size",
    "VARIABLES hour, rung",
    "Tick == hour' = (hour + 1) % Size /\\ UNCHANGED rung",
    "Ring(b) == hour = 0 /\\ rung # b /\\ rung' = b /\\ UNCHANGED hour",
    "Init == hour = 0 /\\ rung = FALSE",
    "Next == Tick \\/ \\E b \\in BOOLEAN : Ring(b)",
    "Spec == Init /\\ [][Next]_<<hour, rung>>",
    name="Clock",
)
#: Three hands of which the first is the clock's; the others go round by themselves.
HANDS = module_of(
    "EXTENDS Naturals",
    "CONSTANT Leap",
    "VARIABLES hand, rung",
    "vars == <<hand, rung>>",
    "Init == hand = [i \\in 1..3 |-> 0] /\\ rung = FALSE",
    "Turn(i) == hand' = [hand EXCEPT ![i] = (@ + 1) % 4] /\\ UNCHANGED rung",
    "Jump == Leap /\\ hand[2] = 3 /\\ hand' = [hand EXCEPT ![1] = (@ + 2) % 4] /\\ UNCHANGED rung",
    "Ring == hand[1] = 0 /\\ rung' = ~rung /\\ UNCHANGED hand",
    "Next == (\\E i \\in 1..3 : Turn(i)) \\/ Jump \\/ Ring",
    "Spec == Init /\\ [][Next]_vars",
    "C == INSTANCE Clock WITH hour <- hand[1], Size <- 4",
    "D(i, size) == INSTANCE Clock WITH hour <- IF i = 0 THEN 0 ELSE hand[i], Size <- size",
    "IsClock == C!Spec",
    "IsClocks == \\A i \\in {1} : D(i, 4)!Spec",
    "IsShort == D(1, 3)!Spec",
    "Stands == D(0, 4)!Spec",
    name="Hands",
)


def checked(prop: str, leap: bool = False) -> Any:
    cfg = f"CONSTANT Leap = {str(leap).upper()} SPECIFICATION Spec PROPERTY {prop} CHECK_DEADLOCK FALSE"
    return check(module_of_text(HANDS, cfg, [CLOCK])())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("prop", "leap", "states"),  # the states of the trace are TLC's
    [
        ("IsClock", False, None),
        ("IsClocks", False, None),
        ("IsClock", True, 5),
        ("IsShort", False, 4),
        ("Stands", False, None),
    ],
)
def test_verdicts_are_those_of_tlc(prop: str, leap: bool, states: int | None) -> None:
    result = checked(prop, leap)
    assert result[prop].holds == (states is None)
    assert states is None or len(result[prop].trace) == states


@pytest.mark.slow
@pytest.mark.parametrize("prop", ["IsClock", "IsClocks"])
def test_images_that_were_met_are_no_reason_to_ask_again(prop: str) -> None:
    result = checked(prop)
    assert (result.distinct, result.depth) == (128, 11)  # TLC's
    pairs = 8 + 2 + 8  # ticks, rings, and what leaves the image alone
    assert calls_in("Clock.tla", lambda: checked(prop)) <= 12 * pairs
