r"""Action composition, ``A \cdot B``, beside TLC cc6b616 with -Dtlc2.tool.impl.Tool.cdot=true; and TLC's options."""

import pytest

from tests.tlaplus.trees import module_of
from workbench import check
from workbench.kernel import InputError, ModelError
from workbench.kernel.meaning.result import Result
from workbench.tlaplus.machine.specification import module_of_text

COMPOSED = r"""EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y \in 0..1
Up(n) == x' = x + n /\ y' \in {y, 1 - y}
Down == x >= 2 /\ x' = x - 2 /\ UNCHANGED y
Set(v) == Up(1) \cdot (x' = v /\ y' = y)
Low == x < 7
Next == \/ \E n \in 1..2 : Up(n) \cdot Down
        \/ x < 4 /\ Up(1)
        \/ (Up(2) \cdot Up(1)) \cdot Down
        \/ x' = 1 /\ (Up(1) \cdot Down)
Steps == [][(Up(1) \cdot Down) \/ Up(1) \/ (Up(2) \cdot Down) \/ (Up(3) \cdot Down)]_<<x, y>>
Wrong == [][(Up(1) \cdot Down) \/ Up(1)]_<<x, y>>
CanGo == ENABLED (Up(1) \cdot Down)
Reached == x < 5
Rises == Set(x)
Leaves == Up(1) \cdot (x' = 1)
"""

engines = pytest.mark.parametrize("engine", ["local", "reference"])


def checked(cfg: str, engine: str, text: str = COMPOSED) -> Result:
    return check(module_of_text(module_of(text), f"{cfg} CHECK_DEADLOCK FALSE")(), engine=engine)


@engines
def test_the_second_action_is_taken_where_the_first_has_led(engine: str) -> None:
    """The states are TLC's. It counts those between, too, as generated."""
    result = checked("INIT Init NEXT Next CONSTRAINT Low PROPERTIES Steps Wrong INVARIANT CanGo", engine)
    assert (result.distinct, result.depth, result.generated) == (14, 7, 130)
    found = {verdict.name: verdict.trace_states for verdict in result.verdicts if verdict.holds is False}
    assert found == {"Wrong": 2, "CanGo": 1}
    assert result["Wrong"].why is not None
    assert "Down is FALSE" not in result["Wrong"].why  # it is no part of a state


@engines
def test_an_argument_has_its_value_in_the_state_between(engine: str) -> None:
    result = checked("INIT Init NEXT Rises CONSTRAINT Low INVARIANT Reached", engine)
    assert result["Reached"].trace_states == 6


@engines
def test_each_of_the_two_actions_assigns_all_variables(engine: str) -> None:
    with pytest.raises(ModelError, match=r"y"):
        checked("INIT Init NEXT Leaves CONSTRAINT Low", engine)


LEVELS = r"""EXTENDS Naturals, TLC
VARIABLES x, y
Init == x = 0 /\ y = 0
Up == x' = x + 1 /\ y' = y
Next == Up \cdot (x' = x /\ y' = 1 - y /\ TLCGet("level") < 4)
Goes == ENABLED (Up \cdot (Up /\ TLCGet("level") < 3)) /\ Up
"""


@engines
@pytest.mark.parametrize(("following", "distinct"), [("Next", 3), ("Goes", 2)])
def test_the_state_between_is_one_level_deeper(engine: str, following: str, distinct: int) -> None:
    assert checked(f"INIT Init NEXT {following}", engine, LEVELS).distinct == distinct


@engines
def test_a_recursion_whose_arguments_grow_from_state_to_state_is_refused(engine: str) -> None:
    text = r"""EXTENDS Naturals
VARIABLE x
Init == x = 0
RECURSIVE Climb(_, _)
Climb(n, v) == IF n = 0 THEN x' = v ELSE (x' = x + 1) \cdot Climb(n - 1, v + 1)
Next == x < 6 /\ Climb(2, x)
"""
    with pytest.raises(InputError, match=r"^M.tla:7:9: this is nested too deep, or an operator passes ever larger"):
        checked("INIT Init NEXT Next", engine, text)


def test_no_initial_state_is_a_composition() -> None:
    with pytest.raises(InputError, match=r"takes two actions, and stands in one|is of the level of actions"):
        checked("INIT Rises NEXT Next", "local")


@engines
def test_a_search_is_tlc_s_breadth_first_one(engine: str) -> None:
    text = r"""EXTENDS Naturals, TLC
VARIABLE x
ASSUME TLCGet("config").mode = "bfs" /\ TLCGet("config").worker = 1
ASSUME TLCGet("-Dtlc2.tool.impl.Tool.cdot") = "true"
Init == x = 1
Next == x' = 3 - x
"""
    assert checked("INIT Init NEXT Next", engine, text).distinct == 2
