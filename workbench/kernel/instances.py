"""What a model's declarations become once its constants are known: actions to run, and properties to ask.

An action is run once per combination of its choices. :func:`require` and :func:`choose` are what its code calls.
"""

import inspect
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from workbench.kernel.again import impure
from workbench.kernel.declare import Action, Property, of_clause
from workbench.kernel.errors import NOT_SAID, RAISED, ModelError, blame, brief, defined_at, text_of, unknown
from workbench.kernel.faults import Place
from workbench.kernel.parameters import Function, check_finished
from workbench.kernel.state import Draft, Layout, Reader, Values, View, seen
from workbench.kernel.text import printable
from workbench.kernel.values import check_value, show, sort_key


def call(what: str, function: Function, /, *arguments: Any, **named: Any) -> Any:
    """Call code of a model's, with its name on whatever it raises."""
    try:
        return function(*arguments, **named)
    except RAISED as error:
        raise blame(what, error, defined_at(function)) from error


def checked(what: str, function: Function, answer: Any, text: bool = False) -> Any:
    """The answer that code of a model's gave: True or False, or where it may be one, a `text`.

    Raises:
        ModelError: If it is anything else.
    """
    if answer is True or answer is False:
        return answer
    if text and isinstance(answer, str):
        return printable(answer)
    must = "True or False, or a text that says what is wrong" if text else "True or False"
    raise ModelError(f"{what}{defined_at(function)} returned {brief(answer)}; it must return {must}")


# Actions -------------------------------------------------------------------------------------------------------------


class Disabled(Exception):
    """Raised by :func:`require`; carries the reason."""


def require(condition: object, why: str = NOT_SAID) -> None:
    """Disable the action unless `condition` holds; `why` is shown to people who ask for the reason."""
    if not condition:
        if _path.overlooked is None:
            raise Disabled(why)
        _path.overlooked.append(why)


@dataclass
class _Fork:
    """A choice on the path of an action: its options, in their order, and the one that is taken now."""

    options: Sequence[Any]
    branch: int = 0

    def is_again(self, options: Any) -> bool:
        """Whether `options` may be what there was to choose from; it is looked at only as far as that costs nothing."""
        if isinstance(options, Sequence):
            return len(options) == len(self.options) and bool(options[self.branch] == self.options[self.branch])
        if isinstance(options, (set, frozenset)):
            return len(options) == len(self.options) and self.options[self.branch] in options
        return not isinstance(options, Sized) or len(options) == len(self.options)


class _Path(threading.local):
    """The choices of the action that is being run in this thread."""

    taken: list[_Fork] | None = None
    position = 0
    labels: list[tuple[str, Any]]
    overlooked: list[str] | None = None


_path = _Path()


def choose(options: Any, name: str = "") -> Any:
    """Branch: the action has one outcome for each of `options`; with none of them it is disabled.

    Args:
        options: A set is taken in canonical order.
        name: What the choice is called in traces.
    """
    if _path.taken is None:
        raise ModelError("choose() may be called only inside an action")
    if _path.position == len(_path.taken):
        ordered = _in_order(options)
        if not ordered:
            raise Disabled(f"nothing to choose from{' for ' + name if name else ''}")
        _path.taken.append(_Fork(ordered))
    fork = _path.taken[_path.position]
    if not fork.is_again(options):
        raise ModelError("nondeterministic: a choice had other options when it was run again")
    _path.position += 1
    chosen = fork.options[fork.branch]
    _path.labels.append((name, chosen))
    return chosen


def _in_order(options: Iterable[Any]) -> Sequence[Any]:
    """The options as a sequence of values that does not change."""
    if isinstance(options, range):
        return options
    ordered = tuple(options)
    for option in ordered:
        check_value(option)
    return tuple(sorted(ordered, key=sort_key)) if isinstance(options, (set, frozenset)) else ordered


