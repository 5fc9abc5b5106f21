r"""Behaviours that violate a temporal formula: its negation in disjunctive form, each case a search for a lasso.

TLC builds a tableau of all that a formula says. Here a case is what one search decides: from some state on, some
predicates always hold and some steps are not taken; and for ever, conditions of the form of fairness are met. Nearly
all that people write is a conjunction whose parts have such negations; other shapes are refused.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from itertools import starmap
from typing import NamedTuple, NoReturn

from workbench.tlaplus.config.closures import Closure, Closures
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.names.symbols import fail_at
from workbench.tlaplus.syntax.tree import (
    Angle,
    Box,
    Conjunction,
    Disjunction,
    Expression,
    Fairness,
    If,
    Operation,
    Quantified,
)

#: A formula with more cases is refused.
_MOST = 256


class Condition(NamedTuple):
    """``WF_subscript(action)``, or SF if it is strong; or only the steps ``<<action>>_subscript``.

    Attributes:
        is_of_box: Whether they are those that ``[A]_subscript`` rules out: TLC asks A of every step then, and otherwise
            of those alone that change the subscript.
    """

    is_strong: bool
    action: Closure
    subscript: Closure
    is_of_box: bool = False

    @classmethod
    def of(cls, part: Closure, node: Fairness) -> "Condition":
        return cls(node.kind == "SF", part.beside(node.action), part.beside(node.subscript))


class Literal(NamedTuple):
    """A state predicate, or its negation. The predicate of a fairness condition says where its action is enabled."""

    what: Closure | Condition
    holds: bool

    @property
    def negated(self) -> "Literal":
        return Literal(self.what, not self.holds)


class FairnessGoal(NamedTuple):
    """A formula in the form of a fairness condition.

    Attributes:
        disabled: It is enabled unless all of these hold; None if it always is.
        steps: The steps that it counts; None for none.
    """

    is_strong: bool
    disabled: tuple[Literal, ...] | None
    steps: Condition | None


@dataclass(frozen=True)
class Clause:
    """A conjunction.

    Attributes:
        now: The predicates that hold at the beginning.
        takes: The actions that the first step takes.
        always: The predicates that hold in every state.
        never: The actions that no step takes.
        settles: The predicates that hold in every state from some time on.
        ceases: The actions that no step takes from some time on.
        goals: The conditions, in the form of fairness, that are met.
        later: The cases that are true at some time.
    """

    now: tuple[Literal, ...] = ()
    takes: tuple[Condition, ...] = ()
    always: tuple[Literal, ...] = ()
    never: tuple[Condition, ...] = ()
    settles: tuple[Literal, ...] = ()
    ceases: tuple[Condition, ...] = ()
    goals: tuple[FairnessGoal, ...] = ()
    later: tuple["Clause", ...] = ()

    def __and__(self, other: "Clause") -> "Clause":
        return Clause(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))

    @property
    def lasting(self) -> "Clause":
        """The part that is true at all times if it is true at one."""
        return Clause(settles=self.settles, ceases=self.ceases, goals=self.goals)

    @property
    def passing(self) -> "Clause":
        """The part that may be true at one time and false at another."""
        return replace(self, settles=(), ceases=(), goals=())

    @property
    def breach(self) -> tuple[Literal, ...] | None:
        r"""The predicates q of a case ``now /\ <>q``, apart from its lasting part; None for any other case."""
        later = self.later[0] if self.later else Clause()
        is_plain = later == Clause(now=later.now) and self.passing == Clause(now=self.now, later=(later,))
        return later.now if is_plain else None

    @property
    def at_some_time(self) -> "Clause | None":
        """``<>`` of this case; None if a single case cannot express that."""
        passing = self.passing
        if passing == Clause(later=self.later):
            return self
        if passing == Clause(always=self.always, never=self.never):
            return self.lasting & Clause(settles=self.always, ceases=self.never)
        return self.lasting & Clause(later=(passing,)) if not self.later or self.breach is not None else None

    @property
    def at_all_times(self) -> "Clause | None":
        """``[]`` of this case; None if a single case cannot express that."""
        passing = self.passing
        if passing == Clause(now=self.now, always=self.always, never=self.never):
            return self.lasting & Clause(always=self.now + self.always, never=self.never)
        if passing != Clause(later=self.later) or len(self.later) != 1:
            return None
        (later,) = self.later
        if later == Clause(now=later.now):
            return self.lasting & Clause(goals=(FairnessGoal(False, later.now, None),))
        if later == Clause(takes=later.takes) and len(later.takes) == 1:
            return self.lasting & Clause(goals=(FairnessGoal(False, None, later.takes[0]),))
        return None


class Negation:
    """Finds the cases in which a formula is true, or false.

    Raises:
        InputError: With the place, for a shape that no search decides.
    """

    def __init__(self, closures: Closures) -> None:
        self._closures = closures

    def cases(self, closure: Closure, holds: bool) -> list[Clause]:
        """The cases in which `closure` is true, or false."""
        node = closure.node
        if self._closures.level(closure) <= Level.STATE:
            return [Clause(now=(Literal(closure, holds),))]
        if isinstance(node, Fairness):
            return [_of_fairness(Condition.of(closure, node), holds)]
        if isinstance(node, Operation) and node.symbol in ("[]", "<>"):
            inner = closure.beside(node.operands[0])
            return (
                self._at_all_times(inner, holds) if (node.symbol == "[]") is holds else self._at_some_time(inner, holds)
            )
        parts = self._parts(closure, holds)
        if parts is None:
            refuse(node)
        of_parts = [self.cases(*part) for part in parts.parts]
        return self._both(node, of_parts) if parts.all else [case for each in of_parts for case in each]

    def _at_some_time(self, closure: Closure, holds: bool) -> list[Clause]:
        """The cases of ``<>closure``, or of ``<>~closure``."""
        if (step := _step(closure, holds)) is not None:
            return [Clause(later=(Clause(takes=(step,)),))]
        return [clause.at_some_time or refuse(closure.node) for clause in self.cases(closure, holds)]

    def _at_all_times(self, closure: Closure, holds: bool) -> list[Clause]:
        """The cases of ``[]closure``, or of ``[]~closure``."""
        if (step := _step(closure, not holds)) is not None:
            return [Clause(never=(step,))]
        parts = None if self._closures.level(closure) <= Level.STATE else self._parts(closure, holds)
        if parts is not None and parts.all:
            return self._both(closure.node, list(starmap(self._at_all_times, parts.parts)))
        cases = self.cases(closure, holds)
        if len([case for case in cases if case.passing != Clause()]) > 1:
            refuse(closure.node)
        return [case.at_all_times or refuse(closure.node) for case in cases]

    def _both(self, node: Expression, several: Iterable[list[Clause]]) -> list[Clause]:
        clauses = [Clause()]
        for cases in several:
            clauses = [one & other for one in clauses for other in cases]
            if len(clauses) > _MOST:
                fail_at(node.at, f"this formula can be broken in more than {_MOST} ways, which is not supported")
        return clauses

    def _parts(self, closure: Closure, holds: bool) -> "_Parts | None":
        """The conjuncts or disjuncts of `closure`, or of its negation."""
        node = closure.node
        if isinstance(node, (Conjunction, Disjunction)):
            parts = [(closure.beside(operand), holds) for operand in node.operands]
            return _Parts(isinstance(node, Conjunction) is holds, parts)
        if isinstance(node, Operation) and node.symbol == "~":
            return _Parts(True, [(closure.beside(node.operands[0]), not holds)])
        if isinstance(node, Operation) and node.symbol == "=>":
            parts = [(closure.beside(node.operands[0]), not holds), (closure.beside(node.operands[1]), holds)]
            return _Parts(not holds, parts)
        if isinstance(node, If):  # (P => A) and (~P => B)
            otherwise = Operation(node.at, "~", (node.condition,))
            ways = ((node.condition, node.then), (otherwise, node.otherwise))
            return _Parts(holds, [(closure.beside(Operation(node.at, "=>", way)), holds) for way in ways])
        if isinstance(node, Operation) and node.symbol == "~>":  # P ~> Q is [](P => <>Q)
            first, second = node.operands
            follows = Operation(node.at, "=>", (first, Operation(node.at, "<>", (second,))))
            return _Parts(True, [(closure.beside(Operation(node.at, "[]", (follows,))), holds)])
        if isinstance(node, Quantified) and (cases := self._closures.cases(closure)) is not None:
            return _Parts((node.kind == "A") is holds, [(case, holds) for case in cases])
        inner = self._closures.unfolded(closure)
        return None if inner is None else _Parts(True, [(inner, holds)])


class _Parts(NamedTuple):
    """A conjunction (`all`) or disjunction of formulas; False beside a formula negates it."""

    all: bool
    parts: list[tuple[Closure, bool]]


def _of_fairness(condition: Condition, holds: bool) -> Clause:
    disabled = Literal(condition, False)
    if holds:
        return Clause(goals=(FairnessGoal(condition.is_strong, (disabled,), condition),))
    if condition.is_strong:
        return Clause(ceases=(condition,), goals=(FairnessGoal(False, (disabled.negated,), None),))
    return Clause(settles=(disabled.negated,), ceases=(condition,))


def _step(closure: Closure, holds: bool) -> Condition | None:
    """The steps that ``<<A>>_v`` requires, or that ``[A]_v`` rules out; None for any other formula."""
    node = closure.node
    if isinstance(node, Angle) and holds:
        return Condition(False, closure.beside(node.action), closure.beside(node.subscript))
    if isinstance(node, Box) and not holds:
        other = Operation(node.at, "~", (node.action,))
        return Condition(False, closure.beside(other), closure.beside(node.subscript), is_of_box=True)
    return None


def refuse(node: Expression) -> NoReturn:
    """Refuse a formula.

    Raises:
        InputError: Always, with the place.
    """
    fail_at(
        node.at,
        "a formula of this shape is not supported; properties are made of [], <>, ~>, WF, SF and implications "
        "whose violations have few stages, such as []<>P => []<>Q, <>[][A]_v, P ~> []Q and P => []Q",
    )
