"""Whether a model and a module are the same: what differs is noticed, and told."""

import inspect
import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from ports import SETTINGS, violated

from tests.command import Done, runner
from workbench.checking.following.equivalence import same
from workbench.checking.following.port import Port, follow_text, get_port, name, record, string
from workbench.checking.following.sameness import Figures, Sameness
from workbench.fizzbee.machine.specification import machines_of
from workbench.fizzbee.machine.values import plain
from workbench.kernel import InputError, ModelError, machine_of, replay
from workbench.kernel.meaning.budget import Budget, Watch
from workbench.language import Constant, Model, Variable, action, require
from workbench.protocols.bakery.model import Bakery
from workbench.protocols.bakery.v2 import BakeryV2
from workbench.registry import get_model, protocols
from workbench.registry.configurations import configuration
from workbench.tlaplus.machine.specification import module_of_text

TEXT = r"""---- MODULE Counter ----
EXTENDS Naturals
CONSTANTS Most, Nobody
VARIABLES count, owner
Init == count = 0 /\ owner = Nobody
Take == owner = Nobody /\ owner' = [who |-> "me"] /\ UNCHANGED count
Give == owner # Nobody /\ count < Most /\ count' = count + 1 /\ owner' = Nobody
Reset == owner = Nobody /\ count = Most /\ count' = 0 /\ UNCHANGED owner
Next == Take \/ Give \/ Reset
Spec == Init /\ [][Next]_<<count, owner>>
====
"""
CFG = "CONSTANTS Most = 1  Nobody = Nobody  SPECIFICATION Spec"
MODULE = module_of_text(TEXT, CFG)


class Counter(Model):
    """Counts how often a lock was given back."""

    Most = Constant(2, range(1, 6), "how often")
    Early = Constant(False, bool, "a mistake")
    count = Variable(0)
    taken = Variable(False)

    @action
    def take(self, s):
        require(not s.taken, "it is taken")
        s.taken = True

    @action
    def give(self, s):
        require(s.taken and s.count < self.Most, "it cannot be given back")
        s.count += 1
        s.taken = False

    @action
    def reset(self, s):
        require(not s.taken and (self.Early or s.count == self.Most), "it is not time")
        s.count = 0


class MoreStates(Counter):
    @action
    def give(self, s):
        require(s.taken and s.count <= self.Most, "it cannot be given back")
        s.count += 1
        s.taken = False


class StepMissing(Counter):
    @action
    def reset(self, s):
        require(False, "it is never time")


class StepMore(Counter):
    @action
    def drop(self, s):
        require(s.taken and s.count == 0, "it cannot be dropped")
        s.taken = False


class BeginsLater(Counter):
    count = Variable(1)


class Laps(Counter):
    """One that remembers what the module does not."""

    lap = Variable(0)

    @action
    def reset(self, s):
        require(not s.taken and s.count == self.Most, "it is not time")
        s.count = 0
        s.lap = 1


class LastLap(Laps):
    @action
    def take(self, s):
        require(not s.taken, "it is taken")
        require(s.lap == 0 or s.count != 1, "it is the last lap")
        s.taken = True


class Fails(Counter):
    @action
    def give(self, s):
        require(s.taken, "it is free")
        s.count = 1 // (1 - s.count)
        s.taken = False


PORT = Port(
    lambda model: {"Most": model.Most},
    lambda model, s: {"count": s.count, "owner": record(who=string("me")) if s.taken else name("Nobody")},
)


def compared(model: type[Model], port: Port = PORT, **options: Any) -> Sameness:
    return follow_text(machine_of(model()), MODULE, port, **options)


def test_a_model_is_the_same_as_its_module_with_the_models_constants() -> None:
    found = compared(Counter)
    assert str(found) == "\N{CHECK MARK} the same: 6 states and 6 steps of counter and Counter.tla"
    assert found.holds is True
    assert found.trace is None
    assert found.one.has == found.other.has == Figures(1, 6, 6)  # with Most = 2; the configuration has 1


