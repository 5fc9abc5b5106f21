"""What-if and seek: computed answers against the reference search and against sets that are known."""

import json

import pytest

from workbench.checking.questions.whatif import flips, other_values, repairs
from workbench.checking.questions.witness_search import seek
from workbench.formats.expression import Expression
from workbench.kernel import machine_of, replay, search
from workbench.kernel.meaning.budget import Budget, Watch
from workbench.kernel.meaning.result import Answer
from workbench.language import *
from workbench.protocols.bakery.model import Bakery
from workbench.protocols.bakery.v2 import BakeryV2
from workbench.protocols.classics.two_phase_commit import TwoPhaseCommit
from workbench.showing.panel.whatif_tab import _table


class Guarded(Model):
    """A counter that stays below its limit only with both guards, or with the small limit."""

    first = Constant(False, bool, "the first guard")
    second = Constant(False, bool, "the second guard")
    third = Constant(False, bool, "has no effect")
    mode = Constant("open", ("open", "shut"), "shut: with the third guard nothing moves")
    most = Constant(4, range(1, 6), "how far it counts")

    n = Variable(0)

    def validate(self):
        if self.third and self.first:
            raise InputError("first and third do not go together")

    @action
    def count(self, s):
        require(s.n < self.most, "at the end")
        require(not (self.mode == "shut" and self.third), "shut")
        if s.n < 3 or not (self.first and self.second):
            s.n += 1

    @invariant
    def BelowFour(self, s):
        return s.n < 4

    @invariant
    def NotNegative(self, s):
        return s.n >= 0


def test_equal_values_of_two_kinds_are_alternatives() -> None:
    class Either(Guarded):
        most = Constant(1, (1, True), "how many, or whether")

    assert other_values(Either(most=True))[-1] == ("most", 1)
    assert machine_of(Either(most=True)).differing() == {"most": True}
    assert machine_of(Either(most=1)).differing() == {}


def test_a_number_is_tried_at_its_default_too() -> None:
    assert other_values(Guarded(most=1), integers=True)[-2:] == [("most", 2), ("most", 4)]

    class Close(Guarded):
        most = Constant(2, range(1, 6), "how far it counts")

    assert not repairs(Close(most=5), "BelowFour", most=1).found
    assert [one.changes for one in repairs(Close(most=5), "BelowFour", integers=True).found] == [{"most": 2}]


def test_what_if_takes_names_as_checks_do() -> None:
    assert [one.changes for one in flips(Guarded)] == [one.changes for one in flips(Guarded())]
    with pytest.raises(InputError, match="unknown model 'nobody'"):
        repairs("nobody", "BelowFour")


def test_alternatives_are_the_other_values() -> None:
    assert other_values(Guarded(mode="shut", most=5), integers=True) == [
        ("first", True),
        ("second", True),
        ("third", True),
        ("mode", "open"),
        ("most", 4),
    ]


class Switched(Model):
    """A counter that may jump: only then it must not land on two."""

    jumps = Constant(False, bool, "whether it jumps")
    n = Variable(0)

    @action(when="jumps")
    def jump(self, s):
        require(s.n == 0)
        s.n = 2

    @invariant
    def Small(self, s):
        return s.n < 3

    @invariant(when="jumps")
    def NotTwo(self, s):
        return s.n != 2


def test_a_property_that_a_change_brings_along_is_checked():
    (attempt,) = flips(Switched())
    assert repr(attempt) == "jumps=on: NotTwo violated, which comes with it"
    assert (attempt.breaks, attempt.mends) == (["NotTwo"], [])
    assert "NotTwo" in _table([attempt])
    (asked,) = flips(Switched(), ["Small"])
    assert (asked.breaks, asked.flipped) == ([], [])


class Climbing(Model):
    """Climbs past two bounds that it promises to keep, and far beyond."""

    stays_low = Constant(False, bool, "it keeps the lower bound")
    stays_high = Constant(False, bool, "it keeps the higher bound alone")
    renamed = Constant(False, bool, "has no effect")

    n = Variable(0)

    @action
    def climb(self, s):
        require(s.n < (2 if self.stays_low else 3 if self.stays_high else 50), "at the top")
        s.n += 1

    @invariant
    def AtMostTwo(self, s):
        return s.n <= 2

    @invariant
    def AtMostThree(self, s):
        return s.n <= 3

    @invariant
    def NotForty(self, s):
        return s.n != 40