class Outcome(NamedTuple):
    """One way in which an action changes the state: the choices made and the cells written."""

    choices: tuple[tuple[str, Any], ...]
    writes: dict[int, Any]


class ActionInstance:
    """An action with its parameters bound, as one of a model's numbered steps.

    Attributes:
        number: The position in ``model.instances``; stable for given constants.
        label (str): Such as ``begin_claim(w1)``.
        lane (str): The process that takes the step: a member's name, the process's name, or "" if there is none.
        actor ((str, object) or None): That process itself: its name, and its member where there is one for each.
    """

    def __init__(self, model: Any, number: int, declared: Action, arguments: Sequence[Any]) -> None:
        self.model, self.number, self.action, self.arguments = model, number, declared, tuple(arguments)
        process = declared.process
        self.actor = None if process is None else (process.name, self.arguments[0] if process.per else None)
        self._call_it(show)
        self._at, self._to = (
            call(f"a step of {declared.name}", step, model) if callable(step) else step
            for step in (declared.at, declared.to)
        )
        bare = self._at is None and self._to is None and (process is None or process.guard is None)
        self._function = declared.function if bare else self._as_a_step

    def _as_a_step(self, model: Any, draft: Draft, *arguments: Any) -> Any:
        """Run the action as a step of its process: at one of the process's steps, and on to the next one."""
        process: Any = self.action.process
        member = arguments[:1] if process.per else ()
        cell = -1
        if self._at is not None or self._to is not None:
            (cell,) = draft._layout.cells_of(process.pc, *member)
        if self._at is not None:
            at = show(self._at)
            who = self.lane if member else f"the {process.name}"
            require(draft._get(cell) == self._at, f"{who} is not at {repr(at) if ' ' in at else at}")
        if process.guard is not None:
            process.guard(model, draft, *member)
        result = self.action.function(model, draft, *arguments)
        if self._to is not None and cell not in draft.writes:
            draft._set(cell, self._to)
        return result

    def _call_it(self, text: Callable[[Any], str]) -> None:
        """Make the label and the lane of the arguments' texts."""
        declared, arguments = self.action, self.arguments
        process = declared.process
        per_member = process is not None and process.per is not None
        together = declared.parameters.together
        bare = together if per_member or together > 1 or len(arguments) == 1 else 0
        pairs = enumerate(zip(declared.parameters, arguments, strict=True))
        named = [text(value) if i < bare else f"{name}={text(value)}" for i, (name, value) in pairs]
        self.label = f"{declared.name}({', '.join(named)})" if arguments else declared.name
        self.lane = "" if process is None else text(arguments[0]) if per_member else process.name

    def spell_out(self) -> None:
        """Write the arguments as Python does: ``1`` and ``"1"`` read the same otherwise."""
        self._call_it(brief)

    def branches(self, draft: Draft, before: Values) -> Iterator[Outcome | str]:
        """Every outcome of the action in the state with the values `before`; for a disabled branch the reason.

        The action is run once per combination of choices, in depth-first order, whenever the next one is asked for.
        """
        taken: list[_Fork] = []
        function, model, arguments = self._function, self.model, self.arguments
        while True:
            draft.start(before)
            try:
                _path.taken, _path.position, _path.labels = taken, 0, []
                result = function(model, draft, *arguments)
                if result is not None:
                    check_finished(result)
                branch: Outcome | str = Outcome(tuple(_path.labels), draft.writes)
            except Disabled as disabled:
                branch = text_of(disabled)
            except RAISED as error:
                raise blame(f"action {self.label}", error, self.action.place) from error
            finally:
                _path.taken = None
            yield branch
            while taken and taken[-1].branch + 1 == len(taken[-1].options):
                taken.pop()
            if not taken:
                return
            taken[-1].branch += 1

    def run(self, draft: Draft, before: Values) -> tuple[list[Outcome], list[str]]:
        """Every outcome of the action in the state with the values `before`, and why branches are disabled."""
        outcomes: list[Outcome] = []
        whys: dict[str, None] = {}
        for branch in self.branches(draft, before):
            if isinstance(branch, str):
                whys[branch] = None
            else:
                outcomes.append(branch)
        return outcomes, list(whys)

    def overlooking(self, draft: Draft, before: Values) -> list[tuple[Outcome, list[str]]]:
        """What the action would do in the state with the values `before` if nothing were required of it.

        Each outcome comes with what is required and not so. Where the action's code fails, since it relies on what it
        requires, there is no outcome.
        """
        outcomes: list[tuple[Outcome, list[str]]] = []
        try:
            _path.overlooked = []
            for branch in self.branches(draft, before):
                if not isinstance(branch, str):
                    outcomes.append((branch, list(dict.fromkeys(_path.overlooked))))
                _path.overlooked = []
        except ModelError:
            pass
        finally:
            _path.overlooked = None
        return outcomes

    def counts(self, state: Reader, choices: Sequence[tuple[str, Any]]) -> bool:
        """Whether fairness is of the step with these `choices` in `state`: not if it lacks one that is asked for."""
        fair_when = self.action.fair_when
        if fair_when is None:
            return True
        made, wanted = dict(choices), self._choices_asked_for
        if not made.keys() >= set(wanted):
            return False
        given = {name: made[name] for name in wanted}
        what = f"fair_when of {self.action.name}"
        answer = call(what, fair_when, self.model, seen(state), *self.arguments, **given)
        return checked(what, fair_when, answer)

    @cached_property
    def _choices_asked_for(self) -> list[str]:
        """The names of the choices that ``fair_when`` is told, where there is one."""
        given = [] if self.action.fair_when is None else inspect.signature(self.action.fair_when).parameters.values()
        return [parameter.name for parameter in given if parameter.kind == parameter.KEYWORD_ONLY]

    def check_pure(self, draft: Draft, before: Values, outcomes: list[Outcome]) -> None:
        """Run the action again and raise :class:`ModelError` unless it does what it did before."""
        if self.run(draft, before)[0] != outcomes:
            raise self.impure()

    def impure(self) -> ModelError:
        return impure(f"action {self.label}{self.action.place}")

    def __repr__(self) -> str:
        return self.label


