r"""Next, split into actions with parameters: by disjuncts, definitions, and ``\E`` over constants."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from workbench.kernel.meaning.values import identity
from workbench.tlaplus.levels import Level
from workbench.tlaplus.scopes import Scope
from workbench.tlaplus.syntax import Apply, Declaration, Disjunction, Expression, Identifier, Qualified, Quantified
from workbench.tlaplus.terms import Term, Terms


class Leaf(NamedTuple):
    """One disjunct.

    Attributes:
        name: The name of the innermost definition around it.
        bound: The names around it with their values, the visible ones of that definition last.
    """

    term: Term
    name: str
    bound: tuple[tuple[Declaration, Any], ...]

    @property
    def key(self) -> Any:
        """A key that disjuncts share if they are the same expression with the same values."""
        return self.term.node, self.term.scope, identity(tuple(self.term.values.values()))

    @property
    def identity(self) -> tuple[Expression, Scope, str]:
        """A key that disjuncts share if they are one action with different arguments."""
        return self.term.node, self.term.scope, self.name

    @property
    def visible(self) -> tuple[tuple[Declaration, Any], ...]:
        """The names that the disjunct's definition knows, with their values."""
        return tuple((name, value) for name, value in self.bound if name in self.term.values)


def split(terms: Terms, term: Term, name: str) -> list[Leaf]:
    """The disjuncts of a formula, in TLC's order; `name` is that of the formula."""
    return list(_split(terms, term, name, tuple(term.values.items())))


def _split(terms: Terms, term: Term, name: str, bound: tuple[tuple[Declaration, Any], ...]) -> Iterator[Leaf]:
    node = term.node
    if isinstance(node, Disjunction):
        for operand in node.operands:
            yield from _split(terms, term.beside(operand), name, bound)
        return
    if isinstance(node, Quantified) and node.kind == "E":
        combinations = terms.combinations(term)
        if combinations is not None:
            for values in combinations:
                yield from _split(terms, term.inside(node.body, values), name, (*bound, *values.items()))
            return
    is_action = terms.level(term) > Level.STATE
    called = node.name if is_action and isinstance(node, (Identifier, Apply, Qualified)) else name
    inner = terms.unfolded(term) if is_action else None
    if inner is None:
        yield Leaf(term, called, bound)
        return
    known = {one for one, _ in bound}
    fresh = tuple((one, value) for one, value in inner.values.items() if one not in known)
    yield from _split(terms, inner, called, (*bound, *fresh))


# Names ---------------------------------------------------------------------------------------------------------------


class Named(NamedTuple):
    """A disjunct as an action with arguments.

    Attributes:
        parameters: The names of its parameters.
    """

    action: str
    parameters: tuple[str, ...]
    arguments: tuple[Any, ...]
    leaf: Leaf


def named(leaves: Sequence[Leaf]) -> list[Named]:
    """Names and arguments that tell the disjuncts of a formula apart, in their order.

    Disjuncts of one definition are ``Move``, ``Move_2``, ...; they are one action if they are the same expression.
    """
    names = {leaf.name for leaf in leaves}
    taken, actions = set[str](), dict[tuple[Expression, Scope, str], str]()
    groups = dict[str, list[Leaf]]()
    for leaf in leaves:
        if leaf.identity not in actions:
            actions[leaf.identity] = _free(leaf.name, taken | names - {leaf.name})
            taken.add(actions[leaf.identity])
        groups.setdefault(actions[leaf.identity], []).append(leaf)
    told = {action: iter(_told_apart(action, group)) for action, group in groups.items()}
    return [next(told[actions[leaf.identity]]) for leaf in leaves]


def _free(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"


def _told_apart(action: str, leaves: Sequence[Leaf]) -> list[Named]:
    """The disjuncts of one action, with the arguments that their definition sees, or with all if need be."""
    for bound in ([leaf.visible for leaf in leaves], [leaf.bound for leaf in leaves]):
        keys = {identity(tuple(value for _, value in one)) for one in bound}
        same = len({tuple(name.name for name, _ in one) for one in bound}) == 1
        if same and len(keys) == len(leaves):
            break
    else:  # the same expression stands there twice
        bound = [leaf.visible for leaf in leaves]
        return [
            Named(action, ("disjunct", *_names(one)), (number, *(value for _, value in one)), leaf)
            for number, (one, leaf) in enumerate(zip(bound, leaves, strict=True), 1)
        ]
    return [
        Named(action, _names(one), tuple(value for _, value in one), leaf)
        for one, leaf in zip(bound, leaves, strict=True)
    ]


def _names(bound: tuple[tuple[Declaration, Any], ...]) -> tuple[str, ...]:
    """The names of parameters; two of one name are numbered."""
    names = list[str]()
    for declaration, _ in bound:
        names.append(_free(declaration.name, set(names)))
    return tuple(names)


def lane_of(arguments: Sequence[Any], sets: Mapping[str, Sequence[str]]) -> str | None:
    """The set of names that contains all of some arguments, if there is one: the actors of an action."""
    return next(
        (name for name, members in sets.items() if arguments and all(one in members for one in arguments)), None
    )
