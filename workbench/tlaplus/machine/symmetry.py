"""SYMMETRY: the permutations of a configuration's operator, closed to a group."""

from collections.abc import Container, Mapping, Sequence
from typing import Any

from workbench.kernel.meaning.errors import InputError
from workbench.kernel.meaning.values import Map, Name
from workbench.tlaplus.values.lazy import set_from
from workbench.tlaplus.values.values import EvaluationError, brief

#: More renamings than this are refused.
MOST_RENAMINGS = 5040

Renaming = dict[str, str]


def group_of(permutations: Any) -> list[Renaming]:
    """The group that a set of functions generates, the identity first; every renaming has every name.

    Raises:
        InputError: If they are no permutations of model values, or too many.
    """
    try:
        functions = list(set_from(permutations))
    except EvaluationError as error:
        raise InputError(str(error)) from None
    generators = [_renaming(function) for function in functions]
    names = sorted({name for generator in generators for name in generator})
    identity = tuple(names)
    images = [tuple(generator.get(name, name) for name in names) for generator in generators]
    place = {name: at for at, name in enumerate(names)}
    group, fresh = {identity: None}, [identity]
    while fresh:
        products = [tuple(image[place[name]] for name in element) for element in fresh for image in images]
        fresh = [element for element in dict.fromkeys(products) if element not in group]
        group.update(dict.fromkeys(fresh))
        if len(group) > MOST_RENAMINGS:
            raise InputError(f"it has more than {MOST_RENAMINGS:,} permutations")
    return [dict(zip(names, element, strict=True)) for element in group]


def _renaming(function: Any) -> Renaming:
    if function == ():
        return {}
    is_permutation = isinstance(function, Map) and set(function.keys()) == set(function.values())
    if not is_permutation or not all(type(name) is Name for name in function):
        raise InputError(f"{brief(function)} is no permutation of model values")
    return dict(function.items())


def moved_by(group: Sequence[Renaming]) -> set[str]:
    """The names that a group exchanges."""
    return {name for renaming in group for name, image in renaming.items() if image != name}


def sets_of(group: Sequence[Renaming], sets: Mapping[str, Sequence[str]], name: str) -> dict[str, Sequence[str]]:
    """The sets of names whose members a group exchanges.

    Args:
        name: The name for all exchanged names together, used if some of them belong to no such set.
    """
    moved = moved_by(group)
    exchanged = {name: members for name, members in sets.items() if not moved.isdisjoint(members)}
    return exchanged if moved.issubset(set().union(*exchanged.values())) else {name: tuple(sorted(moved))}


def within(group: Sequence[Renaming], names: Container[str]) -> list[Renaming]:
    """The subgroup of the renamings that keep every name outside `names` in place."""
    return [renaming for renaming in group if all(name == image or name in names for name, image in renaming.items())]
