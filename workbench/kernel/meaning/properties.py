"""Properties, which a check judges, and constraints, which bound it, as decorators attach them to methods."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, TypeVar, overload

from workbench.kernel.meaning.errors import ModelError, brief, in_its_line
from workbench.kernel.meaning.parameters import Declared, Default, Function, Parameters, When, check_function

Predicate = Callable[[Any], Any]


# Faults --------------------------------------------------------------------------------------------------------------


class Place(NamedTuple):
    """A part of a state: a variable, one of its cells, or a member of the cell's value."""

    variable: str
    index: Any = None
    inside: Any = None


class Span(NamedTuple):
    """A part of a model's text, on one line; lines and columns count from 1.

    Attributes:
        end: The column behind its last character.
    """

    file: str
    line: int
    column: int
    end: int

    @property
    def place(self) -> str:
        """Where it begins, such as ``Lock.tla:7:12``."""
        return f"{self.file}:{self.line}:{self.column}"


class Fault(str):
    """An invariant's message that also names the places in the state that are wrong; pictures mark them.

    Attributes:
        spans: The parts of the model's text that are false, line by line; listings mark them.

    Examples:
        >>> wrong = Fault("w2 was answered 409", Place("decision", "w2"))
        >>> wrong, wrong.places
        ('w2 was answered 409', (Place(variable='decision', index='w2', inside=None),))
    """

    places: tuple[Place, ...]
    spans: tuple[Span, ...]

    def __new__(cls, text: str, *places: Place, spans: tuple[Span, ...] = ()) -> "Fault":
        fault = super().__new__(cls, text)
        fault.places, fault.spans = places, spans
        return fault

    def after(self, beginning: str) -> "Fault":
        """The fault with these words before its message."""
        return Fault(beginning + self, *self.places, spans=self.spans)


# Properties ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Property(Declared):
    """A property, as a decorator attaches it to a method. There is a class for each kind.

    Attributes:
        kind: The kind in a word, as in results.
        of_states: Whether single states decide it.
        of_steps: Whether a state and the steps from it decide it together.
        wanted: Whether reaching it makes it hold, as for a reachable property; others are violated when reached.
        refines: Whether its traces are also shown in another model's terms.
        says_why: Whether its function may return a text that says what is wrong.
        by_default: Whether a check that names no properties checks it; or the condition on which it does, as for
            `when`.
    """

    kind: ClassVar[str]
    of_states: ClassVar[bool] = False
    of_steps: ClassVar[bool] = False
    wanted: ClassVar[bool] = False
    says_why: ClassVar[bool] = False
    refines: ClassVar[bool] = False
    by_default: Default = True

    @property
    def described(self) -> str:
        """The kind and its details, as lists of properties show them."""
        return self.kind

    def judges(self, model: Any) -> list[Any]:
        """The judges of the steps of `model`, where it takes other ones than this property's function."""
        return []

    def is_default(self, model: Any) -> bool:
        """Whether a check of `model` that names no properties checks this one."""
        return self._is_true("by_default", model)


class Invariant(Property):
    """Every state satisfies it."""

    kind, of_states, says_why = "invariant", True, True


class Reachable(Property):
    """Some state satisfies it."""

    kind, of_states, wanted = "reachable", True, True


class Liveness(Property):
    """Every fair behaviour satisfies its :class:`Formula`."""

    kind = "liveness"


@dataclass(frozen=True)
class Step(Property):
    """Every step satisfies it.

    Attributes:
        of: The actions whose steps are judged; empty for all.
    """

    kind, of_steps, says_why = "step", True, True
    of: tuple[str, ...] = ()

    @property
    def described(self) -> str:
        return f"{self.kind} of {', '.join(self.of)}" if self.of else self.kind

    def check(self, owner: str, declared: Any) -> None:
        super().check(owner, declared)
        for name in self.of:
            if name not in declared.actions:
                raise ModelError(f"{owner}: {self.name} is of {brief(name)}, which is not an action")


@dataclass(frozen=True)
class Undecided(Property):
    """No engine decides it; its verdict is unknown.

    Attributes:
        why: The reason, for the verdict.
    """

    kind = "undecided"
    why: str = ""


@dataclass(frozen=True)
class Postcondition(Property):
    """No state decides it: after a search of the whole space it holds or not.

    Attributes:
        holds: Whether it does, given the number of new states at each depth, of the generated ones, and of the initial
            ones among these; else why nobody knows.
    """

    kind = "postcondition"
    holds: Callable[[Sequence[int], int, int], bool | str] = lambda levels, generated, initial: True


class Deadlock(Property):
    """Behaviours end only where they may."""

    kind, of_steps = "deadlock", True


class Constraint(Property):
    """Says which states are explored; nothing that a check judges."""

    kind = "constraint"