def test_more_states_are_noticed_with_the_step_that_leads_there() -> None:
    found = compared(MoreStates)
    assert found.holds is False
    assert found.one.alone == Figures(0, 2, 2)
    assert found.other.alone == Figures(0, 0, 0)
    assert str(found).splitlines() == [
        "\N{BALLOT X} not the same: more_states does what the other does not",
        "               initial  states  steps",
        "  more_states        1       8      8",
        "    alone            0       2      2",
        "  Counter.tla        1       6      6",
        "    alone            0       0      0",
        "",
        "more_states alone, after 6 states: give",
        "  Counter.tla has no step there",
    ]
    assert found.trace is not None
    assert [step.label for step in found.trace.steps][-2:] == ["take", "give"]
    assert replay(MoreStates(), found.trace.start, found.trace.moves).last == found.trace.last


def test_a_missing_step_is_noticed_though_the_states_are_the_same() -> None:
    found = compared(StepMissing)
    assert found.holds is False
    assert found.other.alone == Figures(0, 0, 1)
    assert found.one.alone == Figures(0, 0, 0)
    assert found.other.extra is not None
    assert found.other.extra.label == "Reset"
    assert found.other.extra.nearest == "take"
    assert found.other.extra.lines == ["count: 2 in place of 0", 'owner: [who |-> "me"] in place of Nobody']
    assert found.trace is found.other.extra.trace
    assert found.trace.model.name == "Counter"


def test_one_more_step_is_noticed_and_told_in_the_modules_terms() -> None:
    found = compared(StepMore)
    assert found.one.alone == Figures(0, 0, 1)
    assert found.other.alone == Figures(0, 0, 0)
    assert str(found).splitlines()[-3:] == [
        "step_more alone, after 2 states: drop",
        "  nearest in Counter.tla: Give, but",
        "    count: 1 in place of 0",
    ]


def test_another_initial_state_is_noticed() -> None:
    found = compared(BeginsLater)
    assert found.holds is False
    assert found.one.alone == found.other.alone == Figures(1, 0, 0)
    assert "begins_later alone begins like this:" in str(found)
    assert "    count: 0 in place of 1" in str(found).splitlines()


def test_a_mapping_that_forgets_hides_no_difference() -> None:
    kept = compared(Laps)
    assert kept.holds is True
    assert "note: 12 states of laps are mapped to 6" in str(kept)
    found = compared(LastLap)
    assert found.one.has == found.other.has  # the same states, and the same pairs of states
    assert found.holds is False
    assert found.other.alone == Figures(0, 0, 1)
    assert found.other.extra is not None
    assert found.other.extra.label == "Take"


@pytest.mark.parametrize("most", [1, 3, 5])
def test_with_a_budget_too_small_nothing_is_decided(most: int) -> None:
    found = compared(Counter, budget=Budget(states=most))
    assert found.holds is None
    assert f"not decided: the budget of {most} state{'s' * (most > 1)} is used up" in str(found)
    assert compared(Counter, budget=Budget(states=6)).holds is True


def test_a_comparison_stops_on_request() -> None:
    asked = threading.Event()
    found = compared(Counter, watch=Watch(lambda at: asked.set(), asked.is_set))
    assert found.holds is None
    assert "stopped on request" in str(found.why)


def test_ctrl_c_gives_what_was_found_so_far() -> None:
    found = compared(Counter, watch=Watch(lambda at: os.kill(os.getpid(), signal.SIGINT)))
    assert found.holds is None
    assert found.why == "not decided: interrupted"


