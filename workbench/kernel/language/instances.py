"""Declarations bound to a model's constants: actions that run, and properties that judge.

An action runs once per combination of its choices. Its code calls :func:`require` and :func:`choose`.
"""

import inspect
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from workbench.kernel.language.declare import Action
from workbench.kernel.meaning.errors import (
    NOT_SAID,
    ModelError,
    blame,
    brief,
    call,
    checked,
    text_of,
    unknown,
)
from workbench.kernel.meaning.parameters import check_finished
from workbench.kernel.meaning.properties import Place
from workbench.kernel.meaning.state import Draft, Layout, Reader, Values, View
from workbench.kernel.meaning.steps import ActionInstance, Outcome
from workbench.kernel.meaning.values import check_value, is_same, show, sort_key

# Actions -------------------------------------------------------------------------------------------------------------


class Disabled(Exception):
    """Disables an action; the text is the reason."""


def require(condition: bool, why: str = NOT_SAID) -> None:
    """Disable the action unless `condition` is True; `why` is shown as the reason."""
    if condition is True:
        return
    if condition is not False:
        raise ModelError(f"require() was given {brief(condition)}; it takes True or False, such as a comparison")
    if _running.run is None:
        raise Disabled(why)
    _running.run.fails(why)


@dataclass
class _Fork:
    """A choice on the path of an action: its options in order, and the current branch."""

    options: Sequence[Any]
    branch: int = 0

    def is_again(self, options: Any) -> bool:
        """Whether `options` may be the same as before, by a check that costs next to nothing."""
        if isinstance(options, Sequence):
            return len(options) == len(self.options) and is_same(options[self.branch], self.options[self.branch])
        if isinstance(options, (set, frozenset)):
            return len(options) == len(self.options) and self.options[self.branch] in options
        return not isinstance(options, Sized) or len(options) == len(self.options)


class _Run:
    """One run of an action, along the choices that are `taken`.

    Attributes:
        labels: The choices so far, by name.
    """

    def __init__(self, taken: list[_Fork]) -> None:
        self.taken, self.position = taken, 0
        self.labels: list[tuple[str, Any]] = []

    def fails(self, reason: str) -> None:
        """Handle a requirement that fails."""
        raise Disabled(reason)


class _Overlooking(_Run):
    """A run that continues even if requirements fail.

    Attributes:
        overlooked: The requirements that failed.
    """

    def __init__(self, taken: list[_Fork]) -> None:
        super().__init__(taken)
        self.overlooked: list[str] = []

    def fails(self, reason: str) -> None:
        self.overlooked.append(reason)


class _Running(threading.local):
    """The run of an action in this thread."""

    run: _Run | None = None
    _draft: Draft | None = None

    def draft_of(self, layout: Layout) -> Any:
        """The draft to which the actions of this thread write."""
        if self._draft is None or self._draft._layout is not layout:
            self._draft = layout.draft()
        return self._draft


_running = _Running()
R = TypeVar("R", bound=_Run)


def choose(options: Any, name: str = "") -> Any:
    """Branch: the action has one outcome for each of `options`; with none of them it is disabled.

    Args:
        options: A set is taken in canonical order.
        name: The choice's name in traces.
    """
    run = _running.run
    if run is None:
        raise ModelError("choose() may be called only inside an action")
    if run.position == len(run.taken):
        ordered = _in_order(options)
        if not ordered:
            raise Disabled(f"nothing to choose from{' for ' + name if name else ''}")
        run.taken.append(_Fork(ordered))
    fork = run.taken[run.position]
    if not fork.is_again(options):
        raise ModelError("nondeterministic: a choice had other options when it was run again")
    run.position += 1
    chosen = fork.options[fork.branch]
    run.labels.append((name, chosen))
    return chosen


def _in_order(options: Iterable[Any]) -> Sequence[Any]:
    """The options as an immutable sequence of values."""
    if isinstance(options, range):
        return options
    ordered = tuple(options)
    for option in ordered:
        check_value(option)
    return tuple(sorted(ordered, key=sort_key)) if isinstance(options, (set, frozenset)) else ordered


