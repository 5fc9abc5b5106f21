"""Declarations bound to a model's constants: actions that run, and properties that judge.

An action runs once per combination of its choices. Its code calls :func:`require` and :func:`choose`.
"""

import inspect
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from workbench.kernel.declare import Action, Process
from workbench.kernel.errors import (
    NOT_SAID,
    ModelError,
    blame,
    brief,
    call,
    checked,
    impure,
    text_of,
    unknown,
)
from workbench.kernel.parameters import check_finished
from workbench.kernel.properties import Place, Property, Step
from workbench.kernel.state import Draft, Layout, Reader, Values, View, seen
from workbench.kernel.values import check_value, identity, is_same, show, sort_key

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

    def fails(self, why: str) -> None:
        """A requirement fails."""
        raise Disabled(why)


class _Overlooking(_Run):
    """A run that goes on where requirements fail.

    Attributes:
        overlooked: Those that failed.
    """

    def __init__(self, taken: list[_Fork]) -> None:
        super().__init__(taken)
        self.overlooked: list[str] = []

    def fails(self, why: str) -> None:
        self.overlooked.append(why)


class _Running(threading.local):
    """The run of an action in this thread."""

    run: _Run | None = None


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


class Outcome(NamedTuple):
    """One result of an action: the choices it made and the cells it wrote.

    Attributes:
        counted: The fairness conditions that count it, by number; None for all those of its action.
    """

    choices: tuple[tuple[str, Any], ...]
    writes: dict[int, Any]
    counted: frozenset[int] | None = None

    @property
    def identity(self) -> Any:
        """Equal for outcomes that make the same choices, write the same values and are counted alike."""
        return identity(self.choices), {cell: identity(value) for cell, value in self.writes.items()}, self.counted

    def counts(self, condition: int) -> bool:
        """Whether a fairness condition of its action counts it."""
        return self.counted is None or condition in self.counted


class Actor(NamedTuple):
    """Who takes a step: a process, or one of its members if each member has a process."""

    process: str
    member: Any = None


