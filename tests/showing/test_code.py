"""Questions as code: the lines run, and ask the same again."""

from pathlib import Path
from typing import Any

import pytest

from workbench.checking.check import check
from workbench.checking.questions.constant_grid import fill
from workbench.formats.code import check_as_code, grid_as_code, trace_as_code
from workbench.kernel import Constant, Model, Names, Variable, action, invariant, machine_of
from workbench.kernel.meaning.budget import Budget
from workbench.protocols.bakery.v2_extended import BakeryV2Extended
from workbench.protocols.hudi.extended import HudiExtended
from workbench.registry import get_model
from workbench.showing.view import trace_view

COUNTER = """
from workbench import Constant, Model, Variable, action, invariant

class Counter(Model):
    Most = Constant(3, range(1, 9), "how far it counts")
    n = Variable(0)

    @action
    def count(self, s):
        s.n = min(s.n + 1, self.Most)

    @invariant
    def Small(self, s):
        return s.n < 3
"""


class Own(Model):
    """A model that no one can get by its name."""

    Members = Constant(["a", "b"], Names("m", range(1, 4)), "members")
    done = Variable(False, per="Members")

    @action(m="Members")
    def finish(self, s, m):
        s.done[m] = True

    @invariant
    def NotAll(self, s):
        return not all(s.done.values())


def run(code: str) -> dict[str, Any]:
    """What a snippet leaves, with the value of its last line as ``shown``."""
    *lines, last = code.removesuffix("\n").split("\n")
    space: dict[str, Any] = {}
    exec("\n".join([*lines, f"shown = {last}"]), space)
    return space


@pytest.mark.parametrize(
    ("model", "properties", "options"),
    [
        (HudiExtended(ConcurrencyControl=0, FailedWrites=2, Keys=["x", "y"]), None, {}),
        (BakeryV2Extended(Writers=["a", "b"], NodeParts=[["b", "a"]]), ["UniqueTickets"], {"symmetry": ["Writers"]}),
        (Own(Members=3), ["NotAll"], {"budget": Budget(states=3)}),
        (Own(), None, {}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_check_is_repeated(model, properties, options):
    again = run(check_as_code(model, properties, **options))
    result = check(model, properties, **options)
    assert again["shown"] is again["result"]
    assert type(again["model"]) is type(machine_of(model).author)
    assert again["model"].constants == model.constants
    assert (again["result"].distinct, again["result"].symmetry) == (result.distinct, result.symmetry)
    assert [v.as_dict() for v in again["result"].verdicts] == [v.as_dict() for v in result.verdicts]


def test_choices_are_written_by_their_words() -> None:
    code = check_as_code(HudiExtended(ConcurrencyControl=2))
    assert 'get_model("hudi")(ConcurrencyControl="pessimistic")' in code


def test_a_model_of_a_file_is_found_again(tmp_path: Path) -> None:
    path = tmp_path / "counter.py"
    path.write_text(COUNTER)
    model = get_model(f"{path}:Counter")(Most=4)
    trace = check(model)["Small"].trace
    assert trace is not None
    assert run(check_as_code(model))["result"].distinct == 5
    assert run(trace_as_code(trace))["trace"].states == trace.states


@pytest.mark.parametrize("watches", [[], ["s.phase[\"w1\"] == 'Ready'", "{w: s.op[w] for w in self.Writers}"]])
def test_a_trace_is_opened_again(watches):
    trace = check(HudiExtended(ConcurrencyControl=0))["ConsistentRead"].trace
    again = run(trace_as_code(trace, watches))
    assert again["trace"].states == trace.states
    assert again["shown"].as_dict() == trace_view(trace, watches=watches).as_dict()


def test_a_trace_of_ones_own_model_is_opened_again():
    trace = check(Own())["NotAll"].trace
    assert run(trace_as_code(trace))["trace"].states == trace.states


@pytest.mark.slow
def test_a_grid_is_filled_again():
    grid = {"ConcurrencyControl": [0, 2], "UseSalt": [True, False], "PutIfAbsentSupported": [False]}
    fixed = {"Keys": ["x"], "Values": 1, "MonotonicTs": False, "FailedWrites": 0}
    code = grid_as_code(
        HudiExtended, grid, ["ConsistentRead"], constants=fixed, budget=Budget(states=100_000), workers=1
    )
    assert max(map(len, code.split("\n"))) <= 120
    again, before = run(code), fill(HudiExtended, grid, ["ConsistentRead"], constants=fixed)
    assert again["shown"].drop(columns="seconds").equals(before.table.drop(columns="seconds"))
