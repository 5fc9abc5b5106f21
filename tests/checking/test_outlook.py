"""A search estimates how large its space will become, within a factor of two, or says nothing.

``levels.json`` has the level sizes of all large spaces of ``specs/``. To record them again::

    PYTHONPATH=scripts .venv/bin/python -c "import json; from bench.outlook import *;
    print(json.dumps({one.name: levels_of(one) for one in large()}))" > tests/checking/levels.json

``make bench ONLY=outlook`` searches the same spaces and prints how good the estimates are.
"""

import json
from math import comb
from pathlib import Path

import pytest
from bench.outlook import estimates, large, levels_of

from workbench.checking.outlook import outlook, states_in_all
from workbench.kernel.meaning.budget import Progress

SPACES: dict[str, list[int]] = json.loads(Path(__file__).with_name("levels.json").read_text())
SUBSETS = [comb(30, size) for size in range(31)]
#: By space and number of levels known: the estimate, as a share of the true size.
ESTIMATES = {(name, known): share for name, levels in SPACES.items() for known, share in estimates(levels).items()}


@pytest.mark.slow
def test_the_recorded_spaces_are_those_of_the_configurations():
    assert {name: sum(levels) for name, levels in SPACES.items()} == {
        one.name: one.expect["distinct"] for one in large()
    }


@pytest.mark.slow
def test_the_smallest_recorded_spaces_are_searched_again():
    for one in sorted(large(), key=lambda one: one.expect["distinct"])[:3]:
        assert levels_of(one) == SPACES[one.name]


def test_from_half_of_the_levels_on_every_estimate_is_within_a_factor_of_two():
    late = [share for (name, known), share in ESTIMATES.items() if 2 * known >= len(SPACES[name])]
    assert 0.5 < min(late) <= max(late) < 2
    possible = [known for levels in SPACES.values() for known in range(8, len(levels)) if 2 * known >= len(levels)]
    assert len(late) >= 220
    assert len(possible) == 508


def test_before_half_of_the_levels_few_estimates_are_made_and_those_are_too_low():
    """At 4 of 308 levels, 0.41 to 0.45 of the size: two spaces have levels that shrink for a while and grow again."""
    early = {at: share for at, share in ESTIMATES.items() if 2 * at[1] < len(SPACES[at[0]])}
    assert sorted(early) == [("v2_retry", 32), ("v2_retry", 33), ("v2_retry_once", 32), ("v2_retry_once", 33)]
    assert all(0.4 < share < 0.45 for share in early.values())


def test_a_regular_space_is_estimated_exactly_in_the_end():
    assert states_in_all(SUBSETS[:30]) == pytest.approx(sum(SUBSETS), rel=1e-6)


@pytest.mark.parametrize(
    "levels",
    [
        [],
        [1, 8, 9, 5, 3, 2, 1],
        SUBSETS[:16],
        [*[1] * 12, 2**32, 1, 1, 1, 2**32 - 1],
        SPACES["v2_crash"][:31],
        [1000 - i * i // 50 for i in range(20)],
    ],
    ids=["no level", "seven levels", "the widest comes last", "growth rises", "the lines disagree", "no end in sight"],
)
def test_no_estimate_where_it_would_be_a_guess(levels):
    assert states_in_all(levels) is None


def at(known: int, seconds: float, states: int | None = None, frontier: int | None = None, held: int = 0) -> Progress:
    levels = SUBSETS[:known]
    states = sum(levels) if states is None else states
    return Progress(known, states, levels[-1] if frontier is None else frontier, seconds, held, (), tuple(levels))


def test_estimates_have_two_digits_and_time_goes_by_the_states_expanded():
    expanded = sum(SUBSETS[:19])
    assert outlook(at(20, expanded / 1e6)) == "about 1,100,000,000 in all, 110 s more"
    assert outlook(at(20, expanded / 1e8)) == "about 1,100,000,000 in all, 1 s more"


def test_memory_goes_by_the_states_and_is_said_from_a_gigabyte_on():
    states = sum(SUBSETS[:20])
    assert outlook(at(20, 0.0, held=15 * states)) == "about 1,100,000,000 in all, 16 GB"
    assert outlook(at(20, 0.0, held=states // 2)) == "about 1,100,000,000 in all"


def test_without_a_rate_nothing_is_said_of_time():
    assert outlook(at(20, 0.0)) == "about 1,100,000,000 in all"
    assert outlook(at(20, 1.0, frontier=sum(SUBSETS[:20]))) == "about 1,100,000,000 in all"


def test_nothing_is_said_at_first_at_the_end_and_once_there_are_more_states():
    assert outlook(at(10, 1.0)) == ""
    assert outlook(at(30, 1.0, frontier=0)) == ""
    assert outlook(at(20, 1.0, states=2**31)) == ""
