r"""Memoizes ``\E x \in S : P`` and ``\A x \in S : P`` over a set of the state, member by member.

Such a formula depends on all of S, and on everything that P reads for any member; P for a single member reads few
cells. So the value of P is memoized for each member.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from workbench.kernel.meaning.state import Values
from workbench.kernel.meaning.values import identity
from workbench.tlaplus.compiler.memo import Memory
from workbench.tlaplus.config.closures import Closure, Closures, listed_if_few
from workbench.tlaplus.layout.layout import VariableValues
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.syntax.tree import Quantified
from workbench.tlaplus.values.values import CONCRETE

T = TypeVar("T")


class Members:
    """The members that a quantifier ranges over.

    Attributes:
        is_all: Whether the quantifier is universal.
        name: The bound name.
        body: The quantifier's body; the last of its values is a slot for the member.
    """

    def __init__(self, closures: Closures, closure: Closure) -> None:
        node = closure.node
        assert isinstance(node, Quantified)
        (name,) = node.names
        self.is_all, self.name, self.body = node.kind == "A", name.name, closure.inside(node.body, {name: None})
        self._listed, self._values = closures.compiled("members", closure), tuple(closure.values.values())
        self._memory = Memory()

    def few(self, now: Any) -> list[Any] | None:
        """The members in a state, in TLC's order, except those that early tests rule out in any state.

        None if there are too many: evaluating them one by one would cost more than memoization saves.
        """
        return listed_if_few(self._listed(now, None, *self._values))

    def answer(self, member: Any, row: Values, evaluate: Callable[[Values], T]) -> T:
        """The value of the body for a member in a row; `evaluate` computes it on a miss."""
        if type(member) not in CONCRETE:
            return evaluate(row)
        result: T = self._memory.answer(identity(member), row, evaluate)
        return result


def members_of(closures: Closures, closure: Closure, kinds: str = "AE") -> Members | None:
    """The members that a formula goes through; None unless it is a quantifier of these kinds, of one name in a set."""
    node = closure.node
    if not isinstance(node, Quantified) or node.kind not in kinds or len(node.names) > 1:
        return None
    (bound,) = node.bounds
    return None if bound.is_tuple or bound.domain is None else Members(closures, closure)


def predicate_of(closures: Closures, closure: Closure) -> Callable[[Any, Any], bool]:
    """A predicate of states or steps, as a function of the values of the variables, by number, before and after."""
    values = tuple(closure.values.values())
    members = members_of(closures, closure) if closures.level(closure) <= Level.STATE else None
    function = closures.compiled("predicate", members.body if members else closure)
    if members is None:
        return lambda now, then: function(now, then, *values)

    def of_member(member: Any, now: Any) -> bool:
        if type(now) is not VariableValues:
            return function(now, None, *values, member)
        return members.answer(member, now.row, lambda row: function(now.over(row), None, *values, member))

    def ask(now: Any, _then: Any) -> bool:
        few = members.few(now)
        if few is None:
            return closures.compiled("predicate", closure)(now, None, *values)
        answers = (of_member(member, now) for member in few)
        return all(answers) if members.is_all else any(answers)

    return ask
