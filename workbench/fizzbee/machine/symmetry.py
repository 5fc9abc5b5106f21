"""The symmetric roles and values of a text, as sets of names that the kernel exchanges.

That the members of a set are interchangeable is the author's claim, as TLA+'s SYMMETRY is. What follows from it is left
to the kernel; here names are kept apart only where a constant, or what a state does not show, tells them apart.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import permutations, product

from workbench.fizzbee.machine.values import freeze, has_names
from workbench.fizzbee.meaning.steps import Meaning
from workbench.fizzbee.meaning.symmetry import symmetric_in
from workbench.fizzbee.meaning.values import Domain, Instance, ModelValue, Value, equal
from workbench.fizzbee.syntax import tree
from workbench.kernel.meaning.values import Name, permute

#: A set that would lead to more renamings is left as it is.
_MOST_RENAMINGS = 5040
#: The most names whose permutations can be that few.
_LARGEST = 7


def sets_of(meaning: Meaning, roles: Sequence[Instance], counts_actions: bool) -> dict[str, tuple[Name, ...]]:
    """The sets of interchangeable names, by the name of a role or of a domain.

    Args:
        counts_actions: Whether states count the actions of each role, in which case roles are not exchanged.
    """
    declared: dict[str, set[tuple[Name, ...]]] = {}
    singled = _singled_out(meaning)
    for constant, value in meaning.constants.items():
        if isinstance(value, Domain) and not value.is_ordered:
            names = _names(value) if value.is_nominal else _ring(value)
            declared.setdefault(value.name, set()).add(() if constant in singled else names)
    listed = [(constant, domain) for constant, value in meaning.constants.items() if (domain := _listed(value))]
    for constant, domain in sorted(listed, key=lambda pair: -pair[1].limit):
        of_name = declared.setdefault(domain.name, {_names(domain)})
        if constant in singled and _names(domain) in of_name:  # the names in a shorter list are told apart anyway
            of_name.add(())
    for kind in {role.role.name: role.role for role in roles if role.role.symmetric}.values():
        members = [role for role in roles if role.role is kind]
        alike = len({role.fixed for role in members}) == 1 and _crash_alike(members) and not counts_actions
        declared.setdefault(kind.name, set()).add(tuple(Name(role.name) for role in members) if alike else ())
    sets: dict[str, tuple[Name, ...]] = {}
    renamings = 1
    for name, (names, *others) in declared.items():
        ring = meaning.domains.get(name)
        images = math.factorial(len(names)) if ring is None else len(_rotations(names, ring.reflection))
        if not others and len(names) > 1 and renamings * images <= _MOST_RENAMINGS:
            renamings *= images
            sets[name] = names
    return sets


def _singled_out(meaning: Meaning) -> set[str]:
    """The constants from which the text may take one value: it does more than go through them."""
    text = meaning.text
    declared = [*text.actions.values(), *text.functions.values(), *text.roles.values(), *text.assertions.values()]
    queue: list[tuple[tree.Node | None, bool]] = [(node, False) for node in (*text.constants, *declared)]
    singled = set[str]()
    while queue:
        node, goes_through = queue.pop()
        match node:
            case tree.Name(name=name) if not goes_through and name in meaning.constants:
                singled.add(name)
            case tree.Attribute(owner=tree.Name(), name="fresh" | "limit" | "name"):
                pass
            case tree.Assign(operator="=", target=tree.Name(), value=value):
                queue.append((value, False))
            case tree.Call(function=tree.Attribute(owner=tree.Name() as owner, name="values" | "choices")):
                queue.append((owner, goes_through))
            case tree.Call(function=tree.Name(name="len" | "set" | "bag"), arguments=arguments):
                queue += [(argument.value, True) for argument in arguments]
            case tree.Node():
                through = _gone_through(node)
                queue += [(part, any(part is expression for expression in through)) for part in tree.within(node)]
    return singled


def _gone_through(node: tree.Node) -> list[tree.Expression]:
    """The expressions whose members a node asks for one after the other."""
    match node:
        case tree.For(members=through) | tree.Choose(members=through):
            return [through]
        case tree.Comprehension(clauses=clauses):
            return [clause.value for clause in clauses if clause.target is not None]
        case tree.Binary(operator="in" | "not in", right=through):
            return [through]
    return []


def _ring(domain: Domain) -> tuple[Name, ...]:
    """The names of a ring's values, in their order."""
    return tuple(Name(f"{domain.name}@{number}") for number in range(domain.limit))


def _rotations(ring: Sequence[Name], reflection: bool) -> list[tuple[Name, ...]]:
    """A ring begun at each of its values, in both directions if it may be reflected."""
    ways = [tuple(ring), tuple(reversed(ring))] if reflection else [tuple(ring)]
    return [(*way[at:], *way[:at]) for way in ways for at in range(len(ring))]


def _names(domain: Domain) -> tuple[Name, ...]:
    """The names of a domain's values; none if they are too many to exchange."""
    return tuple(Name(f"{domain.name}#{number}") for number in range(domain.limit)) if domain.limit <= _LARGEST else ()


def _listed(value: Value) -> Domain | None:
    """The domain whose values a constant lists in their order."""
    if not isinstance(value, list | tuple) or not value or not isinstance(value[0], ModelValue):
        return None
    whole = [ModelValue(value[0].name, number, True) for number in range(len(value))]
    return Domain(value[0].name, len(value), True) if equal(list(value), whole) else None


def _crash_alike(roles: Sequence[Instance]) -> bool:
    """Whether a crash sets the same values in all roles, none of which is a name."""
    first, *others = [{name: freeze(value) for name, value in role.initial.items()} for role in roles]
    return not any(map(has_names, first.values())) and all(other == first for other in others)


def renamings_of(
    meaning: Meaning, roles: Sequence[Instance], sets: Mapping[str, Sequence[Name]]
) -> list[dict[str, str]]:
    """The permutations within each set that leave constants and what crashes set as they are, the identity first.

    Those of a ring are its rotations.
    """
    held = [
        freeze(value)
        for value in meaning.constants.values()
        if not ((domain := _listed(value)) and _names(domain) in sets.values())
        and next(symmetric_in(value), None) is not None
    ]
    held += [freeze(value) for role in roles for value in role.initial.values()]
    images = {
        name: permutations(names) if (ring := meaning.domains.get(name)) is None else _rotations(names, ring.reflection)
        for name, names in sets.items()
    }
    every = product(*([dict(zip(sets[name], image, strict=True)) for image in of] for name, of in images.items()))
    renamings: list[dict[str, str]] = [
        {name: image for part in parts for name, image in part.items()} for parts in every
    ]
    return [renaming for renaming in renamings if all(permute(value, renaming) == value for value in held)]
