"""The history of a simulator as a thin tree: abandoned branches to return to, names, and a comparison of two."""

from collections.abc import Callable
from typing import Any

from workbench.showing.panel.fields import Typed
from workbench.showing.panel.parts import Box, Pane
from workbench.showing.pictures.markup import Markup, element
from workbench.showing.session import Stepper
from workbench.showing.session.history import History, Landmark
from workbench.showing.view.base.difference import brief
from workbench.showing.view.base.html import clip, noted
from workbench.showing.view.trace.compared import TwoRuns
from workbench.showing.view.trace.runs import runs_of

_MOST_LETTERS = 40


class _Tree(Pane):
    """The branches, with boxes to tick."""

    def __init__(self, on_use: Callable[[str, Any], None]) -> None:
        super().__init__()
        self._on_use = on_use

    def receive(self, sent: str, value: Any) -> None:
        self._on_use(sent, value)


class HistoryView(Box):
    """A line for each branch. A click on a state goes to it; two ticked branches are compared."""

    def __init__(self, stepper: Stepper) -> None:
        self.stepper = stepper
        self._ticked: list[int] = []
        self._properties: list[str] | None = None
        self._of: History | None = None
        self._compared: Any = None
        self._tree = _Tree(self._clicked)
        self._name = Typed(
            "name this state", placeholder="such as: before the crash", on_change=self._named,
            tip="the name of the current state in the tree",
        )  # fmt: skip
        self._pictures = Pane()
        super().__init__([self._tree, self._name, self._pictures])
        stepper.on_move(self.look)
        self.look()

    def check(self, properties: list[str] | None) -> None:
        """Mark violations of these properties in the pictures; of all for None."""
        self._properties = properties
        self._compare()

    def look(self) -> None:
        """Draw the tree, and compare the ticked branches."""
        history = self.stepper.history
        if history is not self._of:
            self._of, self._ticked = history, []
        leaves = {leaf.number for leaf in history.leaves()}
        self._ticked = [number for number in self._ticked if number in leaves]
        self.shown = len(history.nodes) > 1
        self._tree.html = _tree(history, history.landmarks(), self._ticked)
        self._name.value = history.current.name
        self._compare()

    def _compare(self) -> None:
        asked = (self._of, tuple(self._ticked), self._properties)
        if asked == self._compared:
            return
        self._compared = asked
        if len(self._ticked) < 2:
            self._pictures.html = ""
            return
        history = self.stepper.history
        one, other = (history.nodes[number] for number in self._ticked)
        names = one.name or f"branch to {brief(one.step.label)}", other.name or f"branch to {brief(other.step.label)}"
        judged = None if self._properties is None else history.model.applicable(self._properties)
        runs = runs_of((history.trace(one), history.trace(other)), (history.model, history.model), names, judged)
        self._pictures.html = "" if runs is None else TwoRuns(runs).html()

    def _clicked(self, sent: str, ticked: Any) -> None:
        act, number = sent.split()
        if act == "go":
            self.stepper.go_to(int(number))
            return
        others = [other for other in self._ticked if other != int(number)]
        self._ticked = [*others[-1:], int(number)] if ticked is True else others
        self.look()

    def _named(self) -> None:
        self.stepper.name(self.stepper.history.current.number, self._name.value)


def _tree(history: History, landmarks: list[Landmark], ticked: list[int]) -> Markup:
    """A grid: a row for each branch, a column for each landmark on the way."""
    several = landmarks[-1].line > 0
    parts = [_state(mark, history) for mark in landmarks]
    parts += [_turn(mark) for mark in landmarks if mark.before is not None and mark.before.line != mark.line]
    parts += [_end(mark, several, mark.node.number in ticked) for mark in landmarks if not mark.node.children]
    note = "Tick two branches to compare them." if several else ""
    tree = element("div", *parts, class_="wb-tree wb-scroll", role="group", aria_label="history")
    return tree + noted(note)


def _place(mark: Landmark, column: int, top: int | None = None) -> str:
    rows = f"{mark.line + 1}" if top is None else f"{top + 1} / {mark.line + 2}"
    return f"grid-column: {column + 1}; grid-row: {rows}"


def _state(mark: Landmark, history: History) -> Markup:
    """A state to go to, at the end of the line that leads to it."""
    node = mark.node
    name = " " + element("b", clip(node.name, _MOST_LETTERS)) if node.name else None
    title = f"state {mark.depth + 1}: {brief(node.step.label)}{f' ({node.name})' if node.name else ''}"
    button = element(
        "button", mark.depth + 1, name, class_="wb-button wb-node", data_send=f"go {node.number}",
        aria_current="step" if node is history.current else None, title=title, aria_label=title,
    )  # fmt: skip
    return element("div", button, class_="wb-way" if mark.before else None, style=_place(mark, mark.column))


def _turn(mark: Landmark) -> Markup:
    """The line down to another branch."""
    assert mark.before is not None
    return element("i", style=_place(mark, mark.column, mark.before.line))


def _end(mark: Landmark, several: bool, ticked: bool) -> Markup:
    """The last step of a branch, and a box to tick."""
    label = brief(mark.node.step.label)
    code = element("code", label)
    if not several:
        return element("label", code, style=_place(mark, mark.column + 1))
    box = element(
        "input", type="checkbox", data_send=f"tick {mark.node.number}", checked="checked" if ticked else None,
        aria_label=f"compare the branch that ends at state {mark.depth + 1} with {label}",
    )  # fmt: skip
    return element("label", box, code, style=_place(mark, mark.column + 1))
