"""Actions: guarded atomic changes of the state, the processes that take them, and the choices they make."""

import inspect
import threading
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Coroutine,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Sized,
)
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.kernel.errors import NOT_SAID, RAISED, ModelError, blame, brief, defined_at, in_its_line, text_of
from workbench.kernel.parameters import declared_parameters, groups_of, says_parameters, with_first
from workbench.kernel.state import Draft, Reader, Values, seen
from workbench.kernel.switches import When
from workbench.kernel.values import check_value, show, sort_key

if TYPE_CHECKING:
    from workbench.kernel.model import Model

FAIRNESS = ("weak", "strong")


class Process:
    """A process of a model, or one process per member of a set.

    Parameters
    ----------
    per : str, optional
        The constant (or attribute of the model) whose members each get a process of their own.
    fair : {None, "weak", "strong"}
        The fairness of the disjunction of the process's actions.
    doc : str
        One line.
    """

    @in_its_line
    def __init__(self, per: str | None = None, fair: str | None = None, doc: str = "") -> None:
        _check_fairness(fair)
        self.per, self.fair, self.doc = per, fair, doc
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name  # a second name for it does not rename it


def _check_fairness(fair: str | bool | None) -> None:
    if fair not in (None, False, *FAIRNESS):
        raise ModelError(f"fair = {fair!r} is not known; it takes 'weak', 'strong' or False")


@dataclass(frozen=True)
class Action:
    """What ``@action`` attaches to a method: its name, process and parameters (name and domain)."""

    name: str
    function: Callable[..., Any]
    process: Process | None
    parameters: Mapping[str, str] = field(hash=False)
    fair: str | bool | None = None
    when: When = None
    stutters: bool = False
    fair_when: Callable[..., Any] | None = None

    def __get__(self, model: "Model | None", owner: "type[Model]") -> Any:
        """The action, of a class; of a model's object the method, for other actions and for subclasses to call."""
        return self if model is None else partial(self.function, model)

    @property
    def doc(self) -> str:
        return inspect.getdoc(self.function) or ""

    @property
    def place(self) -> str:
        """Where its function begins, as " (file:line)"."""
        return defined_at(self.function)

    def of_class(self, owner: str, name: str, processes: Mapping[str, Process]) -> "Action":
        """The action as the class called `owner` has it: called `name`, and taken by the class's own process.

        A subclass may replace a process of its base; the inherited actions are then the new one's.
        """
        if self.process is None:
            return replace(self, name=name)
        if self.process.name not in processes:
            raise ModelError(f"{owner}: the process of {name} has no name in a class")
        process, parameters = processes[self.process.name], self.parameters
        if (process.per is None) != (self.process.per is None):
            raise ModelError(
                f"{owner}: {process.name} is {'one process' if process.per is None else 'a process per member'}, "
                f"but {name} was written for {'one' if process.per else 'a process per member'}; declare {name} again"
            )
        if process.per is not None:
            parameters = with_first(parameters, next(iter(parameters)), process.per)
        return replace(self, name=name, process=process, parameters=parameters)


#: What is said of a function or a result that stops in the middle, so that its body does not run when it is called.
SUSPENDED = "a generator or async, so that calling it does nothing; write a plain function, without yield and await"


def suspends(function: Callable[..., Any]) -> bool:
    """Whether calling `function` only begins it."""
    kinds = (inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction)
    return any(is_kind(function) for is_kind in kinds)


def check_finished(result: object) -> None:
    """Raise :class:`ModelError` if `result` is not one, but a function that has only begun."""
    if isinstance(result, (Generator, AsyncGenerator, Awaitable)):
        if isinstance(result, Coroutine):
            result.close()  # otherwise Python warns of it, much later
        raise ModelError(f"it is {SUSPENDED}")


def parameters_of(function: Callable[..., Any], declared: Mapping[str, str], first: int) -> None:
    """Raise :class:`ModelError` unless `function` takes exactly the `declared` parameters, in order."""
    if not (callable(function) and hasattr(function, "__name__")):
        raise ModelError(f"{brief(function)} is not a method")
    if suspends(function):
        raise ModelError(f"{function.__name__}{defined_at(function)} is {SUSPENDED}")
    names = list(inspect.signature(function).parameters)
    if len(names) < first:
        raise ModelError(
            f"{function.__name__} takes ({', '.join(names)}); it needs ({', '.join(['self', 's'][:first])})"
        )
    taken = names[first:]
    if taken != list(declared):
        raise ModelError(
            f"{function.__name__} takes the parameters ({', '.join(taken)}) "
            f"but declares domains for ({', '.join(declared)})"
        )


