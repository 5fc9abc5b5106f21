"""A machine written by hand that has all that one can have: processes, fairness, a constraint, an end, a symmetry.

Runners pass a baton on around a track, and a clock may ring once.
"""

from collections.abc import Iterable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

from tests.ring import HandMade
from workbench.kernel.meaning.constants import Constant
from workbench.kernel.meaning.domains import Names
from workbench.kernel.meaning.machine import Family
from workbench.kernel.meaning.parameters import Parameters
from workbench.kernel.meaning.properties import Constraint, Invariant, Liveness, Property, leads_to
from workbench.kernel.meaning.state import Layout, Values
from workbench.kernel.meaning.steps import (
    ActionInstance,
    Fairness,
    Outcome,
    PlainAction,
    PlainProcess,
    PlainVariable,
)

RUNNER, CLOCK = PlainProcess("runner", "Runners", "pc", doc="who runs"), PlainProcess("clock", pc="rung", fair="weak")
OWN = Parameters([(("r",), "Runners")])
START = PlainAction("start", OWN, "Begin to run.", process=RUNNER)
PASS = PlainAction("pass_on", OWN, "Pass the baton on.", process=RUNNER, fair="strong", fair_when=True)
RING = PlainAction("ring", doc="Ring.", process=CLOCK)
ONE_RUNS = Invariant("OneRuns", lambda relay, s: list(s.pc.values()).count("run") < 2)
ARRIVES = Liveness("Arrives", lambda relay, r: leads_to(lambda s: s.pc[r] == "run", lambda s: s.pc[r] == "rest"))
SHORT = Constraint("Short", lambda relay, s: s.laps < relay.constants["Laps"])


class Turn(ActionInstance):
    """A step of a runner at a place of the track, or of the clock."""

    def __init__(self, relay: "Relay", number: int, action: PlainAction, place: int) -> None:
        names = relay.constants["Runners"]
        super().__init__(number, action, () if action is RING else (names[place],))
        self.place, self.next = place, names[(place + 1) % len(names)]
        self.waits, self.rung = not relay.constants["Early"], 2 + len(names)

    def run(self, before: Values) -> tuple[list[Outcome], list[str]]:
        at = 2 + self.place
        if self.action.name == "ring":
            return ([], ["it has rung"]) if before[self.rung] else ([Outcome((), {self.rung: True})], [])
        if self.action.name == "pass_on":
            if before[at] == "rest":
                return [], ["nobody runs here"]
            return [Outcome((), {at: "rest", 0: self.next, 1: before[1] + 1}, frozenset({self.place}))], []
        if before[at] == "run":
            return [], ["it runs already"]
        if self.waits and before[0] != self.arguments[0]:
            return [], ["another one has the baton"]
        return [Outcome((), {at: "run"})], []


class Relay(HandMade):
    """Runners pass a baton on; with Early one may start without it."""

    declared = Family(
        "relay", "Relay",
        constants={
            "Runners": Constant(2, Names("r", range(2, 5)), "who runs"),
            "Laps": Constant(2, range(1, 5), "how often the baton is passed on"),
            "Early": Constant(True, bool, "a runner may start without the baton"),
        },
        variables={
            "baton": PlainVariable(doc="who has it"), "laps": PlainVariable(ghost=True, initial=0),
            "pc": PlainVariable("Runners", initial="rest"), "rung": PlainVariable(initial=False),
        },
        processes={one.name: one for one in (RUNNER, CLOCK)},
        actions={one.name: one for one in (START, PASS, RING)},
        properties={one.name: one for one in (ONE_RUNS, ARRIVES)},
        constraints={SHORT.name: SHORT},
        ends=SimpleNamespace(function=lambda relay, s: s.rung),
    )  # fmt: skip

    def __init__(self, /, **constants: Any) -> None:
        super().__init__(**constants)
        names = self.constants["Runners"]
        self.layout = Layout({"baton": None, "laps": None, "pc": names, "rung": None})
        places = [(action, place) for action in (START, PASS) for place in range(len(names))]
        self.instances: list[ActionInstance] = [
            Turn(self, number, *one) for number, one in enumerate([*places, (RING, 0)])
        ]

    def each_initial_state(self) -> Iterator[Any]:
        names = self.constants["Runners"]
        yield self.state([names[0], 0, *("rest" for _ in names), False])

    def arguments_of(self, declared: Property) -> Iterable[tuple[Any, ...]]:
        return [(name,) for name in self.constants["Runners"]] if declared is ARRIVES else [()]

    @property
    def fairness(self) -> Sequence[Fairness]:
        names = self.constants["Runners"]
        passing = [Fairness(name, True, frozenset({len(names) + place})) for place, name in enumerate(names)]
        return [*passing, Fairness("clock", False, frozenset({2 * len(names)}))]