class ActionInstance:
    """An action with its parameters bound, as one of a model's numbered steps.

    Attributes:
        number: The position in ``model.instances``; stable for given constants.
        label (str): Such as ``begin_claim(w1)``.
        actor (Actor or None): Who takes the step.
        lane (str): The same as people read it: the member, the process, or "" if there is none. A member that is in
            several processes has one lane.
        at, to: The step of its process at which it is taken, and the next one, if the action gives them.
        chosen_twice: The names of choices that a run of it has made more than once.
    """

    def __init__(self, model: Any, number: int, declared: Action, arguments: Sequence[Any]) -> None:
        self.model, self.number, self.action, self.arguments = model, number, declared, tuple(arguments)
        process = declared.process
        self.actor = None if process is None else Actor(process.name, self.arguments[0] if process.per else None)
        self._call_it(show)
        self.at, self.to = (
            call(f"a step of {declared.name}", step, model) if callable(step) else step
            for step in (declared.at, declared.to)
        )
        self.chosen_twice: set[str] = set()
        bare = self.at is None and self.to is None and (process is None or process.guard is None)
        self._function = declared.function if bare else self._as_a_step

    def _as_a_step(self, model: Any, draft: Draft, *arguments: Any) -> Any:
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
            process.guard(model, draft, *member)
        result = self.action.function(model, draft, *arguments)
        if self.to is not None and cell not in draft.writes:
            draft._set(cell, self.to)
        return result

    def __reduce__(self) -> Any:
        return _numbered, (self.model, self.number)

    @property
    def identity(self) -> Any:
        """Equal for instances of the same action with the same arguments, whatever the other constants are."""
        return self.action.name, identity(self.arguments)

    def named(self, choices: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
        """The parameters with their arguments, those of the actor first, then the `choices`; an unnamed one is ""."""
        return [*zip(self.action.parameters, self.arguments, strict=True), *choices]

    @property
    def together(self) -> int:
        """How many arguments need no name, since they come first and from one set."""
        declared = self.action
        together = declared.parameters.together
        per_member = declared.process is not None and declared.process.per is not None
        return together if per_member or together > 1 or len(self.arguments) == 1 else 0

    def _call_it(self, text: Callable[[Any], str]) -> None:
        """Make the label and the lane; `text` renders an argument."""
        named = [text(v) if i < self.together else f"{n}={text(v)}" for i, (n, v) in enumerate(self.named(()))]
        self.label = f"{self.action.name}({', '.join(named)})" if named else self.action.name
        who = self.actor
        self.lane = "" if who is None else who.process if self.alone else text(who.member)

    @property
    def alone(self) -> Process | None:
        """The process that takes the step, if it has no members."""
        process = self.action.process
        return None if process is None or process.per is not None else process

    def label_with(self, choices: Sequence[tuple[str, Any]]) -> str:
        """The label of a step that makes these `choices`."""
        if not choices:
            return self.label
        chosen = ", ".join(f"{name}={show(value)}" if name else show(value) for name, value in choices)
        return f"{self.label[:-1]}, {chosen})" if self.arguments else f"{self.label}({chosen})"

    @property
    def who(self) -> Any:
        """Equal for the same actor. A member is one, whatever process of its it steps in."""
        return self.actor if self.alone or self.actor is None else identity(self.actor.member)

    def spell_out(self) -> None:
        """Write the arguments as Python does, where ``1`` and ``"1"`` would read the same."""
        self._call_it(brief)

    def branches(self, draft: Draft, before: Values) -> Iterator[Outcome | str]:
        """Every outcome of the action in the state with the values `before`; for a disabled branch the reason.

        The action runs once per combination of choices, depth first, when the next branch is asked for.
        """
        return (branch for _, branch in self._runs(_Run, draft, before))

    def _runs(
        self, kind: Callable[[list[_Fork]], R], draft: Draft, before: Values
    ) -> Iterator[tuple[R, Outcome | str]]:
        """Every run of that `kind`, with what came of it."""
        taken: list[_Fork] = []
        function, model, arguments = self._function, self.model, self.arguments
        while True:
            draft.start(before)
            _running.run = run = kind(taken)
            try:
                result = function(model, draft, *arguments)
                if result is not None:
                    check_finished(result)
                if len(run.labels) > 1:
                    self._note_names(run.labels)
                branch: Outcome | str = Outcome(tuple(run.labels), draft.writes)
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

    def run(self, draft: Draft, before: Values) -> tuple[list[Outcome], list[str]]:
        """Every outcome of the action in the state with the values `before`, and why branches are disabled."""
        outcomes: list[Outcome] = []
        whys: dict[str, None] = {}
        for _, branch in self._runs(_Run, draft, before):
            if isinstance(branch, str):
                whys[branch] = None
            else:
                outcomes.append(branch)
        if self.action.fair_when is not None and outcomes:
            state = seen(draft._layout.view(before))
            outcomes = [one if self._counts(state, one) else one._replace(counted=frozenset()) for one in outcomes]
        return outcomes, list(whys)

    def overlooking(self, draft: Draft, before: Values) -> list[tuple[Outcome, list[str]]]:
        """The outcomes that the action would have in the state with the values `before` without its requirements.

        Each outcome comes with the requirements that fail. Code that relies on them may raise; its later outcomes are
        left out.
        """
        outcomes: list[tuple[Outcome, list[str]]] = []
        with suppress(ModelError):
            for run, branch in self._runs(_Overlooking, draft, before):
                if not isinstance(branch, str):
                    outcomes.append((branch, list(dict.fromkeys(run.overlooked))))
        return outcomes

    def _counts(self, state: Reader, outcome: Outcome) -> bool:
        """Whether fairness counts a step. One without a choice that ``fair_when`` names does not count."""
        fair_when: Any = self.action.fair_when
        made, wanted = dict(outcome.choices), self._choices_counted
        if not made.keys() >= set(wanted):
            return False
        given = {name: made[name] for name in wanted}
        what = f"fair_when of {self.action.name}"
        answer = call(what, fair_when, self.model, state, *self.arguments, **given)
        return checked(what, fair_when, answer)

    @cached_property
    def _choices_counted(self) -> list[str]:
        """The names of the choices that ``fair_when`` takes."""
        given = [] if self.action.fair_when is None else inspect.signature(self.action.fair_when).parameters.values()
        return [parameter.name for parameter in given if parameter.kind == parameter.KEYWORD_ONLY]

    def check_pure(self, draft: Draft, before: Values, outcomes: list[Outcome]) -> None:
        """Run the action again and raise :class:`ModelError` unless it has the same outcomes."""
        again, _ = self.run(draft, before)
        if [outcome.identity for outcome in again] != [outcome.identity for outcome in outcomes]:
            raise self.impure()

    def impure(self) -> ModelError:
        return impure(f"action {self.label}{self.action.place}")

    def __repr__(self) -> str:
        return self.label


def _numbered(model: Any, number: int) -> ActionInstance:
    """An unpickled instance: the model's own."""
    instance: ActionInstance = model.instances[number]
    return instance


@dataclass(frozen=True)
class Fairness:
    """A fairness condition: if (weak) always or (strong) again and again enabled, one of `actions` is taken.

    Attributes:
        label: The process or action instance.
        actions: Numbers of action instances.
    """

    label: str
    strong: bool
    actions: frozenset[int]


# Properties ----------------------------------------------------------------------------------------------------------


class Subject(NamedTuple):
    """A part of a model that runs, or is judged, by itself.

    Attributes:
        kind: ``action``, or the kind of a property.
        part: The predicate of a formula (``trigger`` or ``goal``); "" for the whole.
    """

    kind: str
    name: str
    part: str = ""

    @property
    def label(self) -> str:
        return f"{self.name}.{self.part}" if self.part else self.name

    def __str__(self) -> str:
        return f"{self.kind} {self.label}"


class PropertyInstance:
    """A property with its parameters bound: a predicate over states, or over steps.

    Attributes:
        arguments: The values of the property's parameters.
        begins: Judges initial states; None if any will do.
        follows_reads: Whether a step is right if it writes no cell that judging a state has ever read.
    """

    begins: Callable[[Reader], bool | str] | None = None
    follows_reads = False

    def __init__(self, model: Any, declared: Property, arguments: tuple[Any, ...] = ()) -> None:
        self.model, self.property, self.arguments = model, declared, arguments
        self.subject = Subject(declared.kind, declared.name)
        self._called, self._named = f"property {declared.name}", str(self.subject)

    @property
    def place(self) -> str:
        """The first line of its function, as " (file:line)"."""
        return self.property.place

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that its function reads, of the model among others."""
        code = getattr(self.property.function, "__code__", None)
        return () if code is None else code.co_names

    def concerns(self, instance: ActionInstance) -> bool:
        """Whether the steps of `instance` are judged."""
        of = self.property.of if isinstance(self.property, Step) else ()
        return not of or instance.action.name in of

    def holds(self, *states: Reader) -> bool:
        """Whether the predicate is true."""
        return self.judge(*states) is True

    def judge(self, *states: Reader) -> bool | str:
        """Judge a state, or the two different states of a step.

        Returns:
            True, False, or what is wrong, in one line.
        """
        declared = self.property
        answer = call(self._called, declared.function, self.model, *map(seen, states), *self.arguments)
        return checked(self._named, declared.function, answer, text=declared.says_why)


def unchanged(s: Reader, t: Reader, *parts: str | Place) -> bool:
    """Whether the step from `s` to `t` leaves the named variables as they are.

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
        known = layout.positions[name]
        if index is not None and (isinstance(known, int) or index not in known):
            raise ModelError(f"{name} has no index {brief(index)}")
        cells += layout.cells_of(name, index)
    return cells