def test_values_of_two_kinds_are_not_the_same() -> None:
    port = Port(PORT.constants, lambda model, s: {**PORT.state(model, s), "count": True if s.count == 1 else s.count})
    assert compared(Counter, port).holds is False


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ({"count": 0}, "the mapping to Counter gives no value to owner; its variables are count, owner"),
        (
            {"count": 0, "owner": 0, "lap": 0},
            "the mapping to Counter gives a value to lap; its variables are count, owner",
        ),
    ],
)
def test_a_mapping_gives_a_value_to_each_variable(state: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError) as error:
        compared(Counter, Port(PORT.constants, lambda model, s: state))
    assert str(error.value) == why


def test_a_constant_that_nobody_maps_is_told() -> None:
    found = compared(Counter, Port(lambda model: {}, PORT.state))
    assert found.holds is False
    assert found.remarks == ["Most of Counter have the values of its configuration"]


def test_an_error_of_the_model_comes_with_its_trace() -> None:
    with pytest.raises(ModelError) as error:
        compared(Fails)
    assert error.value.trace is not None
    assert len(error.value.trace) == 4


@pytest.mark.slow
def test_machines_are_compared_whatever_their_language() -> None:
    model = machine_of(Bakery(Writers=2, MaxCrashes=0))
    names = model.layout.variables

    def itself(s: Any) -> dict[str, Any]:
        return {name: getattr(s, name) for name in names}

    assert same(model, model, itself).holds is True
    assert same(Bakery(Writers=2, MaxCrashes=0, LazyReap=False), model, itself).holds is True  # there is no orphan
    assert same(Bakery(Writers=2, MaxCrashes=1), model, itself).holds is False


def test_each_protocol_maps_the_constants_and_variables_of_its_own_models() -> None:
    """The texts are elsewhere; what is seen here is that the mappings go through, and tell all states apart."""
    for protocol in protocols().values():
        for module, place in protocol.texts.items():
            port = protocol.part(place)
            model = machine_of(get_model(port.model))
            (first,) = model.initial_states()
            assert port.constants(model.author), module
            assert port.state(model.author, first), module


def test_the_script_compares_each_text_where_something_is_violated() -> None:
    assert SETTINGS.keys() == {module for protocol in protocols().values() for module in protocol.texts}
    for module, names in SETTINGS.items():
        settings = list(map(configuration, names))
        assert len(settings) >= 3, module
        assert any(map(violated, settings)), module
        for one in settings:
            assert get_port(type(one.model.author), module), module


def test_the_port_of_another_model_is_refused() -> None:
    with pytest.raises(InputError, match=r"the mapping to Bakery is one of bakery_published, not of bakery_v2_publ"):
        get_port(BakeryV2, "Bakery")
    with pytest.raises(InputError, match=r"nothing maps bakery_published to Other .there are mappings to Bakery"):
        get_port(Bakery, "Other")


# A text that keeps more --------------------------------------------------------------------------------------------

FIZZ = """---
deadlock_detection: false
---
MOST = 1

atomic action Init:
    count = 0
    owner = None
    ticket = 0

atomic action Take:
    require owner == None
    owner = record(who='me')
    ticket = (ticket + 1) % 3

atomic action Give:
    require owner != None and count < MOST
    count += 1
    owner = None

atomic action Reset:
    require owner == None and count == MOST
    count = 0
"""
ABSTRACTION = Port(
    lambda model: {"MOST": model.Most},
    lambda model, s: {"count": s.count, "taken": s.taken},
    abstraction=lambda s: {"count": s.count, "taken": s.owner is not None and plain(s.owner)["who"] == "me"},
)


def abstracted(model: type[Model], was: str = "", becomes: str = "", port: Port = ABSTRACTION) -> Sameness:
    """The comparison with the text, in which the line `was` is another one."""
    assert was in FIZZ
    return follow_text(machine_of(model()), machines_of(FIZZ.replace(was, becomes, 1), "counter"), port)


def test_both_may_keep_what_the_other_does_not() -> None:
    kept = abstracted(Laps)
    assert kept.holds is True
    assert str(kept).splitlines() == [
        "\N{CHECK MARK} the same: 6 states and 6 steps of laps and counter.fizz",
        "  note: 12 states of laps are mapped to 6",
        "  note: 18 states of counter.fizz are mapped to 6",
    ]
    assert [side["own_states"] for side in kept.as_dict()["machines"]] == [12, 18]


