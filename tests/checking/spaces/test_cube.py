"""The cube of a space: every state is counted once, in the tuple that its decoded values say."""

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench.checking.local import expander, search, store
from workbench.checking.spaces import combining, cube_on_spark
from workbench.checking.spaces import cube as cubes
from workbench.checking.spaces.combining import combined
from workbench.checking.spaces.cube import Cube, cube_of, information_gain
from workbench.checking.spaces.dataset import load, save
from workbench.checking.spaces.space import StateSpace, explore
from workbench.kernel import InputError, Model, Process, SetOf, Variable, action, choose, invariant, require
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.state import texts_of
from workbench.protocols.bakery.v2 import BakeryV2
from workbench.registry import get_model


class Letters(Model):
    """Declared sets, one by one and per place, a variable with many values, and one that stays as it is."""

    anywhere = SetOf("letters")
    there = SetOf("letters", per="places")
    count = Variable(0)
    fixed = Variable("as it is")
    mover = Process(per="places")

    places, letters = ("p", "q", "r"), ("a", "b")

    @action(mover, letter="letters")
    def put(self, s: Any, p: str, letter: str) -> None:
        require(letter not in s.there[p], "it is there")
        s.there[p] |= {letter}
        s.anywhere |= {letter}

    @action
    def jump(self, s: Any) -> None:
        require(s.count == 0, "it has jumped")
        s.count = choose(tuple(range(1, 300)))

    @invariant
    def NotFull(self, s: Any) -> bool:
        return len(s.anywhere) < 2 or s.count < 2


MODELS: dict[str, tuple[Any, dict[str, Any]]] = {
    "race": (BakeryV2(Writers=2, AsyncParquet=True, RestampPatch=False), {"symmetry": False}),
    "representatives": (
        BakeryV2(Writers=2, AsyncParquet=True, RestampPatch=False),
        {"symmetry": True, "properties": ["NoLakekeeperConflict"]},  # with those of liveness there is no symmetry
    ),
    "paimon": (get_model("paimon")(PUT_IF_ABSENT=False), {"properties": ["ConsistentRead"]}),
    "letters": (Letters(), {}),
    "nothing violated": (get_model("bakery")(Writers=2, MaxCrashes=0), {"properties": ["NoLakekeeperConflict"]}),
    "a part": (get_model("paimon")(PUT_IF_ABSENT=False), {"budget": Budget(states=700)}),
}


@pytest.fixture(scope="module", params=MODELS)
def space(request: pytest.FixtureRequest) -> StateSpace:
    model, options = MODELS[request.param]
    return explore(model, **options)


@cache
def texts_in(space: StateSpace) -> list[dict[str, str]]:
    """Every state, decoded, as texts by cell."""
    return [texts_of(space.state(number)) for number in range(len(space))]


def seen_through(name: str, texts: dict[str, str]) -> tuple[str, ...]:
    """What a lens sees of a state: the text of its cell, or those of its variable's cells, in no order."""
    if name in texts:
        return (texts[name],)
    return tuple(sorted(text for cell, text in texts.items() if cell.startswith(f"{name}[")))


def counted_by_hand(space: StateSpace, cube: Cube) -> tuple[Counter[Any], Counter[Any]]:
    """The states, and the violating ones, of each combination that decoded states have."""
    of_fault = [] if cube.fault is None else space.model.predicates(cube.fault)
    states, wrong = Counter[Any](), Counter[Any]()
    for number in range(len(space)):
        state = space.state(number)
        texts = texts_in(space)[number]
        key = (int(space.levels[number]), *(seen_through(lens.name, texts) for lens in cube.lenses))
        states[key] += 1
        if not all(instance.holds(state) for instance in of_fault):
            wrong[key] += 1
    return states, wrong


def by_sample(space: StateSpace, cube: Cube, counts: np.ndarray) -> dict[Any, int]:
    """The counts of the tuples by what lenses see of their samples."""
    keys = []
    for level, sample in zip(cube.levels.tolist(), cube.samples.tolist(), strict=True):
        texts = texts_in(space)[sample]
        keys.append((level, *(seen_through(lens.name, texts) for lens in cube.lenses)))
    assert len(set(keys)) == len(keys), "no two tuples are alike"
    return {key: count for key, count in zip(keys, counts.tolist(), strict=True) if count}


