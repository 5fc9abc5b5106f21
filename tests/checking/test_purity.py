"""What is no function of the state is found where it is remembered: it is run once more."""

from random import Random

import pytest

from tests.checking.impure import OF_THE_REFERENCE, PARTS, impure
from workbench import check, simulate
from workbench.checking.following.scenario import scenario
from workbench.checking.following.validate import validate
from workbench.checking.trees.decision_trees import Trees
from workbench.checking.walks.result import WalkRule
from workbench.formats.recording import Observation, Recording
from workbench.kernel import Model, ModelError, Variable, action, choose, invariant, machine_of, require
from workbench.kernel.meaning import rerunning

SAID = "is not a function of the state: run twice in one state it did two different things"


@pytest.fixture(autouse=True)
def time_enough(monkeypatch):
    """As a process has that is not busy with other searches."""
    monkeypatch.setattr(rerunning, "_MOST", float("inf"))


@pytest.mark.parametrize("part", PARTS)
def test_every_part_of_a_model_is_asked_again(part):
    with pytest.raises(ModelError, match=SAID) as caught:
        check(impure(part)(), engine="local")
    told = {
        "action": r"action finish \(impure.py:\d+\) .*: it has 1 outcome this time, and had 0 \(",
        "invariant": r"invariant Small \(impure.py:\d+\) .*: it is False this time, and was True \(",
        "step": r"step Finishes .*: it is False this time, and was True \(",
        "constraint": r"constraint Inside \(impure.py:\d+\) .*: it is False this time, and was True \(",
        "fair_when": r"action finish .*: fairness counts it for other conditions \(",
        "goal": r"liveness Ends.goal \(impure.py:\d+\) .*: it is True this time, and was False \(",
    }
    assert caught.match(told[part])


@pytest.mark.parametrize("part", OF_THE_REFERENCE)
def test_the_reference_search_asks_again(part):
    """It remembers only where states lead."""
    with pytest.raises(ModelError, match="is not a function of the state: run twice in one state"):
        check(impure(part)(), engine="reference")


@pytest.mark.parametrize("part", OF_THE_REFERENCE)
def test_walks_are_asked_again(part):
    with pytest.raises(ModelError, match=SAID):
        simulate(impure(part)(), rule=WalkRule(walks=400, depth=3), workers=1)


def test_a_model_that_is_validated_is_asked_again():
    recording = Recording([Observation({0: n}) for n in (0, 1, 2)])
    assert validate(impure("nothing")(), recording).holds
    with pytest.raises(ModelError, match=SAID):
        validate(impure("action")(), recording)


def test_a_model_that_is_told_a_scenario_is_asked_again():
    with pytest.raises(ModelError, match=SAID):
        scenario(impure("action")(), "s.n == 2 and s.k == 25")


def choose_once(s, asked):
    s.m = choose([1, 2] if asked > 2 else [1, 3])  # one call for each


def choose_one_or_true(s, asked):
    s.m = choose([1, 2] if asked > 2 else [True, 2])


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        (lambda s, asked: setattr(s, "m", True if asked > 1 else 1), "it writes m differently"),
        (choose_one_or_true, "it makes other choices"),
        (lambda s, asked: setattr(s, "m", int(asked > 1)), "it writes m differently"),
        (lambda s, asked: setattr(s, "m", 7 if asked > 1 else 0), "it writes m differently"),
        (choose_once, "it makes other choices"),
        (lambda s, asked: require(asked < 2 or 1 // 0 > 0, "never"), r"action go \(.*\) raised ZeroDivisionError"),
        (lambda s, asked: require(asked < 2 or s.m == 0, "never"), "it reads m this time, where it read nothing"),
    ],
)
def test_what_is_different_is_said(change, difference):
    asked = [0]  # how often in one of the states

    class Changing(Model):
        n, m = Variable(0), Variable(0)

        @action
        def go(self, s):
            require(s.n < 30, "enough")
            s.n += 1
            asked[0] += s.n == 25
            change(s, asked[0] if s.n == 25 else 0)

    with pytest.raises(ModelError, match=f"{SAID}: {difference}"):
        check(Changing(), engine="local")


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_a_counter_outside_the_state_and_a_default_that_changes(engine):
    """The counter lets only half of the states be found; the default is made once, not each time."""

    class Counting(Model):
        n = Variable(0)

        def calls(self, so_far=[]):  # noqa: B006
            so_far.append(1)
            return len(so_far)

        @action
        def up(self, s):
            require(s.n < 101, "enough")
            require(self.calls() <= 51, "too many")
            s.n += 1

    with pytest.raises(ModelError, match="is not a function of the state"):
        check(Counting(), engine=engine)


