"""The nodes and edges of a state graph, as plain data."""

from dataclasses import dataclass
from typing import Any

from workbench.showing.pictures import Picture


@dataclass(frozen=True)
class Node:
    """A state, or a group of states that agree on some variables.

    Attributes:
        tooltip: The whole state, or what the states of the group have in common.
        marks: Some of ``initial``, ``violating``, ``trace``, ``focus`` and ``loop``.
        count: The number of states in the group.
        picture: The picture of the state, shown in place of the label.
    """

    id: str
    label: str
    tooltip: str
    marks: frozenset[str] = frozenset()
    count: int = 1
    picture: Picture | None = None

    def as_dict(self) -> dict[str, Any]:
        drawn = self.picture and self.picture.svg
        return {**vars(self), "marks": sorted(self.marks), "picture": drawn}


@dataclass(frozen=True)
class Edge:
    """One or more transitions between two nodes.

    Attributes:
        source, target: Identifiers of nodes.
        labels: The actions.
        count: The number of transitions.
    """

    source: str
    target: str
    labels: tuple[str, ...]
    marks: frozenset[str] = frozenset()
    count: int = 1