@in_its_line
def action(
    process: Any = None,
    *each: str,
    fair: str | bool | None = None,
    when: When = None,
    stutters: bool = False,
    fair_when: Callable[..., Any] | None = None,
    **domains: str,
) -> Any:
    """Declare a method ``(self, s, ...)`` to be an action.

    Parameters
    ----------
    process : Process, optional
        Who takes the step. If it has a process per member, the method's first parameter is the member.
    *each : str
        Parameters that are unpacked from tuples, such as ``"a, b in Edges"``; a first one of these may be the process's
        member. They stand before those of `domains`.
    fair : {None, "weak", "strong", False}
        A fairness condition of this action alone, per instance; False leaves it out of its process's fairness.
    when : str or callable, optional
        The name of a constant, or a function of the model: where it is false, a model does not have the action.
    stutters : bool
        The action leaves the state as it is, on purpose.
    fair_when : callable, optional
        A function ``(self, s, ...)``, with the action's parameters, that says of which of its steps fairness is; of all
        of them without it. Choices are told it by keyword: ``lambda self, s, c, *, value: value == s.held[c]``.
    **domains : str
        For each further parameter the name of a constant, or of an attribute or method of the model, whose
        members it ranges over.
    """
    if callable(process) and not isinstance(process, Process):  # a bare @action
        return action()(process)
    if says_parameters(process):  # and no process
        process, each = None, (process, *each)
    _check_fairness(fair)
    if process is not None and not isinstance(process, Process):
        raise ModelError(f"{process!r} is not a Process: write @action(writer), with writer = Process(...) before it")
    if fair_when is not None and (fair is False or (fair is None and process is None)):
        raise ModelError("fair_when has no effect without fairness: give fair='weak' or fair='strong'")

    @in_its_line
    def declare(function: Callable[..., None]) -> Action:
        parameters = declared_parameters(each, domains)
        if process is not None and process.per is not None:
            names = list(inspect.signature(function).parameters)
            if len(names) < 3:
                raise ModelError(f"{function.__name__} needs a parameter for the member of {process.per} that steps")
            parameters = with_first(parameters, names[2], parameters.get(names[2], process.per))
        parameters_of(function, parameters, first=2)
        if fair_when is not None:
            _check_condition(function.__name__, fair_when, len(parameters))
        return Action(function.__name__, function, process, parameters, fair, when, stutters, fair_when)

    return declare


def _check_condition(name: str, fair_when: Any, parameters: int) -> None:
    if not callable(fair_when):
        raise ModelError(f"{name}: fair_when = {brief(fair_when)} is not accepted; it takes a function (self, s, ...)")
    given = inspect.signature(fair_when).parameters.values()
    positional = [parameter.name for parameter in given if parameter.kind != parameter.KEYWORD_ONLY]
    if len(positional) != 2 + parameters:
        raise ModelError(
            f"{name}: fair_when takes ({', '.join(positional)}); it takes self, s and the action's parameters, and "
            "after a * the names of choices"
        )


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

    Parameters
    ----------
    options : iterable
        A set is taken in canonical order.
    name : str
        What the choice is called in traces.
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

    Attributes
    ----------
    number : int
        The position in ``model.instances``; stable for given constants.
    label : str
        Such as ``begin_claim(w1)``.
    lane : str
        The process that takes the step: a member's name, the process's name, or "" if there is none.
    actor : (str, object) or None
        That process itself: its name, and its member where there is one for each.
    """

    def __init__(self, model: "Model", number: int, declared: Action, arguments: Sequence[Any]) -> None:
        self.model, self.number, self.action, self.arguments = model, number, declared, tuple(arguments)
        process = declared.process
        self.actor = None if process is None else (process.name, self.arguments[0] if process.per else None)
        self._call_it(show)

    def _call_it(self, text: Callable[[Any], str]) -> None:
        """Make the label and the lane of the arguments' texts."""
        declared, arguments = self.action, self.arguments
        process = declared.process
        per_member = process is not None and process.per is not None
        together = len(groups_of(declared.parameters)[0][0]) if arguments else 0
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
        function, model, arguments = self.action.function, self.model, self.arguments
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
        try:
            answer = fair_when(self.model, seen(state), *self.arguments, **{name: made[name] for name in wanted})
        except RAISED as error:
            raise blame(f"fair_when of {self.action.name}", error, defined_at(fair_when)) from error
        if answer is True or answer is False:
            return answer
        named = f"fair_when of {self.action.name}{defined_at(fair_when)}"
        raise ModelError(f"{named} returned {brief(answer)}; it must return True or False")

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
        return ModelError(
            f"action {self.label}{self.action.place} is not a function of the state: run twice in "
            "one state it did two different things (random numbers, the time, or something outside the state?)"
        )

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

    Attributes
    ----------
    label : str
        The process or action instance.
    strong : bool
    actions : frozenset of int
        Numbers of action instances.
    """

    label: str
    strong: bool
    actions: frozenset[int]