def outcome_label(instance: ActionInstance, outcome: Outcome) -> str:
    """The step as traces print it: the instance and what was chosen in it."""
    if not outcome.choices:
        return instance.label
    chosen = ", ".join(f"{name}={show(value)}" if name else show(value) for name, value in outcome.choices)
    return f"{instance.label[:-1]}, {chosen})" if instance.label.endswith(")") else f"{instance.label}({chosen})"


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
    """A part of a model that is judged, or run, by itself.

    Attributes:
        kind: ``action``, or the kind of a property.
        part: The clause of an invariant, or the predicate of a formula (``trigger`` or ``goal``); "" for the whole.
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
    """An invariant, reachable property or constraint with its parameters bound, or a clause: a predicate over states.

    Attributes:
        clause (str): The clause's name; "" for a property that has no clauses, or for all of them together.
    """

    def __init__(
        self,
        model: Any,
        declared: Property,
        arguments: tuple[Any, ...],
        function: Callable[..., Any] | None = None,
    ) -> None:
        self.model, self.property, self.arguments = model, declared, arguments
        self._function = declared.function if function is None else function
        self.clause = "" if self._function is declared.function else self._function.__name__
        self.subject = Subject(declared.kind, declared.name, self.clause)
        self._called, self._named = f"property {self.subject.label}", str(self.subject)

    @property
    def place(self) -> str:
        """Where its function begins, as " (file:line)"."""
        return defined_at(self._function)

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that its function asks for, of the model among others."""
        code = getattr(self._function, "__code__", None)
        return () if code is None else code.co_names

    def holds(self, state: Reader) -> bool:
        """Whether the predicate is true in `state`."""
        return self.judge(state) is True

    def judge(self, state: Reader) -> bool | str:
        """True, False, or what is wrong in `state`, in one line; of a clause with its name."""
        function, invariant = self._function, self.property.kind == "invariant"
        answer = call(self._called, function, self.model, seen(state), *self.arguments)
        answer = checked(self._named, function, answer, text=invariant)
        return of_clause(function, answer) if self.clause and answer is not True else answer


