"""Why an assertion is false: the smallest parts that make it false, and the values they read.

The search for the cause starts at the value of its ``return``. In a conjunction it follows the first false part, in
``all`` over a comprehension the first member that violates it, and in ``not`` the operand, which is true. If the value
is a literal, the cause is the condition around the ``return``.
"""

from collections.abc import Iterator
from typing import NamedTuple

from workbench.fizzbee.meaning.state import Frame
from workbench.fizzbee.meaning.threads import Run
from workbench.fizzbee.meaning.values import Function, Record, shown
from workbench.fizzbee.syntax import tree
from workbench.fizzbee.syntax.expressions import COMPARISON, PRECEDENCE
from workbench.fizzbee.syntax.tree import Expression, Place
from workbench.fizzbee.syntax.unparse import written

#: The most characters of a value to show.
_MOST_SHOWN = 100


class Reason(NamedTuple):
    """A part of an assertion that makes it false.

    Attributes:
        at: Its place.
        words: Says whether it is false or true, for which values of local names, and what its sides are.
        variables: The state variables that it reads.
    """

    at: Place
    words: str
    variables: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.words} ({self.at})"


def reasons(run: Run, assertion: tree.Assertion) -> list[Reason]:
    """The parts that made an assertion false when `run` evaluated it.

    Raises:
        ModelError: With the place of the expression that cannot be evaluated.
    """
    if run.returned is None:
        return [Reason(assertion.at, "it ends without a return", ())]
    node, frame = run.returned
    around = list(_around(assertion.body, node))
    why = _Why(run, frame, [statement.target for statement in around if isinstance(statement, tree.For)])
    if node.value is not None and not isinstance(node.value, tree.Literal):
        return why.of(node.value, False)
    branches = next((statement.branches for statement in reversed(around) if isinstance(statement, tree.If)), ())
    blamed = list[Reason]()
    taken = next((condition for condition, body in branches if any(_around(body, node))), None)
    others = [condition for condition, _ in branches if condition is not None]
    known = [(taken, True)] if taken is not None else [(condition, False) for condition in others]
    if all(why.holds(condition) is was for condition, was in known):  # and nothing has changed that since
        blamed = [reason for condition, was in known for reason in why.of(condition, was)]
    return blamed or [Reason(node.at, "it ends here", ())]


def _around(block: tree.Block, wanted: tree.Return) -> Iterator[tree.Statement]:
    """A statement and those around it, outermost first."""
    for statement in block.statements:
        if statement is wanted:
            yield statement
        for body in _bodies(statement):
            if inner := list(_around(body, wanted)):
                yield statement
                yield from inner


def _bodies(statement: tree.Statement) -> list[tree.Block]:
    if isinstance(statement, tree.If):
        return [body for _, body in statement.branches]
    return [statement.body] if isinstance(statement, tree.For | tree.While | tree.Group) else []


class _Why(Run):
    """Evaluates parts of an assertion at the ``return`` that ended it, inside loops with these targets."""

    def __init__(self, run: Run, frame: Frame, loops: list[Expression]) -> None:
        super().__init__(run.text, run.constants, run.frozen, run.state, [frame])
        self._untold = [name for target in loops for name in self._leaves(target)]

    def of(self, node: Expression, is_true: bool) -> list[Reason]:
        """The reasons for an expression that is known to be true or false."""
        match node:
            case tree.Unary(operator="not"):
                return self.of(node.operand, not is_true)
            case tree.Binary(operator="and" | "or" as operator):
                sides = (node.left, node.right)
                if (operator == "or") is is_true:  # one side is enough
                    return next(self.of(side, is_true) for side in sides if self.holds(side) is is_true)
                return [reason for side in sides for reason in self.of(side, is_true)]
            case tree.Conditional():
                holds = self.holds(node.condition)
                branch = node.then if holds else node.otherwise
                return self.of(node.condition, holds) if isinstance(branch, tree.Literal) else self.of(branch, is_true)
            case tree.Call(function=tree.Name(name="all" | "any" as name), arguments=(argument,)):
                members = argument.value
                is_library = self.variable(name) is None and name not in self.constants
                if is_library and (name == "any") is is_true and isinstance(members, tree.Comprehension):
                    return self._of_member(members, is_true)
        return [self._atom(node)]

    def _of_member(self, members: tree.Comprehension, is_true: bool) -> list[Reason]:
        """The reasons from the first member that decides the outcome."""
        around, self.inner = self.inner, dict(self.inner)
        try:
            return next(
                self.of(members.element, is_true)
                for _ in self._ways(members.clauses)
                if self.holds(members.element) is is_true
            )
        finally:
            self.inner = around

    def _atom(self, node: Expression) -> Reason:
        sides = _sides(node)
        leaves = {written(leaf): leaf for leaf in (*self._untold, *self._leaves(node))}
        self._untold.clear()
        given = [
            f"{text} = {self._value(leaf)}"
            for text, leaf in leaves.items()
            if self._is_local(leaf) and text not in map(written, sides)
        ]
        value = self.value(node)
        head = f"{written(node)} is {shown(value).lower() if isinstance(value, bool) else self._value(node)}"
        read = [f"{written(side)} is {self._value(side)}" for side in sides if any(self._leaves(side))]
        words = head + (f" for {', '.join(given)}" if given else "") + (f": {', '.join(read)}" if read else "")
        return Reason(_first(node), words, tuple(leaf.name for leaf in leaves.values() if self._is_stated(leaf)))

    def _leaves(self, node: Expression) -> Iterator[tree.Name | tree.Attribute]:
        """The names in an expression, in order. ``before.x`` counts as one name, since `before` is a state."""
        if isinstance(node, tree.Attribute) and self._is_state(node.owner):
            yield node
            return
        if isinstance(node, tree.Name):
            yield node
        for part in tree.parts(node):
            yield from self._leaves(part)

    def _is_state(self, node: Expression) -> bool:
        """Whether this names one of the two states of the step being judged."""
        value = self.frames[-1].variables.get(node.name) if isinstance(node, tree.Name) else None
        return isinstance(value, Record) and value.kind == "struct"

    def _value(self, node: Expression) -> str:
        text = shown(self.value(node))
        return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 3]}..."

    def _is_local(self, leaf: tree.Name | tree.Attribute) -> bool:
        if isinstance(leaf, tree.Attribute):  # collections are long, and the parts that are read say enough
            return isinstance(self.value(leaf), bool | int | float | str | None)
        if leaf.name in self.inner:
            return True
        variables = self.frames[-1].variables
        return leaf.name in variables and not isinstance(variables[leaf.name], Function)

    def _is_stated(self, leaf: tree.Name | tree.Attribute) -> bool:
        return leaf.name in self.state.heap and (isinstance(leaf, tree.Attribute) or not self._is_local(leaf))


def _sides(node: Expression) -> list[Expression]:
    """The parts whose values explain an expression: both sides of a comparison, or the range of ``all`` or ``any``."""
    if isinstance(node, tree.Binary) and PRECEDENCE[node.operator] == COMPARISON:
        return [node.left, node.right]
    if isinstance(node, tree.Call) and len(node.arguments) == 1:
        members = node.arguments[0].value
        return [members.clauses[0].value] if isinstance(members, tree.Comprehension) else []
    return []


def _first(node: Expression) -> Place:
    """Where the text of an expression begins."""
    return min([node.at, *map(_first, tree.parts(node))])
