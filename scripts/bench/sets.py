"""Sets with a declared universe: a protocol with a frozenset in a cell, a declared set, and a cell for each member."""

import itertools
from collections.abc import Iterable
from typing import Any, NamedTuple

from workbench.checking.check import check
from workbench.kernel import Constant, Model, Names, SetOf, Variable, action, invariant, reachable, require
from workbench.kernel.meaning.budget import Budget


class Message(NamedTuple):
    """A message of either protocol; unused fields are None."""

    type: str
    sender: str | None = None
    ballot: int | None = None
    voted: int | None = None
    value: str | None = None


class Protocol(Model):
    """The protocols' base: each set is a frozenset in one cell, unless a way of writing it overrides that."""

    sent, prepared = Variable(frozenset()), Variable(frozenset())

    def has(self, box: Any, member: Any) -> Any:
        return member in box

    def add(self, s: Any, name: str, member: Any) -> None:
        setattr(s, name, getattr(s, name) | {member})

    def those(self, box: Any, **fields: Any) -> Iterable[Any]:
        return [m for m in box if all(getattr(m, field) == value for field, value in fields.items())]


class Declared:
    """Each set has a declared universe."""

    sent, prepared = SetOf("messages"), SetOf("senders")

    def those(self, box: Any, **fields: Any) -> Iterable[Any]:
        members: Iterable[Any] = box.where(**fields)
        return members


class CellsByHand:
    """Each member has a cell of its own."""

    sent, prepared = Variable(False, per="messages"), Variable(False, per="senders")

    def has(self, box: Any, member: Any) -> Any:
        return box[member]

    def add(self, s: Any, name: str, member: Any) -> None:
        getattr(s, name)[member] = True

    def those(self, box: Any, **fields: Any) -> Iterable[Any]:
        having = [m for m in box if all(getattr(m, field) == value for field, value in fields.items())]
        return [m for m in having if box[m]]


WAYS: dict[str, tuple[type, ...]] = {"one frozenset": (), "SetOf": (Declared,), "cells by hand": (CellsByHand,)}


class TwoPhaseCommit(Protocol):
    """Managers prepare, or abort on their own; the transaction commits once all report that they are prepared."""

    symmetry = ("Managers",)
    Managers = Constant(3, Names("r", range(1, 11)), "who takes part in the transaction")
    doing = Variable("working", per="Managers")
    decision = Variable(None)

    def senders(self) -> Iterable[Any]:
        return self.Managers

    def messages(self) -> Iterable[Message]:
        return [*(Message("prepared", r) for r in self.Managers), Message("commit"), Message("abort")]

    @action(r="Managers")
    def prepare(self, s: Any, r: str) -> None:
        require(s.doing[r] == "working", f"{r} is {s.doing[r]}")
        s.doing[r] = "prepared"
        self.add(s, "sent", Message("prepared", r))

    @action(r="Managers")
    def give_up(self, s: Any, r: str) -> None:
        require(s.doing[r] == "working", f"{r} is {s.doing[r]}")
        s.doing[r] = "aborted"

    @action(r="Managers")
    def hear(self, s: Any, r: str) -> None:
        require(s.decision is None, "it is decided")
        require(self.has(s.sent, Message("prepared", r)), f"{r} has not said that it is prepared")
        self.add(s, "prepared", r)

    @action
    def commit(self, s: Any) -> None:
        require(s.decision is None, "it is decided")
        require(all(self.has(s.prepared, r) for r in self.Managers), "not everybody has prepared")
        s.decision = "commit"
        self.add(s, "sent", Message("commit"))

    @action
    def abort(self, s: Any) -> None:
        require(s.decision is None, "it is decided")
        s.decision = "abort"
        self.add(s, "sent", Message("abort"))

    @action(r="Managers")
    def hear_commit(self, s: Any, r: str) -> None:
        require(self.has(s.sent, Message("commit")), "nobody has said that it is committed")
        s.doing[r] = "committed"

    @action(r="Managers")
    def hear_abort(self, s: Any, r: str) -> None:
        require(self.has(s.sent, Message("abort")), "nobody has said that it is aborted")
        s.doing[r] = "aborted"

    @invariant(r="Managers", other="Managers")
    def Agreed(self, s: Any, r: str, other: str) -> bool:  # noqa: N802
        return not (s.doing[r] == "committed" and s.doing[other] == "aborted")

    @reachable
    def Committed(self, s: Any) -> bool:  # noqa: N802
        return all(doing == "committed" for doing in s.doing.values())