@pytest.mark.slow
def test_each_tuple_counts_the_states_that_decoded_have_its_values(space: StateSpace) -> None:
    cube = space.cube()
    states, wrong = counted_by_hand(space, cube)
    assert len(cube.lenses) >= 2
    assert by_sample(space, cube, cube.counts) == states
    assert by_sample(space, cube, cube.wrong) == wrong
    assert int(cube.counts.sum()) == len(space)


def test_a_value_of_a_lens_says_what_the_states_have(space: StateSpace) -> None:
    cube = space.cube()
    for lens, column in zip(cube.lenses, cube.columns, strict=True):
        assert set(column.tolist()) == set(range(len(lens.values)))
        numbers, at = np.unique(column, return_index=True)
        for number, sample in zip(numbers.tolist(), cube.samples[at].tolist(), strict=True):
            seen = Counter(seen_through(lens.name, texts_in(space)[sample]))
            parts = [text if count == 1 else f"{count} {text}" for text, count in seen.items()]
            said = lens.values[number]
            assert len(said) == len(", ".join(parts)), lens.name
            assert all(part in said for part in parts), lens.name


def test_a_sample_violates_where_a_state_of_its_tuple_does(space: StateSpace) -> None:
    cube = space.cube()
    wrong = np.zeros(len(space), bool) if cube.fault is None else ~space.holds(cube.fault)
    assert (wrong[cube.samples] == (cube.wrong > 0)).all()
    assert (space.levels[cube.samples] == cube.levels).all()


def test_lenses_that_tell_most_come_first_and_those_that_the_property_reads_are_marked() -> None:
    cube = explore(*MODELS["race"][:1]).cube("NoLakekeeperConflict")
    gains = [lens.gain for lens in cube.lenses]
    assert gains == sorted(gains, reverse=True)
    assert {lens.name: lens.gain for lens in cube.lenses}["decision"] == 1.0
    read = {lens.name for lens in (*cube.lenses, *cube.others) if lens.is_read}
    assert "decision" in read
    assert "pc" not in read


@pytest.mark.slow
def test_a_lens_without_room_is_left_out_and_the_next_may_join(space: StateSpace) -> None:
    wrong = np.zeros(len(space), bool)

    def bounded(most: int) -> Cube:
        return cube_of(space.model.layout, space.values, [space.rows], space.levels, None, wrong, set(), most)

    every = bounded(10**6)
    assert every.others == ()
    part = bounded(len(every) - 1)
    assert {lens.name for lens in (*part.lenses, *part.others)} == {lens.name for lens in every.lenses}
    assert part.others
    assert len(part) < len(every)
    assert by_sample(space, part, part.counts) == counted_by_hand(space, part)[0]


def test_what_has_too_many_values_or_one_is_no_lens(monkeypatch: pytest.MonkeyPatch) -> None:
    space = explore(Letters())
    names = [lens.name for lens in space.cube().lenses]
    assert sorted(names) == ["anywhere", "there"]
    assert len(set(space.rows[:, -2].tolist())) == 300, "count has too many values"
    monkeypatch.setattr(cubes, "MOST_MULTISETS", 19)
    assert len(space.cube().lenses[names.index("there")].values) <= 19
    names = [lens.name for lens in space.cube().lenses]
    assert sorted(names) == ["anywhere", "there[p]", "there[q]", "there[r]"]


