"""Counts a machine's actions in a search that knows none, by finding which action takes each step of the text."""

from collections.abc import Callable, Sequence
from typing import Any

from workbench.kernel.meaning.errors import ModelError
from workbench.kernel.meaning.machine import Machine
from workbench.kernel.meaning.result import ActionCount
from workbench.tlaplus.meaning.environment import State
from workbench.tlaplus.meaning.search import Taken


class Counting:
    """Takes the machine along: what it finds is compared with the steps that are noted, and decides nothing.

    Args:
        key: The identity of a machine's state.
        key_of_plain: The same of a plain one.

    Attributes:
        gap: Why nothing is counted; None as long as the machine has the very steps of the text.
    """

    def __init__(self, machine: Machine, key: Callable[[Any], Any], key_of_plain: Callable[[State], Any]) -> None:
        self._machine, self._key, self._key_of_plain = machine, key, key_of_plain
        machine.layout  # noqa: B018 - learned now, from a sample, which no limit of the search is for
        self._states = dict[int, Any]()
        self._counts = {name: [0, 0, 0, 0] for name in machine.actions}  # enabled, generated, new, assigns
        self.gap: str | None = None

    def note(self, before: int | None, steps: Sequence[Taken]) -> None:
        """Find the machine's steps from a state, or the states in which it begins."""
        if self.gap is None:
            try:
                self._note(before, steps)
            except ModelError as error:
                self.gap = str(error)

    def _note(self, before: int | None, steps: Sequence[Taken]) -> None:
        new = {self._key_of_plain(step.state): step.number for step in steps if step.is_new}
        expected = {self._key_of_plain(step.state) for step in steps}
        if before is None:
            reached = {self._key(state): state for state in self._machine.each_initial_state()}
        else:
            reached = self._reached(self._states[before], set(new))
        if reached.keys() != expected:
            where = "the beginning" if before is None else str(self._states[before])
            self.gap = f"the machine's next states differ from the text's in {where}"
            return
        self._states.update({number: reached[key] for key, number in new.items() if number is not None})
        if before is not None:
            del self._states[before]

    def _reached(self, state: Any, new: set[Any]) -> dict[Any, Any]:
        reached = dict[Any, Any]()
        for instance in self._machine.instances:
            outcomes = self._machine.outcomes(instance, state)
            count = self._counts[instance.action.name]
            count[0] += bool(outcomes)
            for outcome, after in outcomes:
                key = self._key(after)
                count[1] += 1
                count[2] += key in new and key not in reached
                count[3] |= bool(outcome.writes)
                reached.setdefault(key, after)
        return reached

    @property
    def actions(self) -> list[ActionCount]:
        """The counts, in the order of the actions; empty if there is a gap."""
        if self.gap is not None:
            return []
        return [
            ActionCount(name, enabled, generated, new, bool(assigns))
            for name, (enabled, generated, new, assigns) in self._counts.items()
        ]
