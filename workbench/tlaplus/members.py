r"""Formulas ``\E x \in S : P`` and ``\A x \in S : P`` over a set of the state, member by member.

Such a formula depends on all of S, and on all that P asks of its members; what P says of one of them, on few cells. So
that is remembered for each member.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from workbench.kernel.meaning.state import Values
from workbench.kernel.meaning.values import identity
from workbench.tlaplus.lazy import each
from workbench.tlaplus.remembering import Memory
from workbench.tlaplus.syntax import Quantified
from workbench.tlaplus.terms import Term, Terms
from workbench.tlaplus.values import CONCRETE

T = TypeVar("T")


class Members:
    """The members that a quantifier goes through.

    Attributes:
        is_all: Whether it is about all of them.
        name: What they are called.
        body: What is said of each; its last value is a place for it.
    """

    def __init__(self, terms: Terms, term: Term) -> None:
        node = term.node
        assert isinstance(node, Quantified)
        (name,) = node.names
        self.is_all, self.name, self.body = node.kind == "A", name.name, term.inside(node.body, {name: None})
        self._listed, self._values = terms.compiled("members", term), tuple(term.values.values())
        self._memory = Memory()

    def each(self, now: Any) -> Iterable[Any]:
        """The members in a state, in TLC's order, without those of which nothing is said in any state."""
        return each(self._listed(now, None, *self._values))

    def answer(self, member: Any, row: Values, evaluate: Callable[[Values], T]) -> T:
        """What is said of a member in a row; if it is not known, `evaluate` finds it."""
        if type(member) not in CONCRETE or not self._memory.pays:
            return evaluate(row)
        found: T = self._memory.answer(identity(member), row, evaluate)
        return found


def members_of(terms: Terms, term: Term) -> Members | None:
    """The members that a formula goes through; None unless it is a quantifier over a set, with one name."""
    node = term.node
    if not isinstance(node, Quantified) or len(node.names) > 1:
        return None
    (bound,) = node.bounds
    return None if bound.is_tuple or bound.domain is None else Members(terms, term)
