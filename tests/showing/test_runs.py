"""Two runs on one strip: the kind of a step follows from what it changes, and the first divergence is said."""

from typing import Any

import pytest

from workbench.kernel import Trace, machine_of, replay
from workbench.kernel.meaning.trace import steps_of
from workbench.language import *
from workbench.showing.view.trace.runs import ONLY, OTHER, OWN, REFUSED, SAME, Runs, runs_of


class Ledger(Model):
    """Each clerk adds to a total, perhaps after a look at it, and notes something of its own."""

    Clerks = Constant(2, Names("c", range(1, 3)), "who adds")
    Added = Constant(1, range(0, 3), "what is added")
    Noted = Constant(1, range(0, 3), "what a clerk notes for itself")
    Most = Constant(4, range(0, 5), "the total at which nobody adds")
    Looks = Constant(False, bool, "a clerk looks first")
    total = Variable(0)
    note = Variable(0, per="Clerks")
    looked = Variable(False, per="Clerks")
    clerk = Process(per="Clerks")

    @action(clerk)
    def look(self, s, c):
        require(self.Looks and not s.looked[c])
        s.looked[c] = True

    @action(clerk)
    def add(self, s, c):
        """Add to the total; nobody reads it meanwhile. It only grows."""
        choose((1, 2), "hour")
        require(s.total < self.Most)
        require(s.looked[c] or not self.Looks)
        s.total += self.Added
        s.note[c] = self.Noted


def run(labels: list[str], **constants: Any) -> Trace:
    """The behaviour of a ledger by the labels of its steps."""
    model = machine_of(Ledger(**constants))
    steps = list(replay(model, 0, []).steps)
    for label in labels:
        possible = (step for one in model.instances for step in steps_of(model, one, steps[-1].state))
        steps.append(next(step for step in possible if step.label == label))
    return Trace(model, 0, tuple(steps))


def both(**other: Any) -> Runs:
    """A run in which both clerks add, and the same with other constants."""
    one = run(["add(c1, hour=1)", "add(c2, hour=1)"])
    runs = runs_of((one, None), (one.model, machine_of(Ledger(**other))), ("base", "other"))
    assert runs is not None
    return runs


@pytest.mark.parametrize(
    ("constants", "kinds", "said"),
    [
        ({}, [SAME, SAME, SAME], "Both runs take the same steps"),
        (
            {"Noted": 2},
            [SAME, OWN, OWN],
            "Both runs take the same steps; only variables of the actors themselves differ",
        ),
        (
            {"Added": 2},
            [SAME, OTHER, OTHER],
            "c1: Add to the total (hour 1) - another effect (base sets total: 0 \N{RIGHTWARDS ARROW} 1; "
            "other sets it: 0 \N{RIGHTWARDS ARROW} 2)",
        ),
        (
            {"Added": 0, "Noted": 2},
            [SAME, OTHER, OTHER],
            "c1: Add to the total (hour 1) - another effect (base sets total: 0 \N{RIGHTWARDS ARROW} 1; "
            "other leaves it alone)",
        ),
        (
            {"Most": 1},
            [SAME, SAME, REFUSED],
            "c2: Add to the total (hour 1) - other refuses it: with these constants there is no such step",
        ),
        ({"Looks": True}, [SAME, ONLY, SAME, ONLY, SAME], "c1: look - only other takes it"),
    ],
    ids=["same", "own", "another effect", "left alone", "refused", "only here"],
)
def test_the_kind_of_a_step_follows_from_what_it_changes(
    constants: dict[str, Any], kinds: list[str], said: str
) -> None:
    runs = both(**constants)
    assert [column.kind for column in runs.columns] == kinds
    assert str(runs.summary) == said
    assert runs.diverge == next((n for n, kind in enumerate(kinds) if kind not in (SAME, OWN)), None)


def test_a_label_decides_nothing() -> None:
    one, other = run(["add(c1, hour=1)"]), run(["add(c1, hour=2)"])
    runs = runs_of((one, other), (one.model, other.model))
    assert runs is not None
    assert [column.kind for column in runs.columns] == [SAME, SAME]


def test_the_run_that_is_missing_may_be_the_first() -> None:
    one = run(["add(c1, hour=1)", "add(c2, hour=1)"])
    runs = runs_of((None, one), (machine_of(Ledger(Most=1)), one.model), ("full", "base"))
    assert runs is not None
    assert [column.kind for column in runs.columns] == [SAME, SAME, REFUSED]
    assert (
        str(runs.summary)
        == "c2: Add to the total (hour 1) - full refuses it: with these constants there is no such step"
    )
    assert [column.at for column in runs.columns] == [(0, 0), (1, 1), (1, 2)], "a run stays where it is meanwhile"


def test_without_a_trace_there_is_nothing_to_compare() -> None:
    model = machine_of(Ledger())
    assert runs_of((None, None), (model, model)) is None
