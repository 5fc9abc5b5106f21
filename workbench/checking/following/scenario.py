r"""Scenarios: a few lines, each a step or a condition, and a shortest behaviour that passes through them in order.

A line that starts with an action's name is a *step*: the action alone, with its parameters, or with its choices too;
``commit(w2) where s.decision["w2"] == "lk_409"`` adds a condition on the step's target. Any other line is a *condition*
on a state: of a TLA+ module an expression in TLA+, where ``\*`` starts a comment; of any other model a Python
expression over ``s`` and the constants, where ``#`` does.

A behaviour passes through the lines if it matches all of them in order: each condition in a state where it is true,
each step line with a step. A condition may match the target of the step before it, and a step may start where the
condition before it matched. One state may match several conditions, one step only one line. Anything may happen in
between.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.checking.following.names import instances_of, is_action, is_named, why_none
from workbench.checking.following.report import BehaviourPath
from workbench.checking.local.memory import within_memory
from workbench.formats.expression import Expression
from workbench.kernel import InputError, Machine, ModelError, Trace, replay
from workbench.kernel.meaning.budget import Budget, Limits, Stop, Watch
from workbench.kernel.meaning.errors import did_you_mean, text_of, unknown
from workbench.kernel.meaning.interrupts import interruptible
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.state import Reads, row_of
from workbench.kernel.meaning.steps import ActionInstance, Outcome
from workbench.kernel.meaning.trace import each_step
from workbench.kernel.meaning.translation import in_translation, stale_lines
from workbench.kernel.meaning.values import counted
from workbench.registry import model_of

if TYPE_CHECKING:
    from workbench.checking.following.scenario_search import ScenarioSearch

_MOST_LINES = 64
_MOST_STATES, _MOST_REASONS, _MOST_VALUES = 2000, 3, 8


class ScenarioLine(NamedTuple):
    """One line of a scenario.

    Attributes:
        number: From 1.
        step: The step's name; None for a bare condition.
    """

    number: int
    text: str
    step: str | None
    condition: Expression | None

    def __str__(self) -> str:
        return f"line {self.number}: {self.text}"

    def holds(self, state: Any) -> bool:
        """Whether the condition is true in `state`.

        Raises:
            InputError: If it cannot be evaluated there.
        """
        if self.condition is None:
            return True
        try:
            return self.condition.holds(state)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            kind = "" if isinstance(error, (InputError, ModelError)) else f"{type(error).__name__}: "
            text = f"{kind}{text_of(error)}".removesuffix(": ")
            raise InputError(f"{self} cannot be evaluated in a reachable state ({text})") from None


@dataclass(frozen=True, repr=False)
class ScenarioResult:
    """The result of a scenario.

    Attributes:
        holds: Whether there is such a behaviour; None if undecided.
        states: The number of states visited; a state counts again for each number of lines passed before it.
        behaviour: A shortest behaviour that passes through the lines, or through as many as possible.
        at: For each line passed, the index of its state.
        failed: The index of the first line that cannot follow.
        why: The reason why it cannot follow, or why nothing was decided, in one line.
        remarks: On the lines, and on a translation.
        translation: What was searched of a module with PlusCal, as for a result of a check; None for all others.
    """

    holds: bool | None
    lines: list[ScenarioLine]
    states: int
    behaviour: BehaviourPath | None = None
    at: list[int] = field(default_factory=list)
    failed: int | None = None
    why: str | None = None
    remarks: list[str] = field(default_factory=list)
    translation: str | None = None

    def of(self, model: Machine) -> "ScenarioResult":
        """The same result with notes on `model` as a translation, weakened if that is stale."""
        family = model.declared
        return in_translation(self, family.translation, family.translation_notes, "it is found")

    @cached_property
    def trace(self) -> Trace | None:
        """The behaviour, with all its states."""
        return None if self.behaviour is None else replay(*self.behaviour)

    def __repr__(self) -> str:
        return self.text()

    @property
    def head(self) -> str:
        """The answer in a line."""
        if self.holds:
            return f"found: {counted(self.at[-1] + 1 if self.at else 1, 'state')}"
        if self.holds is None:
            return f"not decided: {self.why}"
        return f"impossible: {self.lines[self.failed or 0]}: {self.why}"

    def text(self) -> str:
        places = [f"  state {at + 1}: {line.text}" for line, at in zip(self.lines, self.at, strict=False)]
        remarks = [f"  note: {remark}" for remark in self.remarks]
        return "\n".join([*map(str, stale_lines(self.translation)), self.head, *places, *remarks])

    def as_dict(self) -> dict[str, Any]:
        return {
            "holds": self.holds,
            "why": self.why,
            "states": self.states,
            "lines": [
                {"line": line.number, "text": line.text, "state": at + 1 if at is not None else None}
                for line, at in itertools.zip_longest(self.lines, self.at)
            ],
            "failed": None if self.failed is None else self.lines[self.failed].number,
            "remarks": self.remarks,
            "translation": self.translation,
        }


def read_lines(model: Machine, text: str | Iterable[str]) -> list[ScenarioLine]:
    r"""The lines of a scenario.

    Raises:
        InputError: With the line's number, if it is neither a step of the model nor an expression.

    Examples:
        >>> from workbench import machine_of
        >>> from workbench.protocols.bakery.model import Bakery
        >>> for line in read_lines(machine_of(Bakery), "commit(w2)  # the winner\n\ns.decision['w1'] is None"):
        ...     print(line)
        line 1: commit(w2)
        line 3: s.decision['w1'] is None
    """
    entries = text.splitlines() if isinstance(text, str) else list(text)
    bare = ((number, _without_comment(entry, model.comment)) for number, entry in enumerate(entries, start=1))
    lines = [_line(model, number, entry) for number, entry in bare if entry]
    if not lines:
        raise InputError("the scenario is empty; it takes lines, each a step or a condition")
    if len(lines) > _MOST_LINES:
        raise InputError(f"the scenario has {len(lines)} lines; it takes at most {_MOST_LINES}")
    return lines


def _without_comment(line: str, begins: str) -> str:
    quotes, quote = "\"'" if begins == "#" else '"', ""  # in TLA+ ' is a prime
    for at, letter in enumerate(line):
        if line.startswith(begins, at) and not quote:
            return line[:at].strip()
        if letter in quotes and quote in ("", letter) and line[at - 1 : at] != "\\":
            quote = "" if quote else letter
    return line.strip()


def _line(model: Machine, number: int, text: str) -> ScenarioLine:
    try:
        if text.startswith("#") and model.comment != "#":
            raise InputError(f"{text!r} is not accepted: {model.comment} begins a comment")
        step, *condition = re.split(r"\s+where\s+", text, maxsplit=1)
        if is_action(model, step):
            if not re.fullmatch(r"\w+(\(.*\))?", step):
                raise InputError(f"{step!r} is not accepted; a step is an action, such as {model.instances[0].label}")
            if step.partition("(")[0] in model.actions and not instances_of(model, step):
                raise InputError(f"{step!r} is not accepted: {why_none(model, step)}")
            return ScenarioLine(number, text, step, Expression(model, condition[0]) if condition else None)
        if re.fullmatch(r"\w+(\(.*\))?", text):
            name = text.partition("(")[0]
            if did_you_mean(name, model.declared.actions):
                raise unknown("action", name, model.declared.actions)
        return ScenarioLine(number, text, None, Expression(model, text))
    except InputError as error:
        raise InputError(f"line {number}: {error}") from None


@interruptible()
def scenario(
    model: AnyModel,
    lines: str | Iterable[str],
    *,
    budget: Budget = Budget(),
    watch: Watch = Watch(),
) -> ScenarioResult:
    """A shortest behaviour of `model` that passes through `lines` in their order.

    Args:
        lines: Each a step or a condition; see :mod:`workbench.checking.following.scenario`.
        budget: As for :func:`workbench.checking.check.check`. By default the search may use most of the memory.
        watch: Its ``on_progress`` is called with a :class:`workbench.kernel.meaning.budget.Progress`, whose level is
            the number of lines passed.

    Returns:
        The behaviour, or the first line that cannot follow, and why; undecided if the search was stopped.

    Raises:
        InputError: For a line that is not accepted.

    Examples:
        >>> from workbench.protocols.bakery.v2 import BakeryV2
        >>> model = BakeryV2(Writers=2, AsyncParquet=True, RestampPatch=False)
        >>> report = scenario(model, '''
        ... commit(w1)
        ... s.decision["w2"] == "lk_409"
        ... ''')
        >>> print(report)
        found: 18 states
          state 12: commit(w1)
          state 18: s.decision["w2"] == "lk_409"
    """
    model = model_of(model)
    read = read_lines(model, lines)

    from workbench.checking.following.scenario_search import LineCondition, ScenarioSearch, load_scenario_search
    from workbench.checking.kernels.compiling_beside import search_at_once
    from workbench.checking.local.search import kernels_loaded  # numpy loads here

    limits = Limits(within_memory(budget), watch)
    conditions = [
        LineCondition(None if line.step is None else is_named(line.step), line.holds if line.condition else None)
        for line in read
    ]

    def searched() -> ScenarioResult:
        searching = ScenarioSearch(model, conditions, limits)
        try:
            with limits.in_force():
                node = searching.run()
            if node is None:
                return _why_not(model, searching, read)
            return ScenarioResult(True, read, searching.states, *_behaviour(model, searching, node, read, len(read)))
        except Stop as stop:
            passed = searching.farthest
            reason = f"{stop}; {passed} of {counted(len(read), 'line')} passed so far"
            return ScenarioResult(None, read, searching.states, why=reason)

    result = search_at_once(searched, load_scenario_search, limits, small=not kernels_loaded(), rare=True)
    remarks = [line.condition.remark for line in read if line.condition and line.condition.remark]
    remarks += _outside(result.behaviour) if result.behaviour else []
    return replace(result, remarks=remarks).of(model)


def _behaviour(
    model: Machine, searching: "ScenarioSearch", node: int, lines: Sequence[ScenarioLine], passed: int
) -> tuple[BehaviourPath, list[int]]:
    """The behaviour to a node, and where it passes lines, found independently of the search by running it."""
    start, moves = searching.path(node)
    at: list[int] = []
    for index, step in enumerate(each_step(model, start, moves)):
        before = len(at)
        while len(at) < len(lines):
            line = lines[len(at)]
            if line.step is not None and (
                len(at) > before or step.instance is None or not is_named(line.step)(step.instance, step.choices)
            ):
                break
            if not line.holds(step.state):
                break
            at.append(index)
    if len(at) != passed:
        raise ModelError("a behaviour passed other lines when it was run again: the model is not pure")
    return BehaviourPath(model, start, moves), at


def _outside(behaviour: BehaviourPath) -> list[str]:
    """A remark where a behaviour goes on from a pruned state: a scenario may, and a check does not."""
    model, moves = behaviour.model, behaviour.moves
    constraints = model.constraint_predicates()
    steps = each_step(model, behaviour.start, moves[:-1]) if constraints and moves else ()
    for number, step in enumerate(steps, 1):
        for constraint in constraints:
            if not constraint.holds(step.state):
                name = constraint.property.name
                return [f"state {number} is outside of the constraint {name}, where a check does not go on"]
    return []


# Why a line cannot follow --------------------------------------------------------------------------------------------


def _why_not(model: Machine, searching: "ScenarioSearch", lines: list[ScenarioLine]) -> ScenarioResult:
    failed = searching.farthest
    line = lines[failed]
    explain = _why_no_state if line.step is None else _why_no_step
    nodes, reason = explain(model, searching, failed, line)
    return ScenarioResult(
        False, lines, searching.states, *_behaviour(model, searching, nodes, lines, failed), failed, reason
    )


def _why_no_step(model: Machine, searching: "ScenarioSearch", passed: int, line: ScenarioLine) -> tuple[int, str]:
    """The node that comes closest to the step, and the obstacle to the step there."""
    assert line.step is not None
    named, is_step = instances_of(model, line.step), is_named(line.step)
    if not named:
        return searching.different(passed, ())[0], why_none(model, line.step)
    least: dict[int, list[_Obstacle]] = {}
    never = "" if line.condition is None else f", but never leads to a state in which {line.condition.text}"

    def look(node: int, before: Reads) -> None:
        for instance in named:
            for outcome, lacks in _outcomes(instance, before):
                remark = never if is_step(instance, outcome.choices) else ", but with other choices"
                clause = " and ".join(lacks) or f"is possible{remark}"
                least.setdefault(len(lacks), []).append(_Obstacle(node, instance, lacks, clause))

    _look_around(searching, passed, look)
    if not least:
        return searching.different(passed, ())[0], "it is not enabled in any state that follows"
    reasons = dict[tuple[ActionInstance, str], _Obstacle]()
    for candidate in least[min(least)]:
        reasons.setdefault((candidate.instance, candidate.clause), candidate)
    clauses = dict.fromkeys(
        obstacle.in_words(model, searching, len(named) > 1) for obstacle in [*reasons.values()][:_MOST_REASONS]
    )
    more = f"; and {len(reasons) - _MOST_REASONS} more reasons" if len(reasons) > _MOST_REASONS else ""
    return least[min(least)][0].node, "; ".join(clauses) + more


class _Obstacle(NamedTuple):
    """What `instance` lacks in the state of `node`; nothing if it is possible, but does not match the line."""

    node: int
    instance: ActionInstance
    lacks: Sequence[str]
    clause: str

    def in_words(self, model: Machine, searching: "ScenarioSearch", several: bool) -> str:
        if not self.lacks:
            return f"{self.instance.label} {self.clause}"
        text = self.clause
        if len(self.lacks) == 1:
            text = "; ".join(model.obstacles(self.instance, searching.state(self.node), self.lacks))
        return f"{self.instance.label}: {text}" if several else text


def _outcomes(instance: ActionInstance, before: Reads) -> Iterable[tuple[Outcome, Sequence[str]]]:
    outcomes, whys = instance.run(before)
    if outcomes:
        return [(outcome, ()) for outcome in outcomes]
    overlooked = instance.overlooking(before)
    return [(o, lacks) for o, lacks in overlooked if lacks] or [(Outcome((), {}), [reason]) for reason in whys]


def _why_no_state(model: Machine, searching: "ScenarioSearch", passed: int, line: ScenarioLine) -> tuple[int, str]:
    """The first candidate node, and the values that the condition's left side has instead."""
    assert line.condition is not None
    there = counted(searching.having_passed(passed), "state")
    text = f"it is true in none of the {there} that can follow"
    left = None
    if line.condition.left is not None:
        with suppress(InputError):  # a line of TLA+ may leave something out, and a set may have no end
            left = Expression(model, line.condition.left)
    first = searching.different(passed, ())[0]
    if left is None:
        return first, text
    values: dict[str, None] = {}

    def look(node: int, before: Reads) -> None:
        try:
            values[model.layout.notation.show(left(model.view(before)))] = None
        except KeyboardInterrupt:
            raise
        except BaseException:
            values["not there"] = None

    _look_around(searching, passed, look)
    alternatives = ", ".join(sorted(values)[:_MOST_VALUES])
    more = f" or one of {len(values) - _MOST_VALUES} more" if len(values) > _MOST_VALUES else ""
    return first, f"{text}; there {left.text} is {alternatives}{more}"


def _look_around(searching: "ScenarioSearch", passed: int, look: Callable[[int, Reads], None]) -> None:
    """Show `look` the states that have passed that many lines, one of all those that agree on the cells it reads."""
    read: set[int] = set()
    seen: set[int] = set()
    while True:
        before = len(read)
        for node in searching.different(passed, sorted(read))[:_MOST_STATES]:
            if node not in seen:
                seen.add(node)
                reads = Reads(row_of(searching.state(node)))
                look(node, reads)
                read |= set(reads)
        if len(read) == before:
            return
