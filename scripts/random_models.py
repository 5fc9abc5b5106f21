"""Random models of the whole language: random tables decide what their actions and properties read, choose and write.

The seed determines a model in every process. Tables never depend on the names of actors, which are therefore
interchangeable. `scripts/campaign.py` and the tests compare engines on such models.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cache, partial
from hashlib import blake2b
from typing import Any, NamedTuple

from workbench.language import *

CELLS = ("c0", "c1", "c2")
KINDS = ("a", "b")


class Phase(Enum):
    ONE = 0
    TWO = 1
    THREE = 2


class Item(NamedTuple):
    kind: str
    owner: str


class Mark(NamedTuple):
    number: int
    by: str


@dataclass(frozen=True)
class Claim:
    number: Any
    by: Mark


def equal(n: int, p: str) -> Any:
    """One of three equal values of different kinds."""
    return ((1, p), (True, p), Mark(1, p))[n]


def which(held: Any) -> int:
    """The number from which :func:`equal` made a value."""
    return 2 if isinstance(held, Mark) else int(held[0] is True)


#: Encoders and decoders, as in HELD, to values that compare equal.
EQUAL: dict[str, tuple[Any, Any]] = {
    "equal": (equal, which),
    "equal booleans": (lambda n, p: (0, False, True)[n], lambda held: held + 1 if type(held) is bool else 0),
    "equal in a tuple": (lambda n, p: (p, (equal(n, p),)), lambda held: which(held[1][0])),
    "equal in a set": (lambda n, p: frozenset({equal(n, p)}), lambda held: which(*held)),
    "equal in a map": (lambda n, p: Map({p: equal(n, p)}), lambda held: which(*held.values())),
    "equal keys": (lambda n, p: Map({equal(n, p): p}), lambda held: which(*held)),
    "equal in an object": (lambda n, p: Claim(equal(n, p), Mark(0, p)), lambda held: which(held.number)),
}

#: Encoders and decoders of a number from 0 to 2 in an actor's own cell.
HELD: dict[str, tuple[Any, Any]] = {
    "number": (lambda n, p: n, lambda held: held),
    "tuple": (lambda n, p: (n, p), lambda held: held[0]),
    "record": (Mark, lambda held: held.number),
    "object": (lambda n, p: Claim(n, Mark(n, p)), lambda held: held.number),
    "member": (lambda n, p: Phase(n), lambda held: held.value),
    "map": (lambda n, p: Map({"by": p, Phase.TWO: n}), lambda held: held[Phase.TWO]),
    "set": (lambda n, p: frozenset({p, *range(n)}), lambda held: len(held) - 1),
    **EQUAL,
}


def of_kind(box, kind):
    """The items of a kind: a frozenset has nothing that a declared set has beside what frozensets have."""
    return box.where(kind=kind) if hasattr(box, "where") else frozenset(m for m in box if m.kind == kind)


class Tables:
    """What a seed decides: choices, which may be overridden by name, and the entries of any table.

    Attributes:
        hold, number: An encoder and a decoder of :data:`HELD`.
        starts: How many initial states there are, but for what depends on the actors.
        often: One of so many steps of the abstract model does not exist.
        keeps: Whether a variable holds an actor.
        bounded: Whether there are constraints.
    """

    def __init__(self, seed: int, chosen: dict[str, Any]) -> None:
        self._seed, self._chosen = seed, chosen
        self.hold, self.number = HELD[self.draw("held", *HELD)]
        self.numbers, self.starts = self.draw("numbers", 2, 2, 2, 3, 4), self.draw("starts", 1, 1, 2, 3)
        self.often = self.draw("often", 2, 5, 50, 1000)
        self.sets = self.draw("sets", None, None, None, "plain", "declared", "declared")
        self.keeps, self.bounded = (
            self.draw("keeps", False, False, True),
            self.draw("bounded", False, False, False, True),
        )

    def entry(self, *words: Any) -> int:
        return int.from_bytes(blake2b(repr((self._seed, *words)).encode(), digest_size=4).digest())

    def draw(self, name: str, *options: Any) -> Any:
        return self._chosen[name] if name in self._chosen else options[self.entry(name) % len(options)]


# Actions -------------------------------------------------------------------------------------------------------------


class Acts:
    """The actions, as their own tables define them."""

    def __init__(self, tables: Tables) -> None:
        self.tables, self.entry = tables, tables.entry
        self.process = Process(per="Actors", fair=tables.draw("fair", None, "weak", "strong"))

    def act(self, kind: str) -> Any:
        """An action of an actor, of two, of one and a cell, or of no process; fairness may count some of its steps."""
        entry, number, take = self.entry, self.tables.number, self._take

        def alone(self, s, p):
            take(self, s, kind, p, p)

        def together(self, s, p, q):
            take(self, s, kind, p, q)

        def there(self, s, p, c):
            take(self, s, kind, p, p, c)

        def anybody(self, s):
            p = choose(self.Actors, "who")
            take(self, s, kind, p, p)

        def counts(s, p, n):
            return entry(kind, "counts", number(s.own[p]), n) % 2 == 0

        function, by, each, domains, fair_when = self.tables.draw(
            f"parameters of {kind}",
            (alone, self.process, [], {}, lambda self, s, p, *, n: counts(s, p, n)),
            (together, self.process, ["p, q in Edges"], {}, lambda self, s, p, q: counts(s, p, number(s.own[q]))),
            (there, self.process, [], {"c": "cells"}, lambda self, s, p, c, *, n: counts(s, p, n)),
            (anybody, None, [], {}, lambda self, s, *, who: counts(s, who, 0)),
        )
        fair = self.tables.draw(f"fairness of {kind}", None, None, "weak", "strong", False)
        some = entry(kind, "some") % 2 and fair is not False and (fair or (by and by.fair))
        function.__name__ = kind
        return action(by, *each, fair=fair, fair_when=fair_when if some else None, **domains)(function)

    def _take(self, model: Any, s: Any, kind: str, p: Any, q: Any, cell: str | None = None) -> None:
        """The body of every action."""
        entry, tables = self.entry, self.tables
        seen = self._look(s, kind, p, q)
        require((kind == "first" and seen[0] == 0) or entry(kind, "on", seen) % 4 != 0, "the table says no")
        if entry(kind, "choice", seen) % 2:
            seen += (choose(range((entry(kind, "count", seen) + 1) % 8 // 2), "n"),)
        if tables.sets and entry(kind, "uses", seen) % 3:
            self._use_box(model, s, p, partial(entry, kind, "box", seen))
        if entry(kind, "writes", seen) % 4:
            s.shared[cell or CELLS[entry(kind, "cell", seen) % 3]] = entry(kind, "to", seen) % tables.numbers
        if entry(kind, "moves", seen) % 3:
            s.own[q] = tables.hold(entry(kind, "own", seen) % 3, q)
        if tables.keeps and entry(kind, "hands over", seen) % 3 == 0:
            s.keeper = (lambda: None, lambda: p, lambda: q, lambda: choose(model.Actors, "whom"))[
                entry(kind, "keeper", seen) % 4
            ]()

    def _look(self, s: Any, kind: str, p: Any, q: Any) -> tuple[Any, ...]:
        """The values that an action sees before it decides."""
        entry, number = self.entry, self.tables.number
        seen: tuple[Any, ...] = (number(s.own[p]),)
        if entry(kind, "more", seen) % 2:
            seen += (s.shared[CELLS[entry(kind, "which", seen) % 3]],)
        if self.tables.keeps and entry(kind, "asks", seen) % 2:
            seen += (s.keeper is None, s.keeper == p)
        if p != q and entry(kind, "both", seen) % 2:
            seen += (number(s.own[q]),)
        return seen

    def _use_box(self, model: Any, s: Any, p: Any, entry: Callable[[str], int]) -> None:
        """One of the things that one can do with a set."""
        kind, item, mine = KINDS[entry("kind") % 2], Item(KINDS[entry("item") % 2], p), entry("where") % 2
        box = s.boxes[p] if mine else s.shelf

        def put(value):
            if mine:
                s.boxes[p] = value
            else:
                s.shelf = value

        match entry("what") % 17:
            case 3:
                put(box - {item})
            case 4:
                put(frozenset({item}))
            case 5:
                put(of_kind(box, kind))
            case 6:
                put(box - of_kind(box, kind))
            case 7:
                require(item in box, "it is not there")
            case 8:
                require(not box, "it is not empty")
            case 9:
                require(len(box) < 3, "there are too many")
            case 10:
                put(box - {choose(of_kind(box, kind), "taken")})
            case 11:
                require(box <= {Item(kind, owner) for owner in model.Actors}, "there is another kind")
            case 12:
                put(box ^ {item, Item(kind, p)})
            case 13:
                before = box
                put(box | {item})
                now = s.boxes[p] if mine else s.shelf
                s.own[p] = self.tables.hold((len(before) + len(now) + (item in before)) % 3, p)
            case _:
                put(box | {item})


# Models --------------------------------------------------------------------------------------------------------------


@cache
def random_model(seed: int, **chosen: Any) -> type[Model]:
    """The class of a random model.

    Args:
        **chosen: Choices that override the seed's, by the names that :meth:`Tables.draw` takes: ``sets=None`` for a
            model without sets, ``sets="plain"`` for one whose sets are frozensets in cells, and so on.
    """
    tables = Tables(seed, chosen)
    return _judged_over_time(tables, _judged_with_sets(tables, _judged(tables, _acting(tables))))


def _acting(tables: Tables) -> type[Model]:
    """The constants, variables, actions and constraints."""
    entry, number, acts = tables.entry, tables.number, Acts(tables)

    class Acting(Model):
        symmetry = ("Actors",)
        kinds = (Phase, Mark, Claim, Item)
        cells, one = CELLS, 1

        Actors = Constant(tables.draw("actors", 1, 2, 2, 2, 3), Names("p", range(1, 4)), "who acts")
        Edges = Constant("complete", Relation("Actors"), "who sees whom")
        own = Variable(lambda m, p: tables.hold(0, p), per="Actors")
        shared = Variable(0, per="cells")
        if tables.keeps:
            keeper = Variable(None)
        if tables.sets:
            boxes = SetOf("items", per="Actors") if tables.sets == "declared" else Variable(frozenset(), per="Actors")
            shelf = SetOf("items") if tables.sets == "declared" else Variable(frozenset())
        actor = acts.process
        first, second = acts.act("first"), acts.act("second")
        if tables.draw("third", False, True):
            third = acts.act("third")

        def items(self):
            return [Item(kind, owner) for kind in KINDS for owner in self.Actors]

        @initial
        def begin(self, s):
            s.shared["c1"] = choose(range(tables.starts))
            if tables.keeps and s.shared["c1"] == 1:
                s.keeper = choose((None, *self.Actors))

        @constraint(p="Actors", when=lambda self: tables.bounded and entry("near") % 3)
        def Near(self, s, p):
            return number(s.own[p]) != 2 or entry("within", s.shared["c1"]) % 3 > 0

        @constraint(when=lambda self: tables.bounded)
        def Low(self, s):
            return (s.shared["c0"], s.shared["c2"]) == (0, 0) or entry("low", s.shared["c0"], s.shared["c2"]) % 3 > 0

        if tables.draw("ending", False, True):

            @ends
            def over(self, s):
                return s.shared["c0"] > 0

    return Acting


def _judged(tables: Tables, acting: type[Model]) -> type[Model]:
    """With properties of states and of steps."""
    entry, number, numbers = tables.entry, tables.number, tables.numbers

    class Judged(acting):  # type: ignore[valid-type, misc]
        @invariant
        def Never(self, s):
            return (s.shared["c0"], s.shared["c2"]) != (entry("never") % 3, entry("ever") % 4)

        @invariant(c="cells")
        def Bounded(self, s, c):
            return s.shared[c] < numbers - entry("bound") % 2 or f"{c} is {s.shared[c]}"

        @invariant(c="cells")
        def Apart(self, s, c):
            return s.shared[c] != numbers - 1 or s.shared["c1"] != 1 or f"{c} is high beside a 1"

        @invariant
        def Modest(self, s):
            return sum(s.shared.values()) < entry("most") % 8

        @invariant("p, q in Edges")
        def NotBoth(self, s, p, q):
            return (number(s.own[p]), number(s.own[q])) != (2, entry("both") % 3) or f"{p} and {q} are both there"

        @reachable
        def All(self, s):
            return all(number(s.own[p]) == 2 for p in self.Actors)

        @step(of=tables.draw("of", (), "second"), p="Actors")
        def Gentle(self, s, t, p):
            change = number(t.own[p]) - number(s.own[p])
            return abs(change) < 2 or unchanged(s, t, "shared") or f"{p} goes on by {change}"

        @step
        def Alone(self, s, t):
            return unchanged(s, t, "own") or unchanged(s, t, Place("shared", "c0"), Place("shared", "c2"))

    return Judged


def _judged_with_sets(tables: Tables, judged: type[Model]) -> type[Model]:
    """With properties and a constraint of the sets, if there are any."""
    if not tables.sets:
        return judged
    entry, number = tables.entry, tables.number

    class WithSets(judged):  # type: ignore[valid-type, misc]
        @reachable
        def Full(self, s):
            return len(s.shelf) == len(self.items())

        @invariant(p="Actors")
        def Judge(self, s, p):
            item = Item(KINDS[entry("bad") % 2], p)
            if item in s.shelf and number(s.own[p]) == 2:
                return f"{item} is on the shelf: {sorted(s.shelf)}"
            return s.boxes[p] >= s.shelf or len(s.boxes[p]) <= entry("room") % 5

        @step(p="Actors")
        def Move(self, s, t, p):
            match entry("move") % 5:
                case 0:
                    return s.boxes[p] <= t.boxes[p] or f"{p} loses {sorted(s.boxes[p] - t.boxes[p])}"
                case 1:
                    return unchanged(s, t, "shelf") or number(t.own[p]) != 2
                case 2:
                    return len(t.shelf - s.shelf) <= 1 or "much is put on the shelf"
                case 3:
                    return s.boxes[p] == t.boxes[p] or unchanged(s, t, "shared", "shelf")
                case _:
                    return t.shelf.isdisjoint(s.boxes[p])

        @constraint(when=lambda self: tables.bounded)
        def Few(self, s):
            return len(s.shelf) < 3 and all(len(box) < 3 for box in s.boxes.values())

    return WithSets


def _judged_over_time(tables: Tables, judged: type[Model]) -> type[Model]:
    """With refinements and liveness."""
    entry, number, numbers = tables.entry, tables.number, tables.numbers

    class View(Model):
        """An actor's knowledge of the table."""

        Viewed = Constant(2, Names("q", range(1, 4)), "who acts")
        Start = Constant(0, range(0, 2), "where it begins")
        n = Variable(lambda m: m.Start)
        turn = Variable(0, per="Viewed")

        @action(q="Viewed")
        def act(self, s, q):
            n, turn = choose(range(4), "n"), choose(range(3), "turn")
            require(entry("view", s.n, s.turn[q], n, turn) % tables.often != 0, "nobody has ever seen that")
            s.n, s.turn[q] = n, turn

    class Random(judged):  # type: ignore[valid-type, misc]
        @refines(View, Viewed="Actors")
        def Seen(self, s):
            return {"n": s.shared["c0"], "turn": {p: number(s.own[p]) for p in self.Actors}}

        @refines(View, Viewed="Actors", Start="one")
        def SeenOtherwise(self, s):
            return {"n": s.shared["c1"] if s.shared["c0"] else 1, "turn": dict.fromkeys(self.Actors, 0)}

        @liveness(c="cells")
        def Grows(self, c):
            return eventually(lambda s: s.shared[c] == entry("goal") % numbers)

        @liveness("p, q in Edges")
        def Follows(self, p, q):
            return leads_to(lambda s: number(s.own[p]) == 1, lambda s: number(s.own[q]) == entry("follows") % 3)

        @liveness(p="Actors")
        def Returns(self, p):
            return always_eventually(lambda s: number(s.own[p]) == entry("returns") % 3)

        @liveness(p="Actors")
        def Begins(self, p):
            def grown(s):
                return s.shared["c0"] == entry("goal") % numbers

            return initially_leads_to(lambda s: number(s.own[p]) == 0, grown) & leads_to(
                grown, lambda s: number(s.own[p]) == 1
            )

        @liveness
        def Settles(self):
            return eventually_always(lambda s: s.shared["c0"] == entry("settles") % numbers)

    return Random
