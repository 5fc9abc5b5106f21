"""Parameters of actions and properties: what each ranges over, and those that are unpacked from tuples."""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from workbench.kernel.errors import ModelError, brief

_EACH = re.compile(r"\s*(\w+(?:\s*,\s*\w+)*)\s+in\s+(\w+)\s*")
Group = tuple[tuple[str, ...], str]


class Unpacked(Mapping[str, str]):
    """Parameters with their domains, in order, of which some are unpacked together from members that are tuples.

    Attributes
    ----------
    groups : tuple of (tuple of str, str)
        The parameters that are taken from one member, with its domain.
    """

    def __init__(self, groups: Iterable[Group]) -> None:
        self.groups = tuple(groups)

    def __getitem__(self, name: str) -> str:
        for names, domain in self.groups:
            if name in names:
                return domain
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (name for names, _ in self.groups for name in names)

    def __len__(self) -> int:
        return sum(len(names) for names, _ in self.groups)


def says_parameters(what: object) -> bool:
    """Whether `what`, in the place of a process or a method, is meant to declare parameters."""
    return isinstance(what, str) and " in " in what


def declared_parameters(each: Iterable[Any], domains: Mapping[str, str]) -> Mapping[str, str]:
    """The parameters that texts such as ``"a, b in Edges"`` and then keywords declare.

    Raises
    ------
    ModelError
        For a text that says nothing of the kind, or a parameter that is declared twice.

    Examples
    --------
    >>> dict(declared_parameters(["a, b in Edges"], {"k": "slots"}))
    {'a': 'Edges', 'b': 'Edges', 'k': 'slots'}
    """
    groups: list[Group] = []
    for text in each:
        match = _EACH.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise ModelError(f"{brief(text)} declares no parameters; write them as in @action('a, b in Edges')")
        groups.append((tuple(name.strip() for name in match[1].split(",")), match[2]))
    groups += [((name,), domain) for name, domain in domains.items()]
    names = [name for group, _ in groups for name in group]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ModelError(f"the parameter {twice} is declared twice")
    return Unpacked(groups) if any(len(group) > 1 for group, _ in groups) else {g[0]: domain for g, domain in groups}


def groups_of(parameters: Mapping[str, str]) -> tuple[Group, ...]:
    """The parameters, those together that are taken from one member."""
    if isinstance(parameters, Unpacked):
        return parameters.groups
    return tuple(((name,), domain) for name, domain in parameters.items())


def is_unpacked(parameters: Mapping[str, str]) -> bool:
    """Whether the first of the parameters is unpacked from a member, together with others."""
    return isinstance(parameters, Unpacked) and len(parameters.groups[0][0]) > 1


def with_first(parameters: Mapping[str, str], name: str, domain: str) -> Mapping[str, str]:
    """The same with `name` as the first of them, over `domain`, unless it is unpacked from a member of another."""
    if isinstance(parameters, Unpacked):
        if is_unpacked(parameters) and name in parameters.groups[0][0]:
            return parameters
        return Unpacked([((name,), domain), *(group for group in parameters.groups if group[0] != (name,))])
    return {name: domain, **{other: over for other, over in parameters.items() if other != name}}


def combinations(parameters: Mapping[str, str], members: Callable[[str], tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """The arguments of every instance; `members` gives those of a domain.

    Raises
    ------
    ModelError
        If a member that is to be unpacked is no tuple of that length.
    """
    each = []
    for names, domain in groups_of(parameters):
        over = members(domain)
        for member in over if len(names) > 1 else ():
            if not isinstance(member, tuple) or len(member) != len(names):
                raise ModelError(
                    f"{domain} holds {brief(member)}, which cannot be unpacked into {', '.join(names)}: "
                    f"that takes tuples of {len(names)}"
                )
        each.append(over if len(names) > 1 else [(member,) for member in over])
    return (tuple(itertools.chain(*parts)) for parts in itertools.product(*each))