@pytest.mark.parametrize(
    ("names", "complete"),
    [
        ((), [True, True, True]),
        (["AtMostTwo"], [True, False, False]),
        (["AtMostTwo", "AtMostThree"], [True, True, False]),
        (["AtMostTwo", "AtMostThree", "NotForty"], [True, True, False]),
    ],
)
def test_a_check_ends_once_all_is_violated_that_is_to_be_repaired(names: list[str], complete: list[bool]) -> None:
    whole, attempts = flips(Climbing()), flips(Climbing(), until_violated=names)
    assert [attempt.result.complete for attempt in attempts] == complete
    for before, after in zip(whole, attempts, strict=True):
        assert [after.result[name].holds for name in names] == [before.result[name].holds for name in names]
        if after.result.complete:
            assert (repr(after), after.price) == (repr(before), before.price)


def test_a_name_that_is_to_be_violated_is_one_of_a_property() -> None:
    with pytest.raises(InputError, match=r"^unknown property of climbing 'AtMostTow' .did you mean AtMostTwo"):
        flips(Climbing(), until_violated=["AtMostTow"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    [Bakery(Writers=2), BakeryV2(Writers=2, AsyncParquet=True, StepGranularity="atomic")],
    ids=repr,
)
def test_flips_are_what_the_reference_search_finds(model: Model) -> None:
    names = ["NoLakekeeperConflict", "TicketOrderPreserved"]
    before = {v.name: v.holds for v in search(model, names).verdicts}
    found = {
        next(iter(attempt.changes.items())): {after.name: after.holds for _, after in attempt.flipped}
        for attempt in flips(model, names, integers=True)
    }
    expected = {}
    for name, value in other_values(model, integers=True):
        verdicts = search(type(model)(**{**model.constants, name: value}), names).verdicts
        expected[name, value] = {v.name: v.holds for v in verdicts if v.holds != before[v.name]}
    assert found == expected


@pytest.mark.slow
def test_a_change_that_only_rules_out_what_goes_wrong_says_so() -> None:
    model = TwoPhaseCommit(Participants=2, CoordinatorCrashes=True)
    expected = {}
    for name, value in other_values(model):
        plain = search(type(model)(**{**model.constants, name: value}))
        happened = {action.name for action in search(model).actions if action.generated}
        happening = {action.name for action in plain.actions if action.generated}
        expected[name] = happened - happening
    attempts = {next(iter(attempt.changes)): attempt for attempt in flips(model)}
    assert {name: set(attempt.never) for name, attempt in attempts.items()} == expected
    assert attempts["CoordinatorCrashes"].mends == ["EveryoneDecides"]
    assert repr(attempts["CoordinatorCrashes"]).endswith("before violated; but then crash never happens")
    assert attempts["LosesPatience"].breaks == ["Agreement", "DecisionsAreFinal", "IsTransactionCommit"]


def test_what_a_search_has_not_seen_may_still_happen() -> None:
    model = TwoPhaseCommit(Participants=2, CoordinatorCrashes=True)
    attempts = flips(model, before=search(model), budget=Budget(states=2))
    assert [attempt.never for attempt in attempts if not attempt.result.complete] == [[]] * len(attempts)


def test_the_repair_with_the_smallest_price_comes_first() -> None:
    found = repairs(TwoPhaseCommit(Participants=2, CoordinatorCrashes=True), "EveryoneDecides").found
    assert [(attempt.in_line, attempt.price) for attempt in found] == [
        ("CoordinatorCrashes=off", (0, 1)),
        ("LosesPatience=on", (3, 0)),
    ]


def test_the_panel_says_what_a_change_rules_out() -> None:
    page = _table(flips(TwoPhaseCommit(Participants=2, CoordinatorCrashes=True)))
    assert page.count("never happen") == page.count("but then <code>crash</code> never happens") == 1
    assert page.index("CoordinatorCrashes=off") < page.index("crash</code>") < page.index("LosesPatience=on")


def test_a_change_that_is_not_accepted_is_said_to_be_so() -> None:
    (attempt,) = [a for a in flips(Guarded(first=True)) if a.changes == {"third": True}]
    assert attempt.result is None
    assert str(attempt.error) == "first and third do not go together"
    assert "first and third" in repr(attempt)


def test_repairs_are_all_the_smallest_sets() -> None:
    found = repairs(Guarded(), "BelowFour")
    assert [attempt.changes for attempt in found.found] == [
        {"first": True, "second": True},
        {"third": True, "mode": "shut"},
    ]
    assert found.complete
    assert all(attempt.result["BelowFour"].holds for attempt in found.found)
    assert [v.name for v in found.found[0].result.verdicts] == ["BelowFour", "NotNegative"]


class Watched(Guarded):
    watch = Constant(True, bool, "the counter is watched")

    @invariant(when="watch")
    def StaysSmall(self, s):
        return s.n < 3


def test_a_change_that_switches_a_property_off_neither_flips_nor_repairs_it() -> None:
    by_change = {next(iter(attempt.changes)): attempt for attempt in flips(Watched())}
    assert [verdict.name for verdict in by_change["watch"].result.verdicts] == ["BelowFour", "NotNegative"]
    assert by_change["watch"].flipped == []
    mended = repairs(Watched(), "StaysSmall")
    assert [attempt.changes for attempt in mended.found] == [{"third": True, "mode": "shut"}]
    assert mended.complete


def test_repairs_stop_where_they_are_told_to() -> None:
    assert repairs(Guarded(), "BelowFour", most=1).found == []
    assert repairs(Guarded(), "BelowFour", most=1).complete
    stopped = repairs(Guarded(), "BelowFour", watch=Watch(should_stop=lambda: True))
    assert (stopped.found, stopped.complete) == ([], False)


@pytest.mark.slow
def test_repairs_answer_like_every_question() -> None:
    found: Answer = repairs(TwoPhaseCommit(Participants=2, CoordinatorCrashes=True), "EveryoneDecides")
    assert (found.holds, found.trace) == (True, None)
    assert found.why == "EveryoneDecides holds with CoordinatorCrashes=off, or with LosesPatience=on"
    assert found.text() == repr(found)
    told = json.loads(json.dumps(found.as_dict()))
    assert (told["name"], told["found"][0]["changes"]) == ("EveryoneDecides", {"CoordinatorCrashes": False})
    assert len(told["found"][1]["breaks"]) == 3
    none, stopped = (repairs(Guarded(), "BelowFour", most=1, budget=Budget(states=most)) for most in (None, 2))
    assert (none.holds, stopped.holds) == (False, None)
    assert none.why == "no repair of BelowFour was found"


def test_a_check_that_is_not_finished_decides_nothing() -> None:
    found = repairs(Guarded(), "BelowFour", most=1, budget=Budget(states=2))
    assert not found.complete
    assert all(not attempt.flipped for attempt in flips(Guarded(), budget=Budget(states=2)))


class Branching(Model):
    """Starts at 0 or 10; the second is nearer to 12."""

    n = Variable(0)

    @initial
    def begin(self, s):
        s.n = choose((0, 10))

    @action
    def up(self, s):
        require(s.n < 20, "at the top")
        s.n += 1


def test_seek_finds_a_shortest_way_from_any_initial_state() -> None:
    trace, _ = seek(Branching(), lambda s: s.n == 12)
    assert [state.n for state in trace.states] == [10, 11, 12]


def test_seek_goes_on_from_a_trace() -> None:
    model = Branching()
    after = replay(model, 0, [(0, 0), (0, 0)])
    trace, _ = seek(model, lambda s: s.n == 12, after=after)
    assert [state.n for state in trace.states] == list(range(13))
    assert trace.model.author is model
    again, _ = seek(model, lambda s: s.n == 2, after=after)
    assert again is not None
    assert len(again) == len(after), "one is there already"


def test_seek_says_that_there_is_no_such_state() -> None:
    trace, result = seek(Branching(), lambda s: s.n == 21)
    assert trace is None
    assert result.complete
    trace, result = seek(Branching(), lambda s: s.n == 20, budget=Budget(states=5))
    assert trace is None
    assert not result.complete


def test_a_condition_may_use_the_constants() -> None:
    model = Bakery(Writers=2)
    trace, _ = seek(model, Expression(model, "all(s.decision[w] is not None for w in Writers)"))
    assert all(trace.last.decision[w] is not None for w in model.Writers)


@pytest.mark.parametrize("text", ["s.pc ==", "s.nothing", "import os", "", "s.pc['w9']"])
def test_a_bad_condition_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(InputError, match=r"^expression .* is not accepted: ") as refused:
        Expression(Bakery(Writers=2), text)
    assert "\n" not in str(refused.value)


def test_an_error_of_the_model_with_other_constants_is_an_answer_about_these_alone() -> None:
    class Faulty(Guarded):
        careless = Constant(False, bool, "writes what is not there")

        @action
        def forget(self, s):
            require(self.careless)
            s.m = 1

    by_change = {attempt.in_line: attempt for attempt in flips(Faulty(second=True), ["BelowFour"])}
    assert by_change["first=on"].mends == ["BelowFour"]
    assert "'m'" in str(by_change["careless=on"].error)
    assert by_change["careless=on"].hint == ("on → an error of the model", "idle")
    assert repairs(Faulty(), "BelowFour", most=1).complete is False
    assert repairs(Guarded(), "BelowFour", most=1).complete is True