@pytest.mark.parametrize(
    ("model", "alone", "beside"),
    [
        (MoreStates, (0, 2, 2), (0, 0, 0)),
        (StepMissing, (0, 0, 0), (0, 0, 1)),
        (StepMore, (0, 0, 1), (0, 0, 0)),
        (BeginsLater, (1, 0, 0), (1, 0, 0)),
        (LastLap, (0, 0, 0), (0, 0, 1)),
    ],
)
def test_an_abstraction_hides_nothing_that_differs_in_the_model(
    model: type[Model], alone: tuple[int, ...], beside: tuple[int, ...]
) -> None:
    found = abstracted(model)
    assert found.holds is False
    assert (found.one.alone, found.other.alone) == (alone, beside)


@pytest.mark.parametrize(
    ("was", "becomes", "alone", "beside"),
    [
        ("count < MOST", "count <= MOST", (0, 0, 0), (0, 2, 2)),
        ("count = 0\n    owner", "count = 1\n    owner", (1, 0, 0), (1, 0, 0)),
        ("owner == None and count == MOST", "False", (0, 0, 1), (0, 0, 0)),
        ("owner == None and count == MOST", "owner == None and count >= 1", (0, 0, 0), (0, 0, 1)),
        ("count == MOST", "count == MOST and ticket != 1", (0, 0, 1), (0, 0, 0)),  # other tickets have the step
    ],
)
def test_an_abstraction_hides_nothing_that_differs_in_the_text(
    was: str, becomes: str, alone: tuple[int, ...], beside: tuple[int, ...]
) -> None:
    found = abstracted(Counter, was, becomes)
    assert found.holds is False
    assert (found.one.alone, found.other.alone) == (alone, beside)


def test_what_differs_is_told_in_the_terms_of_the_abstraction() -> None:
    found = abstracted(Counter, "count == MOST", "count == MOST and ticket != 1")
    lines = str(found).splitlines()
    start = lines.index("counter alone, after 5 states: reset")
    assert lines[start + 1 : start + 4] == [
        "  nearest in counter.fizz: Take, but",
        "    count: 2 in place of 0",
        "    taken: TRUE in place of FALSE",
    ]


def test_a_value_that_no_state_can_have_is_refused() -> None:
    def both(value: object) -> Port:
        return Port(ABSTRACTION.constants, lambda model, s: {"count": value}, abstraction=lambda s: {"count": 1})

    for value, shown in (([1], "[1]"), ((1, {2}), "(1, {2})")):
        with pytest.raises(InputError) as error:
            abstracted(Counter, port=both(value))
        why = f"gives count the value {shown}, which no state can have; it takes tuples, frozensets and Maps"
        assert str(error.value) == f"the mapping to the abstraction of counter {why}"


def test_an_abstraction_has_the_same_names_for_both() -> None:
    port = Port(ABSTRACTION.constants, lambda model, s: {"count": s.count}, abstraction=ABSTRACTION.abstraction)
    with pytest.raises(InputError) as error:
        abstracted(Counter, port=port)
    why = "the mapping to the abstraction of counter gives no value to taken; its variables are count, taken"
    assert str(error.value) == why


# The command ---------------------------------------------------------------------------------------------------------

#: The model above as a file of its own.
_MODEL = f"""
from workbench.checking.following.port import Port, name, record, string
from workbench.language import *


{inspect.getsource(Counter)}

PORT = Port(
    lambda model: {{"Most": model.Most}},
    lambda model, s: {{"count": s.count, "owner": record(who=string("me")) if s.taken else name("Nobody")}},
)
ABSTRACTION = Port(
    lambda model: {{"MOST": model.Most}},
    lambda model, s: {{"count": s.count, "taken": s.taken}},
    abstraction=lambda s: {{"count": s.count, "taken": s.owner is not None}},
)
"""