class Later(View):
    """The state after a step, as properties of steps see it: it also tells which cells the step changed.

    Args:
        changed: Whether the cell with a number is different from what it was before the step. Who keeps track of reads
            then need not count this as reading either value.
    """

    __slots__ = ("_changed",)
    _changed: Callable[[int], bool]

    def __init__(self, layout: Layout, values: Values, changed: Callable[[int], bool]) -> None:
        super().__init__(layout, values)
        object.__setattr__(self, "_changed", changed)


def unchanged(s: Reader, t: Reader, *parts: str | Place) -> bool:
    """Whether the step from `s` to `t` leaves the named variables as they are.

    Args:
        s, t: As a step property is given them.
        *parts: Variables, or single cells of them: ``Place("pc", w)``.

    Examples:
        >>> from workbench.models.bakery import Bakery
        >>> model = Bakery()
        >>> start, = model.initial_states()
        >>> _, after = model.outcomes(model.instances[0], start)[0]
        >>> [str(change.cell) for change in start.changes_to(after)]
        ['pc[w1]']
        >>> unchanged(start, after, "claims"), unchanged(start, after, "claims", "pc")
        (True, False)
        >>> unchanged(start, after, Place("pc", "w2")), only(start, after, "pc"), only(start, after, Place("pc", "w2"))
        (True, True, False)
    """
    changed = _changes(s, t)
    return not any(changed(cell) for cell in _cells(t._layout, parts))


def only(s: Reader, t: Reader, *parts: str | Place) -> bool:
    """Whether the step from `s` to `t` changes nothing but the named variables, or cells; see :func:`unchanged`."""
    changed, allowed = _changes(s, t), set(_cells(t._layout, parts))
    return not any(changed(cell) for cell in range(len(t._layout.cells)) if cell not in allowed)


def _changes(s: Reader, t: Reader) -> Callable[[int], bool]:
    if isinstance(t, Later):
        return t._changed
    if isinstance(s, View) and isinstance(t, View):
        before, after = s.values, t.values
        return lambda cell: bool(before[cell] != after[cell])
    raise ModelError("unchanged() and only() take the two states of a step")


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


class StepJudge:
    """What judges the steps of a model for one property: :class:`StepInstance`, and refinements.

    Attributes:
        arguments: What the property's parameters are.
        begins: What judges the initial states; None if any will do.
        follows_reads: Whether a step is right that writes no cell which was ever read to judge a state.
    """

    arguments: tuple[Any, ...] = ()
    begins: Callable[[Reader], bool | str] | None = None
    follows_reads = False

    def concerns(self, instance: ActionInstance) -> bool:
        """Whether the steps of `instance` are judged."""
        return True

    def judge(self, before: Reader, after: Reader) -> bool | str:
        """True, False, or what is wrong with the step between two different states, in one line."""
        raise NotImplementedError


class StepInstance(StepJudge):
    """A step property with its parameters bound: a predicate over steps."""

    def __init__(self, model: Any, declared: Property, arguments: tuple[Any, ...]) -> None:
        self.model, self.property, self.arguments = model, declared, arguments
        self._called, self._named = f"property {declared.name}", f"step {declared.name}"

    def concerns(self, instance: ActionInstance) -> bool:
        return not self.property.of or instance.action.name in self.property.of

    def judge(self, before: Reader, after: Reader) -> bool | str:
        function = self.property.function
        answer = call(self._called, function, self.model, seen(before), seen(after), *self.arguments)
        return checked(self._named, function, answer, text=True)
