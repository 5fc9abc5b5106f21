"""The tree of behaviours that somebody has stepped through: abandoned branches stay, and can be gone back to."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from workbench.kernel import InputError, Machine, Trace
from workbench.kernel.meaning.trace import Step


@dataclass(eq=False)
class HistoryNode:
    """A state, as it was reached.

    Attributes:
        number: 0 for the root; nodes are numbered as they are reached first.
        step: The step that leads here, and the state.
        name: The name that somebody has given it.
    """

    number: int
    step: Step
    parent: "HistoryNode | None" = field(default=None, repr=False)
    children: list["HistoryNode"] = field(default_factory=list, repr=False)
    name: str = ""

    @property
    def path(self) -> list["HistoryNode"]:
        """The nodes from the root to this one."""
        nodes = [self]
        while nodes[-1].parent is not None:
            nodes.append(nodes[-1].parent)
        return nodes[::-1]

    @property
    def depth(self) -> int:
        return len(self.path) - 1


@dataclass(frozen=True, eq=False)
class Landmark:
    """A node to draw; most of the steps between landmarks are left out.

    Attributes:
        depth: The number of steps that lead to it.
        line, column: Its place: a line for each branch, and a column more than the landmark before it.
    """

    node: HistoryNode
    depth: int
    line: int
    column: int
    before: "Landmark | None"


class History:
    """A tree of the states that somebody has reached from an initial state.

    Args:
        start: Which of the model's initial states is the root.

    Attributes:
        nodes (list of HistoryNode): By number.
        current (HistoryNode): The present node.
        tip (HistoryNode): The end of the branch that is in sight: `current`, or a node that was reached from there.

    Examples:
        >>> from workbench.kernel import replay
        >>> from workbench.protocols.bakery.model import Bakery
        >>> long, short = replay(Bakery(), 0, [(0, 0), (3, 0)]), replay(Bakery(), 0, [(1, 0)])
        >>> history = History.along(long)
        >>> history.go(0)
        >>> node = history.add(short.steps[1])
        >>> history.name(2, "w1 claims")
        >>> [child.step.label for child in history.nodes[0].children], history.current is node
        (['node_startup(w1)', 'node_startup(w2)'], True)
    """

    def __init__(self, model: Machine, start: int, root: Step) -> None:
        self.model, self.start = model, start
        self.nodes = [HistoryNode(0, root)]
        self.current = self.tip = self.nodes[0]

    @classmethod
    def along(cls, trace: Trace, step: int | None = None) -> "History":
        """The history of a behaviour, at the state with this index; the last one by default."""
        history = cls(trace.model, trace.start, trace.steps[0])
        for taken in trace.steps[1:]:
            history.add(taken)
        if step is not None:
            history.go(history.tip.path[step].number)
        return history

    def add(self, step: Step) -> HistoryNode:
        """Take a step from the current node. If it was taken from there before, go to the node it led to."""
        before = self.current
        matching = [child for child in before.children if child.step.move == step.move]
        if matching:
            after = matching[0]
        else:
            after = HistoryNode(len(self.nodes), step, before)
            self.nodes.append(after)
            before.children.append(after)
        self.current = after
        if after not in self.tip.path:
            self.tip = after
        return after

    def go(self, number: int) -> None:
        """Go to a node. If the node is not on the visible branch, a branch through the node becomes visible.

        Raises:
            InputError: If there is no such node.
        """
        self.current = self._node(number)
        if self.current not in self.tip.path:
            self.tip = self.current
            while self.tip.children:
                self.tip = self.tip.children[-1]

    def name(self, number: int, name: str) -> None:
        """Name a node; "" removes its name."""
        self._node(number).name = name.strip()

    def _node(self, number: int) -> HistoryNode:
        if not 0 <= number < len(self.nodes):
            raise InputError(f"node {number} is not accepted; the history has the nodes 0 to {len(self.nodes) - 1}")
        return self.nodes[number]

    def trace(self, node: HistoryNode) -> Trace:
        """The behaviour from the root to a node."""
        return Trace(self.model, self.start, tuple(ancestor.step for ancestor in node.path))

    def landmarks(self) -> list["Landmark"]:
        """The nodes that a map of the branches needs, each after its predecessor among them.

        These are the root, the nodes where branches fork or end, named nodes, and the current one. The first branch
        taken from a node continues the node's line.
        """
        marks: list[Landmark] = []
        waiting: list[tuple[HistoryNode, int, Landmark | None, int]] = [(self.nodes[0], 0, None, 0)]
        line = 0
        while waiting:
            node, depth, before, opens = waiting.pop()
            line += opens
            if before is None or len(node.children) != 1 or node.name or node is self.current:
                before = Landmark(node, depth, line, 0 if before is None else before.column + 1, before)
                marks.append(before)
            for number, child in reversed(list(enumerate(node.children))):
                waiting.append((child, depth + 1, before, int(number > 0)))
        return marks

    def leaves(self) -> Iterator[HistoryNode]:
        """The ends of all branches, in the order in which they were reached."""
        return (node for node in self.nodes if not node.children)
