"""The answer to a recording or a scenario: in words, and with the behaviour."""

from collections.abc import Sequence
from typing import Protocol

from workbench.kernel.meaning.result import Answer
from workbench.showing.pictures.markup import element
from workbench.showing.view.base.html import Drawn, Joined, Rendered
from workbench.showing.view.trace.trace import trace_view

#: The most states of a behaviour that is shown in full.
_MOST_STATES = 200


class Behaviour(Protocol):
    """A behaviour by its moves."""

    @property
    def moves(self) -> Sequence[tuple[int, int]]: ...


class Followed(Answer, Protocol):
    """The result of :func:`workbench.validate` and :func:`workbench.scenario`."""

    @property
    def behaviour(self) -> Behaviour | None: ...


def answer_view(answer: Followed) -> Drawn:
    """The answer in words, and the behaviour, unless it is a very long one."""
    text = answer.text()
    head, *lines = text.splitlines()
    words = Rendered(element("p", element("b", head)) + element("pre", "\n".join(lines)), text)
    if answer.behaviour is None or len(answer.behaviour.moves) >= _MOST_STATES or answer.trace is None:
        return words
    return Joined(words, trace_view(answer.trace))