class Paxos(Protocol):
    """Acceptors vote on values in ballots, so that at most one value is ever chosen."""

    symmetry = ("Acceptors", "Values")
    Acceptors = Constant(3, Names("a", range(1, 5)), "who votes")
    Values = Constant(2, Names("v", range(1, 4)), "what is voted on")
    Ballots = Constant(2, range(1, 5), "how many ballots there are")
    promised = Variable(-1, per="Acceptors")
    voted = Variable((-1, None), per="Acceptors")

    def validate(self) -> None:
        self.quorums = tuple(itertools.combinations(self.Acceptors, len(self.Acceptors) // 2 + 1))

    def ballots(self) -> Iterable[int]:
        return range(self.Ballots)

    def senders(self) -> Iterable[Any]:
        return ()

    def messages(self) -> Iterable[Message]:
        for b in self.ballots():
            yield Message("1a", ballot=b)
            yield from (Message("2a", ballot=b, value=v) for v in self.Values)
            for a in self.Acceptors:
                yield Message("1b", a, b, -1)
                yield from (Message("1b", a, b, earlier, v) for earlier in range(b) for v in self.Values)
                yield from (Message("2b", a, b, value=v) for v in self.Values)

    @action(b="ballots")
    def begin(self, s: Any, b: int) -> None:
        self.add(s, "sent", Message("1a", ballot=b))

    @action(a="Acceptors", b="ballots")
    def promise(self, s: Any, a: str, b: int) -> None:
        require(s.promised[a] < b, f"{a} has promised not to")
        require(self.has(s.sent, Message("1a", ballot=b)), f"ballot {b} has not begun")
        s.promised[a] = b
        self.add(s, "sent", Message("1b", a, b, *s.voted[a]))

    @action(b="ballots", v="Values")
    def propose(self, s: Any, b: int, v: str) -> None:
        require(not self.those(s.sent, type="2a", ballot=b), f"ballot {b} has its value")
        promises = list(self.those(s.sent, type="1b", ballot=b))
        require(any(_allow(promises, quorum, v) for quorum in self.quorums), f"no quorum allows {v}")
        self.add(s, "sent", Message("2a", ballot=b, value=v))

    @action(a="Acceptors", b="ballots", v="Values")
    def vote(self, s: Any, a: str, b: int, v: str) -> None:
        require(s.promised[a] <= b, f"{a} has promised not to")
        require(self.has(s.sent, Message("2a", ballot=b, value=v)), f"{v} is not proposed in ballot {b}")
        s.promised[a], s.voted[a] = b, (b, v)
        self.add(s, "sent", Message("2b", a, b, value=v))

    def is_chosen(self, s: Any, v: str) -> bool:
        return any(
            all(self.has(s.sent, Message("2b", a, b, value=v)) for a in quorum)
            for b in self.ballots()
            for quorum in self.quorums
        )

    @invariant
    def OneValue(self, s: Any) -> bool:  # noqa: N802
        return sum(self.is_chosen(s, v) for v in self.Values) <= 1

    @reachable
    def Chosen(self, s: Any) -> bool:  # noqa: N802
        return any(self.is_chosen(s, v) for v in self.Values)


def _allow(promises: Iterable[Message], quorum: tuple[str, ...], value: str) -> bool:
    """Whether a quorum's promises allow a value: that of the latest vote among them, or any if there is none."""
    theirs = [m for m in promises if m.sender in quorum]
    if len({m.sender for m in theirs}) < len(quorum):
        return False
    latest = max(m.voted for m in theirs if m.voted is not None)
    return latest < 0 or any(m.voted == latest and m.value == value for m in theirs)


PROTOCOLS: dict[str, type[Protocol]] = {"TwoPhaseCommit": TwoPhaseCommit, "Paxos": Paxos}
CASES = (
    *(("TwoPhaseCommit", {"Managers": 6}, way) for way in WAYS),
    *(("TwoPhaseCommit", {"Managers": 8}, way) for way in ("SetOf", "cells by hand")),
    *(("Paxos", {"Ballots": 2}, way) for way in WAYS),
    *(("Paxos", {"Ballots": 3}, way) for way in ("SetOf", "cells by hand")),
)


def written(protocol: str, way: str) -> type[Model]:
    """A protocol written in one of the ways."""
    return type(protocol, (*WAYS[way], PROTOCOLS[protocol]), {})


def row(protocol: str, constants: dict[str, Any], way: str) -> dict[str, Any]:
    """One check; run it in a separate process."""
    kind = written(protocol, way)
    check(kind(), engine="local", budget=Budget(states=100))  # compiles before the clock runs
    result = check(kind(**constants), engine="local")
    return {
        "protocol": " ".join([protocol, *(f"{name}={value}" for name, value in constants.items())]),
        "sets": way,
        "distinct": result.distinct,
        "generated": result.generated,
        "seconds": round(result.seconds, 2),
        "tree MiB": round(result.figures["tree_bytes"] / 2**20, 2),
        "Python calls": int(result.figures["python_calls"]),
    }