def test_blocks_and_passes_change_no_number(space: StateSpace, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = space.cube()
    for bound, small in {"_BLOCK": 100, "_ROWS": 7, "_TABLE": 5}.items():
        monkeypatch.setattr(combining, bound, small)
    piecewise = space.cube()
    assert (piecewise.lenses, piecewise.others) == (at_once.lenses, at_once.others)
    for numbers in ("levels", "columns", "counts", "wrong", "samples", "tuples"):
        assert np.array_equal(getattr(piecewise, numbers), getattr(at_once, numbers)), numbers


def test_values_that_no_state_has_are_passed_over() -> None:
    columns: list[np.ndarray] = [np.array([0, 300, 300], np.uint16), np.array([2, 0, 2], np.uint8)]
    three = combined(columns, [301, 3], 3)
    assert three is not None
    assert [part.tolist() for part in three] == [[0, 1, 2], [[0, 2], [300, 0], [300, 2]]]
    assert combined(columns, [301, 3], 2) is None


def test_parts_that_do_not_fit_into_one_pass_are_combined_like_those_that_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(combining, "_TABLE", 5)
    of, combinations = combined([np.array([0, 1, 1]), np.array([2, 0, 2]), np.array([1, 0, 1])], [2, 3, 2]) or ([], [])
    assert (list(of), np.asarray(combinations).tolist()) == ([0, 1, 2], [[0, 2, 1], [1, 0, 0], [1, 2, 1]])


def test_states_in_several_blocks_have_their_rows_and_their_cube(monkeypatch: pytest.MonkeyPatch) -> None:
    model, options = MODELS["nothing violated"]
    whole = explore(model, **options)
    for module in (store, expander, search):
        monkeypatch.setattr(module, "BLOCK", 16)
    space = explore(model, **options)
    numbers = np.array([99, 0, 16, 0])
    assert space.rows_of(numbers).tolist() == whole.rows[numbers].tolist()
    assert np.array_equal(space.cube().tuples, whole.cube().tuples)


def test_a_gain_is_the_share_of_the_entropy() -> None:
    counts, wrong = np.array([6, 2]), np.array([3, 2])
    before = -(5 / 8 * np.log2(5 / 8) + 3 / 8 * np.log2(3 / 8))
    assert information_gain(counts, wrong) == pytest.approx(1 - (6 / 8) / before)
    assert information_gain(counts, np.array([0, 0])) == information_gain(counts, counts) == 0


def test_what_is_no_invariant_of_the_check_is_refused() -> None:
    space = explore(*MODELS["paimon"][:1])
    with pytest.raises(InputError, match="unknown invariant of this check"):
        space.cube("NoSuch")


# Over a dataset ------------------------------------------------------------------------------------------------------


def as_partition(cube: Cube) -> set[tuple[int, ...]]:
    """The tuples, which differ in their samples already: depth, sample, and both counts."""
    lists = (cube.levels, cube.samples, cube.counts, cube.wrong)
    return set(zip(*(one.tolist() for one in lists), strict=True))


@pytest.mark.parametrize("name", ["representatives", "letters", "nothing violated"])
def test_spark_counts_a_dataset_as_this_process_counts_its_space(name: str, spark: Any, tmp_path: Path) -> None:
    model, options = MODELS[name]
    space = explore(model, **options)
    here, there = space.cube(), load(save(space, tmp_path / "space"), spark).cube()
    assert there.fault == here.fault
    for mine, other in ((here.lenses, there.lenses), (here.others, there.others)):
        assert [(one.name, len(one.values), one.gain, one.is_read) for one in other] == [
            (one.name, len(one.values), one.gain, one.is_read) for one in mine
        ]
    counters = ([lens for lens in cube.lenses if lens.name == "pc"] for cube in (here, there))
    words, others = ({frozenset(value.split(", ")) for lens in some for value in lens.values} for some in counters)
    assert others == words, "such as 2 Done"
    assert as_partition(there) == as_partition(here)
    for lens, column in zip(there.lenses, there.columns, strict=True):
        texts = {seen_through(lens.name, texts_in(space)[sample]) for sample in there.samples.tolist()}
        assert len(set(column.tolist())) == len(lens.values) == len(texts)
    states, wrong = counted_by_hand(space, there)
    assert by_sample(space, there, there.counts) == states
    assert by_sample(space, there, there.wrong) == wrong


def test_spark_leaves_out_what_has_no_room_and_what_has_too_many_values(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = explore(Letters())
    data = load(save(space, tmp_path / "space"), spark)
    for module in (cubes, cube_on_spark):
        monkeypatch.setattr(module, "MOST_MULTISETS", 19)
    columns, indexed = data.run["columns"], data.run["indexed"]
    there = cube_on_spark.cube_of_table(data.states, columns, indexed, None, set(), 30)
    nothing = np.zeros(len(space), bool)
    here = cube_of(space.model.layout, space.values, [space.rows], space.levels, None, nothing, set(), 30)
    assert [lens.name for lens in there.lenses] == [lens.name for lens in here.lenses]
    assert [lens.name for lens in there.others] == [lens.name for lens in here.others]
    assert there.others
    assert as_partition(there) == as_partition(here)
    with pytest.raises(InputError, match="unknown invariant with distances"):
        data.cube("NoSuch")
    del data.run["indexed"]
    with pytest.raises(InputError, match="was saved by an earlier version, without what a cube needs; save it again"):
        data.cube()
