r"""Next, split into actions with parameters: by disjuncts, definitions, and ``\E`` over constants."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from workbench.kernel.meaning.values import identity
from workbench.tlaplus.config.closures import Closure, Closures
from workbench.tlaplus.names.alternatives import Alternative, Applied
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.names.symbols import Scope
from workbench.tlaplus.syntax.tree import Apply, Declaration, Disjunction, Expression, Identifier, Qualified, Quantified
from workbench.tlaplus.values.values import EvaluationError


class Disjunct(NamedTuple):
    """One disjunct.

    Attributes:
        name: The name of the definition that it applies to what it chooses, or of the innermost one around it.
        bound: The names around it with their values, the visible ones of that definition last.
        applied: The definition that it applies; None if it takes its name from around it.
        around: The name of the innermost definition around it.
    """

    closure: Closure
    name: str
    bound: tuple[tuple[Declaration, Any], ...]
    applied: Applied | None = None
    around: str = ""

    @property
    def key(self) -> Any:
        """A key that disjuncts share if they are the same expression with the same values."""
        return self.closure.node, self.closure.scope, identity(tuple(self.closure.values.values()))

    @property
    def identity(self) -> tuple[Expression, Scope, str]:
        """A key that disjuncts share if they are one action with different arguments."""
        return self.closure.node, self.closure.scope, self.name

    @property
    def visible(self) -> tuple[tuple[Declaration, Any], ...]:
        """The names that the disjunct's definition knows, with their values."""
        return tuple((name, value) for name, value in self.bound if name in self.closure.values)


def split(closures: Closures, closure: Closure, name: str) -> list[Disjunct]:
    """The disjuncts of a formula, in TLC's order; `name` is that of the formula."""
    return list(_split(closures, closure, name, tuple(closure.values.items())))


def _split(
    closures: Closures, closure: Closure, name: str, bound: tuple[tuple[Declaration, Any], ...]
) -> Iterator[Disjunct]:
    node = closure.node
    if isinstance(node, Disjunction):
        for operand in node.operands:
            yield from _split(closures, closure.beside(operand), name, bound)
        return
    if isinstance(node, Quantified) and node.kind == "E":
        in_order = closures.has_view and any(closures.depends(closure, group) for group in node.bounds)
        cases = None if in_order else closures.cases(closure)
        if cases is not None:
            for case in cases:
                values = {key: value for key, value in case.values.items() if key not in closure.values}
                yield from _split(closures, case, name, (*bound, *values.items()))
            return
        parts = closures.alternatives.of(node, closure.scope)
        for part, _, applied in [Alternative(node, node.at)] if in_order and len(parts) > 1 else parts:
            called = name if applied is None else applied.name
            yield Disjunct(closure.beside(part), called, bound, applied, name)
        return
    is_action = closures.level(closure) > Level.STATE
    called = node.name if is_action and isinstance(node, (Identifier, Apply, Qualified)) else name
    inner = None
    if is_action:
        with suppress(EvaluationError):  # of an argument, which the action may never ask for
            inner = closures.unfolded(closure)
    if inner is None:
        yield Disjunct(closure, called, bound)
        return
    keys = {key for key, _ in bound}
    fresh = tuple((key, value) for key, value in inner.values.items() if key not in keys)
    yield from _split(closures, inner, called, (*bound, *fresh))


# Names ---------------------------------------------------------------------------------------------------------------


class NamedDisjunct(NamedTuple):
    """A disjunct as an action with arguments.

    Attributes:
        parameters: The names of its parameters.
    """

    action: str
    parameters: tuple[str, ...]
    arguments: tuple[Any, ...]
    disjunct: Disjunct


def named(disjuncts: Sequence[Disjunct]) -> list[NamedDisjunct]:
    """Names and arguments that tell the disjuncts of a formula apart, in their order.

    Disjuncts of one definition are ``Move``, ``Move_2``, ...; they are one action if they are the same expression.
    """
    names = {disjunct.name for disjunct in disjuncts}
    taken, actions = set[str](), dict[tuple[Expression, Scope, str], str]()
    groups = dict[str, list[Disjunct]]()
    for disjunct in disjuncts:
        if disjunct.identity not in actions:
            actions[disjunct.identity] = _free(disjunct.name, taken | names - {disjunct.name})
            taken.add(actions[disjunct.identity])
        groups.setdefault(actions[disjunct.identity], []).append(disjunct)
    in_turn = {action: iter(_told_apart(action, group)) for action, group in groups.items()}
    return [next(in_turn[actions[disjunct.identity]]) for disjunct in disjuncts]


def _free(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"


def _told_apart(action: str, disjuncts: Sequence[Disjunct]) -> list[NamedDisjunct]:
    """The disjuncts of one action, with the arguments that their definition sees, or with all if need be."""
    for bound in ([disjunct.visible for disjunct in disjuncts], [disjunct.bound for disjunct in disjuncts]):
        keys = {identity(tuple(value for _, value in choices)) for choices in bound}
        same = len({tuple(name.name for name, _ in choices) for choices in bound}) == 1
        if same and len(keys) == len(disjuncts):
            break
    else:  # the same expression occurs twice there
        bound = [disjunct.visible for disjunct in disjuncts]
        return [
            NamedDisjunct(action, ("disjunct", *_names(choices)), (number, *(value for _, value in choices)), disjunct)
            for number, (choices, disjunct) in enumerate(zip(bound, disjuncts, strict=True), 1)
        ]
    return [
        NamedDisjunct(action, _names(choices), tuple(value for _, value in choices), disjunct)
        for choices, disjunct in zip(bound, disjuncts, strict=True)
    ]


def _names(bound: tuple[tuple[Declaration, Any], ...]) -> tuple[str, ...]:
    """The names of parameters; two of one name are numbered."""
    names = list[str]()
    for declaration, _ in bound:
        names.append(_free(declaration.name, set(names)))
    return tuple(names)


def lane_of(arguments: Sequence[Any], sets: Mapping[str, Sequence[Any]]) -> str | None:
    """The set that contains all of some arguments, if there is one: the actors of an action."""
    keys = {identity(argument) for argument in arguments}
    return next((name for name, members in sets.items() if keys and keys <= set(map(identity, members))), None)