class Place:
    """A folder with the model, the module and its configurations."""

    def __init__(self, folder: Path, capsys: Any) -> None:
        self.folder, self._run = folder, runner(capsys)
        (folder / "counter.py").write_text(_MODEL)
        (folder / "Counter.tla").write_text(TEXT)
        (folder / "counter.fizz").write_text(FIZZ)
        (folder / "Counter.cfg").write_text(CFG)
        (folder / "Small.cfg").write_text(CFG.replace("SPECIFICATION Spec", "INIT Init NEXT Next"))

    def validate(self, *options: object, file: str = "Counter.tla", port: str | None = "PORT") -> Done:
        named = [] if port is None else ["--map", f"{self.folder}/counter.py:{port}"]
        return self._run("validate", f"{self.folder}/counter.py", f"{self.folder}/{file}", *named, *options)


@pytest.fixture
def place(tmp_path: Path, capsys: Any) -> Place:
    return Place(tmp_path, capsys)


@pytest.mark.parametrize("file", ["Counter.tla", "Counter.tla:Small.cfg"])
@pytest.mark.parametrize(("most", "states"), [(2, 6), (3, 8)])
def test_the_command_compares_with_the_models_constants(place: Place, file: str, most: int, states: int) -> None:
    (place.folder / "one.py").write_text(_MODEL.partition("ABSTRACTION")[0])
    done = place.validate("--set", f"Most={most}", "--map", place.folder / "one.py", file=file, port=None)
    assert done.status == 0
    assert done.out == f"\N{CHECK MARK} the same: {states} states and {states} steps of counter and Counter.tla\n"


def test_the_command_compares_with_a_fizzbee_text(place: Place) -> None:
    done = place.validate(file="counter.fizz", port="ABSTRACTION")
    assert done.status == 0
    assert done.out == (
        "\N{CHECK MARK} the same: 6 states and 6 steps of counter and counter.fizz\n"
        "  note: 18 states of counter.fizz are mapped to 6\n"
    )
    assert place.validate("--set", "Early=true", file="counter.fizz", port="ABSTRACTION").status == 1


def test_the_command_tells_what_differs(place: Place, tmp_path: Path) -> None:
    done = place.validate("--set", "Early=true", "--trace", "-o", tmp_path / "trace.itf.json")
    assert done.status == 1
    assert "counter alone, after 3 states: reset\n  nearest in Counter.tla: Take, but\n" in done.out
    assert "  4  reset\n       count: 1 -> 0" in done.out
    assert len(json.loads((tmp_path / "trace.itf.json").read_text())["states"]) == 4
    told = json.loads(place.validate("--set", "Early=true", "--json").out)
    assert told["holds"] is False
    assert [one["alone"] for one in told["machines"]] == [
        {"initial": 0, "states": 0, "steps": 1},
        {"initial": 0, "states": 0, "steps": 0},
    ]
    assert [one["first_alone"] for one in told["machines"]] == ["reset", None]


def test_the_command_does_not_decide_with_too_small_a_budget(place: Place) -> None:
    done = place.validate("--max-states", 3)
    assert done.status == 3
    assert "not decided: the budget of 3 states is used up" in done.out


@pytest.mark.parametrize(
    ("options", "port", "why"),
    [
        ([], None, "nothing maps counter to Counter; --map file.py:NAME gives a Port"),
        (["--stutter"], "PORT", "--stutter is not accepted with a module, whose states are compared"),
        (["--settings"], "PORT", "--settings is not accepted with a module, whose states are compared"),
        ([], "OTHER", "unknown Port in"),
    ],
)
def test_the_command_refuses_what_does_not_fit(place: Place, options: list[str], port: str | None, why: str) -> None:
    done = place.validate(*options, port=port)
    assert done.status == 2
    assert why in done.err