DEADLOCK = Deadlock("Deadlock", lambda self, s: True, by_default=False)
"""The property of this kind, which every model has."""


P = TypeVar("P", bound=Property)


@in_its_line
def _declare(
    kind: Callable[..., P], each: Sequence[Any], domains: Mapping[str, str], states: int = 1, **options: Any
) -> Any:
    """The property made from `each`: the decorated method, or a decorator if `each` holds texts with parameters."""
    bare = len(each) == 1 and callable(each[0])
    parameters = Parameters.declared(() if bare else each, domains)

    @in_its_line
    def declare(function: Function) -> P:
        check_function(function, parameters, states)
        return kind(function.__name__, function, parameters, **options)

    return declare(each[0]) if bare else declare


@overload
def invariant(function: Function, /) -> Invariant: ...
@overload
def invariant(
    *each: str, when: When = None, by_default: Default = True, **domains: str
) -> Callable[[Function], Invariant]: ...
@in_its_line
def invariant(*each: Any, when: When = None, by_default: Default = True, **domains: str) -> Any:
    """Declare a method ``(self, s, ...)`` that returns True, or False or a text that says what is wrong.

    The text may be a :class:`Fault`, which also names places in the state.

    Args:
        *each: Parameters that are unpacked from tuples, such as ``"a, b in Edges"``, before those of `domains`.
        when: The name of a constant, or a function of the model; a model lacks the property where it is false.
        by_default: False for a property that is checked only when it is named; or a condition for that, as in `when`.
        **domains: As for actions: the invariant must hold for each combination. Fine-grained instances are faster, too.
    """
    return _declare(Invariant, each, domains, when=when, by_default=by_default)


@overload
def reachable(function: Function, /) -> Reachable: ...
@overload
def reachable(*, when: When = None, by_default: Default = True) -> Callable[[Function], Reachable]: ...
@in_its_line
def reachable(*each: Any, when: When = None, by_default: Default = True) -> Any:
    """Declare a method ``(self, s)`` that must be true in some state: a model that does nothing is not safe.

    `when` and `by_default` are as for :func:`invariant`.
    """
    return _declare(Reachable, each, {}, when=when, by_default=by_default)


@overload
def liveness(function: Function, /) -> Liveness: ...
@overload
def liveness(
    *each: str, when: When = None, by_default: Default = True, **domains: str
) -> Callable[[Function], Liveness]: ...
@in_its_line
def liveness(*each: Any, when: When = None, by_default: Default = True, **domains: str) -> Any:
    """Declare a method ``(self, ...)`` that returns a :class:`Formula`, or several that ``&`` joins.

    The arguments are as for :func:`invariant`.
    """
    return _declare(Liveness, each, domains, states=0, when=when, by_default=by_default)


@overload
def constraint(function: Function, /) -> Constraint: ...
@overload
def constraint(*each: str, when: When = None, **domains: str) -> Callable[[Function], Constraint]: ...
@in_its_line
def constraint(*each: Any, when: When = None, **domains: str) -> Any:
    """Declare a state constraint: a method ``(self, s, ...)``, false in states that a search prunes.

    It bounds the search and is no part of the protocol. A state where some constraint is false is pruned: it is judged
    like the others, but neither counted as distinct nor expanded. Steps that lead there are steps, and fairness counts
    them. ``docs/language.md`` has an example: Bounding what is explored.

    `when` and the parameters are as for :func:`invariant`; the constraint must be true for each combination.
    """
    return _declare(Constraint, each, domains, when=when)


@overload
def step(function: Function, /) -> Step: ...
@overload
def step(
    *each: str, of: str | Sequence[str] = (), when: When = None, by_default: Default = True, **domains: str
) -> Callable[[Function], Step]: ...
@in_its_line
def step(
    *each: Any, of: str | Sequence[str] = (), when: When = None, by_default: Default = True, **domains: str
) -> Any:
    """Declare a method ``(self, s, t, ...)`` that must be true of every step from a state `s` to another state `t`.

    It answers as invariants do, and the other arguments are as for :func:`invariant`. Steps that change nothing are not
    judged. ``docs/modelling.md`` has examples.

    Args:
        of: The names of the actions whose steps are judged; all by default.
    """
    actions = (of,) if isinstance(of, str) else tuple(of)
    return _declare(Step, each, domains, states=2, when=when, by_default=by_default, of=actions)


# Formulas ------------------------------------------------------------------------------------------------------------

#: The kinds of formulas that are promises of the initial states, and of no later ones.
INITIAL_KINDS = frozenset({"eventually", "initially_leads_to", "initially_implies_always"})
#: The kinds of formulas whose goal is due at all times once their trigger has held.
ALWAYS_KINDS = frozenset({"implies_always", "initially_implies_always"})


