"""Actions: guarded atomic changes of the state, the processes that take them, and the choices they make."""

import inspect
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.kernel.errors import ModelError
from workbench.kernel.state import Draft, Values
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

    def __init__(self, per: str | None = None, fair: str | None = None, doc: str = "") -> None:
        _check_fairness(fair)
        self.per, self.fair, self.doc = per, fair, doc
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name


def _check_fairness(fair: str | bool | None) -> None:
    if fair not in (None, False, *FAIRNESS):
        raise ModelError(f"fair = {fair!r} is not known; it takes 'weak', 'strong' or False")


@dataclass(frozen=True)
class Action:
    """What ``@action`` attaches to a method: its name, process and parameters (name and domain)."""

    name: str
    function: Callable[..., None]
    process: Process | None
    parameters: dict[str, str] = field(hash=False)
    fair: str | bool | None = None
    when: When = None
    stutters: bool = False

    def __get__(self, model: "Model | None", owner: "type[Model]") -> Any:
        """The action, of a class; of a model's object the method, for other actions and for subclasses to call."""
        return self if model is None else partial(self.function, model)

    @property
    def doc(self) -> str:
        return inspect.getdoc(self.function) or ""


def parameters_of(function: Callable[..., Any], declared: dict[str, str], first: int) -> None:
    """Raise :class:`ModelError` unless `function` takes exactly the `declared` parameters, in order."""
    if not callable(function):
        raise ModelError(f"{function!r} is not a method")
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


def action(
    process: Any = None, *, fair: str | bool | None = None, when: When = None, stutters: bool = False, **domains: str
) -> Any:
    """Declare a method ``(self, s, ...)`` to be an action.

    Parameters
    ----------
    process : Process, optional
        Who takes the step. If it has a process per member, the method's first parameter is the member.
    fair : {None, "weak", "strong", False}
        A fairness condition of this action alone, per instance; False leaves it out of its process's fairness.
    when : str or callable, optional
        The name of a constant, or a function of the model: where it is false, a model does not have the action.
    stutters : bool
        The action leaves the state as it is, on purpose.
    **domains : str
        For each further parameter the name of a constant, or of an attribute or method of the model, whose
        members it ranges over.
    """
    if callable(process) and not isinstance(process, Process):  # a bare @action
        return action()(process)
    _check_fairness(fair)
    if process is not None and not isinstance(process, Process):
        raise ModelError(f"{process!r} is not a Process: write @action(writer), with writer = Process(...) before it")

    def declare(function: Callable[..., None]) -> Action:
        parameters = dict(domains)
        if process is not None and process.per is not None:
            names = list(inspect.signature(function).parameters)
            if len(names) < 3:
                raise ModelError(f"{function.__name__} needs a parameter for the member of {process.per} that steps")
            parameters = {names[2]: process.per, **domains}
        parameters_of(function, parameters, first=2)
        return Action(function.__name__, function, process, parameters, fair, when, stutters)

    return declare


class Disabled(Exception):
    """Raised by :func:`require`; carries the reason."""


def require(condition: object, why: str) -> None:
    """Disable the action unless `condition` holds; `why` is shown to people who ask for the reason."""
    if not condition:
        raise Disabled(why)


class _Path(threading.local):
    """The choices of the action that is being run in this thread."""

    taken: list[list[int]] | None = None
    position = 0
    labels: list[tuple[str, Any]]


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
    unordered = isinstance(options, (set, frozenset))
    options = tuple(options)
    for option in options:
        check_value(option)
    if unordered:
        options = tuple(sorted(options, key=sort_key))
    if not options:
        raise Disabled(f"nothing to choose from{' for ' + name if name else ''}")
    if _path.position == len(_path.taken):
        _path.taken.append([0, len(options)])
    branch, count = _path.taken[_path.position]
    if count != len(options):
        raise ModelError("nondeterministic: a choice had another number of options when it was run again")
    _path.position += 1
    chosen = options[branch]
    _path.labels.append((name, chosen))
    return chosen


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
    """

    def __init__(self, model: "Model", number: int, declared: Action, arguments: Sequence[Any]) -> None:
        self.model, self.number, self.action, self.arguments = model, number, declared, tuple(arguments)
        self.label = f"{declared.name}({', '.join(self._named(declared))})" if arguments else declared.name
        process = declared.process
        self.lane = "" if process is None else process.name if process.per is None else show(self.arguments[0])

    def _named(self, declared: Action) -> list[str]:
        bare = 1 if declared.process is not None and declared.process.per is not None else 0
        if len(declared.parameters) == 1:
            bare = 1
        pairs = zip(declared.parameters, self.arguments, strict=True)
        return [show(v) if i < bare else f"{name}={show(v)}" for i, (name, v) in enumerate(pairs)]

    def run(self, draft: Draft, before: Values) -> tuple[list[Outcome], list[str]]:
        """Every outcome of the action in the state with the values `before`, and why branches are disabled.

        The action is run once per combination of choices, in depth-first order.
        """
        outcomes: list[Outcome] = []
        whys: list[str] = []
        taken: list[list[int]] = []
        function, model, arguments = self.action.function, self.model, self.arguments
        while True:
            draft.start(before)
            _path.taken, _path.position, _path.labels = taken, 0, []
            try:
                function(model, draft, *arguments)
                outcomes.append(Outcome(tuple(_path.labels), draft.writes))
            except Disabled as disabled:
                if str(disabled) not in whys:
                    whys.append(str(disabled))
            except ModelError as error:
                raise ModelError(f"action {self.label}: {error}") from error
            except Exception as error:
                raise ModelError(f"action {self.label} raised {type(error).__name__}: {error}") from error
            finally:
                _path.taken = None
            while taken and taken[-1][0] + 1 == taken[-1][1]:
                taken.pop()
            if not taken:
                return outcomes, whys
            taken[-1][0] += 1

    def check_pure(self, draft: Draft, before: Values, outcomes: list[Outcome]) -> None:
        """Run the action again and raise :class:`ModelError` unless it does what it did before."""
        if self.run(draft, before)[0] != outcomes:
            raise ModelError(
                f"action {self.label} is not a function of the state: run twice in one state it did two different "
                "things (random numbers, the time, or something outside the state?)"
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
