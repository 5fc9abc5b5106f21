"""A machine written by hand, without the modelling language: processes in a ring pass a token on."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from workbench.kernel.meaning.constants import Constant
from workbench.kernel.meaning.domains import Names
from workbench.kernel.meaning.machine import Family, Machine
from workbench.kernel.meaning.parameters import Parameters
from workbench.kernel.meaning.properties import Invariant, Liveness, Property, leads_to
from workbench.kernel.meaning.state import Layout, Values
from workbench.kernel.meaning.steps import ActionInstance, Fairness, Outcome, PlainAction

ASK, PASS = (PlainAction(name, Parameters([(("p",), "Members")])) for name in ("ask", "pass_on"))
IS_SERVED = Liveness("IsServed", lambda ring, p: leads_to(lambda s: s.asks[p], lambda s: not s.asks[p]))
ONE_ASKS = Invariant("OneAsks", lambda ring, s: sum(s.asks.values()) < 2)


class Turn(ActionInstance):
    """A process asks for the token; or who has it has what it asked for, and passes it on."""

    def __init__(self, names: Sequence[str], number: int, action: PlainAction, place: int) -> None:
        super().__init__(number, action, (names[place],))
        self.next, self.count, self.place = names[(place + 1) % len(names)], len(names), place

    def run(self, before: Values) -> tuple[list[Outcome], list[str]]:
        asks = before[1 + self.place]
        if self.action is ASK:
            return ([], ["it asks already"]) if asks else ([Outcome((), {1 + self.place: True})], [])
        if before[0] != self.arguments[0]:
            return [], ["another one has the token"]
        counted = frozenset({self.place, self.count + self.place} if asks else {self.place})
        return [Outcome((), {0: self.next, 1 + self.place: False}, counted)], []


class HandMade(Machine):
    """All that is declared of it is in force, whatever its constants are; a copy of it is made from these."""

    def __init__(self, /, **constants: Any) -> None:
        self.author, self.constants = self, self.declared.parsed(constants)
        self.actions, self.properties = self.declared.actions, self.declared.properties
        self.constraints = self.declared.constraints

    def __reduce__(self) -> Any:
        return type(self)._of, (dict(self.constants),)

    @classmethod
    def _of(cls, constants: Mapping[str, Any]) -> "HandMade":
        return cls(**constants)

    def with_constants(self, constants: Mapping[str, Any]) -> Machine:
        return type(self)(**constants)


class Ring(HandMade):
    """Passing the token on is fair, and so is passing it on after it was asked for."""

    declared = Family(
        "ring", "Ring", ("Members",),
        constants={"Members": Constant(3, Names("p", range(1, 6)), "the processes, in the order of the ring")},
        actions={one.name: one for one in (ASK, PASS)},
        properties={one.name: one for one in (ONE_ASKS, IS_SERVED)},
    )  # fmt: skip

    def __init__(self, /, **constants: Any) -> None:
        super().__init__(**constants)
        names = self.constants["Members"]
        self.layout = Layout({"token": None, "asks": names})
        places = [(action, place) for action in (ASK, PASS) for place in range(len(names))]
        self.instances = [Turn(names, number, *one) for number, one in enumerate(places)]

    def each_initial_state(self) -> Iterator[Any]:
        names = self.constants["Members"]
        yield self.state([names[0], *(False for _ in names)])

    def arguments_of(self, declared: Property) -> Iterable[tuple[Any, ...]]:
        return [(name,) for name in self.constants["Members"]] if declared is IS_SERVED else [()]

    @property
    def fairness(self) -> Sequence[Fairness]:
        names = self.constants["Members"]
        taken = {name: frozenset({len(names) + place}) for place, name in enumerate(names)}
        return [Fairness(label, strong, taken[label]) for strong in (False, True) for label in names]

    def renamings(self, sets: Sequence[str] | None = None) -> list[dict[str, str]]:
        names = self.constants["Members"]
        turned = [names[at:] + names[:at] for at in range(len(names))]
        return [dict(zip(names, images, strict=True)) for images in turned]