class Promise:
    """The value of a liveness property. Promises can be joined with ``&`` only.

    Python's ``and`` would keep one of two formulas and drop the other without a word.
    """

    @property
    def parts(self) -> "tuple[Formula, ...]":
        """The formulas that it joins."""
        raise NotImplementedError

    def __and__(self, other: Any) -> "Conjunction":
        if not isinstance(other, Promise):
            raise ModelError(f"& joins formulas, not {brief(other)}; a predicate goes into eventually(...) first")
        return Conjunction((*self.parts, *other.parts))

    def _has_no_value(self, *_: object) -> Any:
        raise ModelError(
            "a formula is neither true nor false, so and, or, not and comparisons lose a part of it: write two "
            "liveness properties, or join formulas with &"
        )

    def _has_no_or(self, _: object) -> Any:
        raise ModelError(
            "formulas have no |: write eventually(lambda s: P(s) or Q(s)) for <>P or <>Q, and so with always_eventually"
        )

    def _has_no_not(self) -> Any:
        raise ModelError(
            "formulas have no ~: the opposite of eventually(Q) is an invariant that says not Q, that of "
            "always_eventually(Q) is eventually_always(not Q), and the other way round"
        )

    def _has_no_implies(self, *_: object) -> Any:
        raise ModelError(
            "a formula implies nothing: write leads_to(P, Q) if Q follows whenever P holds, implies_always(P, Q) if it "
            "holds from then on, and initially_leads_to(P, Q) or initially_implies_always(P, Q) if P is asked of the "
            "initial state alone"
        )

    __bool__ = __lt__ = __le__ = __gt__ = __ge__ = _has_no_value
    __rand__ = __and__
    __or__ = __ror__ = _has_no_or
    __invert__ = _has_no_not
    implies = __rshift__ = _has_no_implies


@dataclass(frozen=True)
class Formula(Promise):
    """A liveness formula over state predicates, as TLA+ writes them.

    Attributes:
        kind: {"leads_to", "initially_leads_to", "implies_always", "initially_implies_always", "eventually",
            "always_eventually", "eventually_always"}
        trigger: P in ``P ~> Q``, ``P => <>Q``, ``[](P => []Q)`` and ``P => []Q``; None for the others.
        part: Which of several joined formulas it is, such as ``part 1 of 2``; "" for one that stands alone.
        unless: Conditions among the machine's for fairness, by number. A behaviour that does not meet one of them
            satisfies the formula.
        steps: The same, whose steps are as good as the goal; not of a goal that must always hold.
    """

    kind: str
    trigger: Predicate | None
    goal: Predicate
    part: str = ""
    unless: frozenset[int] = frozenset()
    steps: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        for predicate in (self.trigger, self.goal):
            if predicate is not None and not callable(predicate):
                raise ModelError(f"{self.kind} takes functions of the state, not {brief(predicate)}")

    @property
    def parts(self) -> "tuple[Formula, ...]":
        return (self,)

    @property
    def begins(self) -> bool:
        """Whether it is a promise of the initial states, and of no later ones."""
        return self.kind in INITIAL_KINDS

    @property
    def is_always(self) -> bool:
        """Whether its goal is due at all times once its trigger has held."""
        return self.kind in ALWAYS_KINDS


@dataclass(frozen=True)
class Conjunction(Promise):
    """Formulas that must all hold; each is decided by itself."""

    formulas: tuple[Formula, ...]

    @property
    def parts(self) -> tuple[Formula, ...]:
        count = len(self.formulas)
        return tuple(replace(formula, part=f"part {n} of {count}") for n, formula in enumerate(self.formulas, 1))


def leads_to(trigger: Predicate, goal: Predicate) -> Formula:
    """``P ~> Q``: whenever `trigger` holds, `goal` holds then or later."""
    return Formula("leads_to", trigger, goal)


def initially_leads_to(trigger: Predicate, goal: Predicate) -> Formula:
    """``P => <>Q``: if `trigger` holds in the initial state, `goal` holds then or later."""
    return Formula("initially_leads_to", trigger, goal)


def implies_always(trigger: Predicate, goal: Predicate) -> Formula:
    """``[](P => []Q)``: whenever `trigger` holds, `goal` holds from then on."""
    return Formula("implies_always", trigger, goal)


def initially_implies_always(trigger: Predicate, goal: Predicate) -> Formula:
    """``P => []Q``: if `trigger` holds in the initial state, `goal` holds in every state."""
    return Formula("initially_implies_always", trigger, goal)


def eventually(goal: Predicate) -> Formula:
    """``<>Q``: `goal` holds at some time."""
    return Formula("eventually", None, goal)


def always_eventually(goal: Predicate) -> Formula:
    """``[]<>Q``: `goal` holds again and again."""
    return Formula("always_eventually", None, goal)


def eventually_always(goal: Predicate) -> Formula:
    """``<>[]Q``: from some time on `goal` holds for ever."""
    return Formula("eventually_always", None, goal)