class CodeInstance(ActionInstance):
    """An action that a method of the author's object carries out.

    Attributes:
        at, to: The step of its process at which it is taken, and the next one, if the action gives them.
    """

    def __init__(self, author: Any, number: int, declared: Action, arguments: Sequence[Any]) -> None:
        super().__init__(number, declared, arguments)
        self.author = author
        self.action: Action = declared
        process = declared.process
        self.at, self.to = (
            call(f"a step of {declared.name}", step, author) if callable(step) else step
            for step in (declared.at, declared.to)
        )
        bare = self.at is None and self.to is None and (process is None or process.guard is None)
        self._function = declared.function if bare else self._as_a_step

    def __reduce__(self) -> Any:
        return _numbered, (self.author, self.number)

    def _as_a_step(self, author: Any, draft: Draft, *arguments: Any) -> Any:
        """Run the action if its process is at the right step, and move the process on to the next one."""
        process: Any = self.action.process
        member = arguments[:1] if process.per else ()
        cell = -1
        if self.at is not None or self.to is not None:
            (cell,) = draft._layout.cells_of(process.pc, *member)
        if self.at is not None:
            at = show(self.at)
            who = show(*member) if member else f"the {process.name}"
            require(draft._get(cell) == self.at, f"{who} is not at {repr(at) if ' ' in at else at}")
        if process.guard is not None:
            process.guard(author, draft, *member)
        result = self.action.function(author, draft, *arguments)
        if self.to is not None and cell not in draft._writes:
            draft._set(cell, self.to)
        return result

    def branches(self, before: Values) -> Iterator[Outcome | str]:
        """Every outcome of the action in the state with the values `before`; for a disabled branch the reason.

        The action runs once per combination of choices, depth first, when the next branch is asked for.
        """
        return (branch for _, branch in self._runs(_Run, before))

    def _runs(self, kind: Callable[[list[_Fork]], R], before: Values) -> Iterator[tuple[R, Outcome | str]]:
        """Every run of that `kind`, with its outcome."""
        taken: list[_Fork] = []
        function, author, arguments = self._function, self.author, self.arguments
        draft = _running.draft_of(author._machine.layout)
        while True:
            draft._start(before)
            _running.run = run = kind(taken)
            try:
                result = function(author, draft, *arguments)
                if result is not None:
                    check_finished(result)
                if len(run.labels) > 1:
                    self._note_names(run.labels)
                branch: Outcome | str = Outcome(tuple(run.labels), draft._writes)
            except Disabled as disabled:
                branch = text_of(disabled)
            except BaseException as error:
                raise blame(f"action {self.label}", error, self.action.place) from error
            finally:
                _running.run = None
            yield run, branch
            while taken and taken[-1].branch + 1 == len(taken[-1].options):
                taken.pop()
            if not taken:
                return
            taken[-1].branch += 1

    def _note_names(self, labels: Sequence[tuple[str, Any]]) -> None:
        names = [name for name, _ in labels if name]
        if len(set(names)) < len(names):
            self.chosen_twice |= {name for name in names if names.count(name) > 1}

    def run(self, before: Values) -> tuple[list[Outcome], list[str]]:
        """Every outcome of the action in the state with the values `before`, and why branches are disabled."""
        outcomes: list[Outcome] = []
        whys: dict[str, None] = {}
        for _, branch in self._runs(_Run, before):
            if isinstance(branch, str):
                whys[branch] = None
            else:
                outcomes.append(branch)
        if self.action.fair_when is not None and outcomes:
            state = self.author._machine.layout.view(before)
            outcomes = [
                outcome if self._counts(state, outcome) else outcome._replace(counted=frozenset())
                for outcome in outcomes
            ]
        return outcomes, list(whys)

    def overlooking(self, before: Values) -> list[tuple[Outcome, list[str]]]:
        """The outcomes that the action would have in the state with the values `before` without its requirements.

        Each outcome comes with the requirements that fail. Code that relies on them may raise; its later outcomes are
        left out.
        """
        outcomes: list[tuple[Outcome, list[str]]] = []
        with suppress(ModelError):
            for run, branch in self._runs(_Overlooking, before):
                if not isinstance(branch, str):
                    outcomes.append((branch, list(dict.fromkeys(run.overlooked))))
        return outcomes

    def _counts(self, state: Reader, outcome: Outcome) -> bool:
        """Whether fairness counts a step. A step that lacks a choice named by ``fair_when`` does not count."""
        fair_when: Any = self.action.fair_when
        choices, names = dict(outcome.choices), self._choices_counted
        if not choices.keys() >= set(names):
            return False
        counted = {name: choices[name] for name in names}
        subject = f"fair_when of {self.action.name}"
        answer = call(subject, fair_when, self.author, state, *self.arguments, **counted)
        return checked(subject, fair_when, answer)

    @cached_property
    def _choices_counted(self) -> list[str]:
        """The names of the choices that ``fair_when`` takes."""
        parameters = (
            [] if self.action.fair_when is None else inspect.signature(self.action.fair_when).parameters.values()
        )
        return [parameter.name for parameter in parameters if parameter.kind == parameter.KEYWORD_ONLY]


def _numbered(author: Any, number: int) -> CodeInstance:
    """The model's own instance, in place of an unpickled one."""
    instance: CodeInstance = author._machine.instances[number]
    return instance


# Properties of steps -------------------------------------------------------------------------------------------------


def unchanged(s: Reader, t: Reader, *parts: str | Place) -> bool:
    """Whether the step from `s` to `t` leaves the named variables unchanged.

    Args:
        s, t: The states that a step property takes.
        *parts: Variables, or single cells of them: ``Place("pc", w)``.
    """
    changed = _changes(s, t)
    return not any(changed(cell) for cell in _cells(t._layout, parts))


def _changes(s: Reader, t: Reader) -> Callable[[int], bool]:
    if isinstance(s, View) and isinstance(t, View):
        return t._changed_since(s)
    raise ModelError("unchanged() takes the two states of a step")


def _cells(layout: Layout, parts: Sequence[str | Place]) -> list[int]:
    """The numbers of the cells that `parts` name."""
    cells: list[int] = []
    for part in parts:
        name, index = (part, None) if isinstance(part, str) else part[:2]
        if name not in layout.positions:
            raise ModelError(str(unknown("variable", name, layout.positions)))
        position = layout.positions[name]
        if index is not None and (isinstance(position, int) or index not in position):
            raise ModelError(f"{name} has no index {brief(index)}")
        cells += layout.cells_of(name, index)
    return cells