class Steps(Model):
    """Eight steps, each of which does something `more`."""

    n, m = Variable(0), Variable(0)

    @action
    def go(self, s):
        require(s.n < 8, "enough")
        s.n += 1
        self.more(s)

    def more(self, s):
        pass


def counting():
    memory = []

    def more(self, s):
        memory.append(s.n)
        s.m = len(memory) // 30

    return {"more": more}


def seldom():
    coin = Random(1)
    return {"more": lambda self, s: setattr(s, "m", int(coin.random() < 0.02))}


def counting_on():
    """What it writes later was no value in the search, in which it never changed the cell that it read."""
    memory = []

    def more(self, s):
        memory.append(s.n)
        s.m = max(s.m, len(memory) // 30)

    return {"more": more}


def writing_late():
    """In the search it did not write at all."""
    memory = []

    def more(self, s):
        memory.append(s.n)
        if len(memory) > 30:
            s.m = len(memory)

    return {"more": more}


def writing_seldom():
    coin = Random(1)

    def more(self, s):
        if coin.random() < 0.02:
            s.m = 1

    return {"more": more}


def judging():
    """It reads nothing, so there is one situation of it beside nine of the action."""
    coin = Random(2)
    return {"Often": invariant(lambda self, s: coin.random() > 0.01)}


def anew():
    return {"more": lambda self, s: setattr(s, "m", id(object()))}


def late():
    coin = Random(1)

    def wait(self, s):
        require(s.m < 60, "long enough")
        s.m += 1

    return {"wait": action(wait), "more": lambda self, s: setattr(s, "m", s.m if s.m < 50 else coin.randrange(50, 60))}


def remembering():
    last = [None]

    def another(self, s):
        before, last[0] = last[0], s.n
        return before != s.n

    return {"Another": invariant(another)}


def reading_nothing():
    coin = Random(1)
    return {"go": action(lambda self, s: setattr(s, "n", int(coin.random() < 0.02)))}


KINDS = [
    *(counting, counting_on, writing_late, seldom, writing_seldom, anew, late),
    *(remembering, reading_nothing, judging),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("engine", ["local", "auto", "reference"])
def test_what_differs_seldom_or_late_is_found(kind, engine):
    """Once more is not enough: where there are few situations, each is run again many times, in other orders."""
    with pytest.raises(ModelError, match=r"is not a function of the state|not pure"):
        check(type("Odd", (Steps,), kind())(), engine=engine)


def test_who_has_no_time_left_goes_on_without(monkeypatch):
    monkeypatch.setattr(rerunning, "_MOST", 0.0)
    assert check(impure("action")(), engine="local").distinct == 60


@pytest.mark.parametrize("values", [5, 3000])
def test_trees_give_back_what_they_remember(values):
    """Nodes with few values have their branches side by side, others in a table."""
    from workbench.checking.trees.cells import Interner

    class Wide(Model):
        n, m = Variable(0), Variable(0)

        @action
        def go(self, s):
            require(s.n % 2 == 0, "odd")
            require(s.m < 2, "large")

    cells = Interner(machine_of(Wide), key=b"")
    trees = Trees(cells)
    for n in range(values):
        cells.number(0, n)
    for m in range(3):
        cells.number(1, m)
    asked = {(n, m) for n in range(0, values, values // 7 | 1) for m in range(3)}
    for n, m in sorted(asked, reverse=True):
        if trees.leaf(trees.roots[0], (n, m)) < 0:
            trees.memoize_action(0, (n, m))
    for turn in (0, 4):
        paths = list(trees.paths(trees.roots[0], turn))
        assert len(paths) == trees.misses
        assert {tuple(path) for path, _ in paths} == {(0,), (0, 1)}
        assert {(p[0], p.get(1)) for p, _ in paths} == {(n, None if n % 2 else m) for n, m in asked}
        assert all(trees.leaf(trees.roots[0], (path[0], path.get(1, 0))) == leaf for path, leaf in paths)
