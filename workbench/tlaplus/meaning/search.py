"""Explores the states of a specification breadth-first: all initial states, and all successors of every state.

Verdicts are about the resulting graph. The search itself judges invariants, deadlock, and the parts of PROPERTIES that
single states and steps decide; properties of behaviours are judged afterwards. Edges have no actions: a step is an
``A`` step if its two states satisfy ``A``. With symmetry, the first state found stands for all of its images.
"""

import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, NamedTuple, TypeVar

from workbench.kernel.meaning.errors import InputError, Stop
from workbench.tlaplus.meaning import sets
from workbench.tlaplus.meaning.actions import Conjunct, initial_states
from workbench.tlaplus.meaning.environment import BEFORE, Closure, Environment, State, States
from workbench.tlaplus.meaning.expressions import body_of, called, evaluate, holds
from workbench.tlaplus.meaning.formulas import conjuncts, is_safety
from workbench.tlaplus.meaning.opening import Opened
from workbench.tlaplus.meaning.safety import Safety
from workbench.tlaplus.meaning.temporal import Atoms, level_of
from workbench.tlaplus.meaning.turns import parts_of
from workbench.tlaplus.meaning.values import EvaluationFailure, nests_deeper
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.names.symbols import DEPTH, Defined, fail_at
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.cfg_parser import CfgEntry

_DEEPEST, _STACK_BYTES = 150_000, 1 << 30
#: How deeply values may nest; a deeper state could not be shown.
_MOST_NESTED = 200
#: The name under which a state without a next one is reported.
DEADLOCK = "Deadlock"
T = TypeVar("T")


class Violation(NamedTuple):
    """A violated invariant or property, or a deadlock.

    Attributes:
        name: The name of the invariant or property, or DEADLOCK.
        trace: A shortest trace to the state.
    """

    name: str
    trace: tuple[State, ...]


class Failed(NamedTuple):
    """An error of evaluation. It ends the search.

    Attributes:
        trace: A shortest trace to the state that could not be evaluated, or whose steps could not.
    """

    failure: EvaluationFailure
    trace: tuple[State, ...]


@dataclass
class Graph:
    """The reachable states and the steps between them.

    Attributes:
        states: The states in the order of discovery; a state's number is its index.
        initial: The numbers of the initial states.
        successors: For each state the numbers of its successors, except those that constraints prune.
        predecessors: For each state the number of the state it was found from; None for an initial state.
        pruned: The states that constraints prune, each after the number of its predecessor.
        levels: The number of new states at each depth.
        generated: How many states were generated, repeated and pruned ones included.
        generated_initial: How many of these were initial states.
        violations: The first violation of each invariant and property, and the first deadlock.
        witnesses: For each predicate of ``_POSSIBLE`` a shortest trace to a state that satisfies it.
        failed: The error that ended the search before the graph was complete.
        stopped: Why the caller ended the search early.
    """

    states: list[State] = field(default_factory=list)
    initial: list[int] = field(default_factory=list)
    successors: list[list[int]] = field(default_factory=list)
    predecessors: list[int | None] = field(default_factory=list)
    pruned: list[tuple[int | None, State]] = field(default_factory=list)
    levels: list[int] = field(default_factory=list)
    generated: int = 0
    generated_initial: int = 0
    violations: dict[str, Violation] = field(default_factory=dict)
    witnesses: dict[str, tuple[State, ...]] = field(default_factory=dict)
    failed: Failed | None = None
    stopped: str | None = None

    def trace(self, number: int | None, last: State | None = None) -> tuple[State, ...]:
        """A shortest trace to the state numbered `before`, followed by `state`, which may have no number."""
        way = [] if last is None else [last]
        while number is not None:
            way.append(self.states[number])
            number = self.predecessors[number]
        return tuple(reversed(way))


class Taken(NamedTuple):
    """A step from a state.

    Attributes:
        number: The number of the next state; None if constraints prune it.
        is_new: Whether this step discovered the next state.
    """

    state: State
    number: int | None
    is_new: bool


@dataclass(frozen=True)
class Options:
    """Options of a search that are not part of the configuration.

    Attributes:
        heed: Called before a state is added. It may raise Stop to end the search, and so may a pause of the kernel.
        deepen: Called before a level is expanded. It may raise Stop too.
        note: Called with the number of a state (None for the initial states) and all steps from it.
        images: Symmetry: each function maps a value to its image under a permutation of model values.
        fail_fast: End at the first violation.
    """

    heed: Callable[[Graph], object] = lambda graph: None
    deepen: Callable[[Graph], object] = lambda graph: None
    note: Callable[[int | None, list[Taken]], object] = lambda before, steps: None
    images: Sequence[Callable[[Any], Any]] = ()
    fail_fast: bool = False


class _Search:
    def __init__(self, opened: Opened, how: Options) -> None:
        self.opened, self.cfg, self.how = opened, opened.cfg, how
        self.variables = opened.specification.variables
        self.beginning, action = behaviour_of(opened)
        self.parts = parts_of(action, "VIEW" in self.cfg.single)
        self.safety = Safety(opened)
        deadlock = self.cfg.single.get("CHECK_DEADLOCK")
        self.judges_deadlock = deadlock is None or deadlock.value == "TRUE"
        self.graph = Graph()
        self.numbers: dict[Any, int] = {}
        self.met: tuple[int | None, State | None] = None, None  # what a failure's trace leads to

    def run(self) -> Graph:
        graph = self.graph
        try:
            graph.initial = self._taken(initial_states(self.beginning), None)
            graph.levels, graph.generated_initial = [len(graph.states)], graph.generated
            while graph.levels[-1]:
                self.how.deepen(graph)
                first = len(graph.states)
                for number in range(first - graph.levels[-1], first):
                    graph.successors.append(self._successors(number))
                graph.levels.append(len(graph.states) - first)
        except EvaluationFailure as failure:
            graph.failed = Failed(failure, graph.trace(*self.met))
        except Stop as stop:
            graph.stopped = str(stop)
        except RecursionError:
            graph.failed = Failed(EvaluationFailure("definitions use each other too deeply"), graph.trace(*self.met))
        graph.levels = [level for level in (*graph.levels, len(graph.states) - sum(graph.levels)) if level]
        return graph

    def _successors(self, number: int) -> list[int]:
        self.met, before = (number, None), self.graph.generated
        state = self.graph.states[number]
        numbers = self._taken((way for part in self.parts for way in part.ways(state)), number)
        if self.graph.generated == before and self.judges_deadlock:
            self._violated(DEADLOCK, number, None)
        return numbers

    def _taken(self, states: Iterable[State], before: int | None) -> list[int]:
        """Add initial states, or the successors of the state `before`; return their numbers. New ones are judged."""
        steps = list[Taken]()
        for state in states:
            steps.append(self._step(state, before))
            self.met = before, None
        if before is not None:
            self._judge_steps(before, steps)
        self.met = before, None
        self.how.note(before, steps)
        return [step.number for step in steps if step.number is not None]

    def _step(self, state: State, before: int | None) -> Taken:
        self.met = before, state
        if any(nests_deeper(value, _MOST_NESTED) for value in state.values()):
            self.met = before, None
            raise EvaluationFailure("a value is nested too deep")
        key, is_inside = self._key(state), self._is_inside(before, state)
        number = self.numbers.get(key) if is_inside else None
        if is_new := is_inside and number is None:
            self.how.heed(self.graph)
            number = self.numbers[key] = len(self.graph.states)
            self.graph.states.append(state)
            self.graph.predecessors.append(before)
        if not is_inside:
            self.graph.pruned.append((before, state))
        if is_new or not is_inside:
            self._judge(before, state)
        self.graph.generated += 1
        return Taken(state, number, is_new)

    def _key(self, state: State) -> Any:
        """The key that identifies a state: the value of VIEW, or its own values; with symmetry, those of all images."""
        view = self.cfg.single.get("VIEW")
        if view is not None:
            values = (sets.listed(evaluate(self.opened.named(view.value), self.opened.root, States(state))),)
        else:
            values = tuple(state[variable] for variable in self.variables if variable is not DEPTH)
        images = self.how.images
        return frozenset(tuple(map(image, values)) for image in images) if images else values

    def _judge(self, before: int | None, state: State) -> None:
        for name in self._false(self.cfg.invariants, States(state)):
            self._violated(name, before, state)
        for name in self.safety.false_in(state, is_initial=before is None):
            self._violated(name, before, state)
        unwitnessed = [entry for entry in self.cfg.possible if entry.value not in self.graph.witnesses]
        if unwitnessed and not any(self._false(self.cfg.constraints, States(state))):
            absent = {*self._false(unwitnessed, States(state))}
            way = self.graph.trace(before, state)
            self.graph.witnesses.update((entry.value, way) for entry in unwitnessed if entry.value not in absent)

    def _judge_steps(self, before: int, steps: Iterable[Taken]) -> None:
        for step in steps:
            self.met = before, step.state
            for name in self.safety.false_by(self.graph.states[before], step.state):
                self._violated(name, before, step.state)

    def _is_inside(self, before: int | None, state: State) -> bool:
        """Whether a state satisfies every CONSTRAINT, and the step to it every ACTION_CONSTRAINT."""
        outside = [*self._false(self.cfg.constraints, States(state))]
        if before is not None:
            outside += self._false(self.cfg.action_constraints, States(self.graph.states[before], state))
        return not outside

    def _false(self, entries: Iterable[CfgEntry], states: States) -> Iterator[str]:
        """The names of the formulas that are false."""
        for entry in entries:
            if not holds(self.opened.named(entry.value), self.opened.root, states):
                yield entry.value

    def _violated(self, name: str, before: int | None, state: State | None) -> None:
        self.graph.violations.setdefault(name, Violation(name, self.graph.trace(before, state)))
        if self.how.fail_fast:
            raise Stop("stopped at the first violation")


def search(opened: Opened, how: Options = Options()) -> Graph:
    """Explore a specification with its configuration, until the end or the first error of evaluation.

    Raises:
        InputError: If the configuration names no behaviour, or an ASSUME is not true.
    """

    def run() -> Graph:
        _assume(opened)
        return _Search(opened, how).run()

    return deeply(run)


def _assume(opened: Opened) -> None:
    """Refuse constants that an ASSUME excludes."""
    for assumption, scope in opened.specification.assumptions:
        try:
            is_met = holds(assumption.body, opened.root.at(scope), BEFORE)
        except EvaluationFailure as failure:
            raise InputError(str(failure)) from failure
        if not is_met:
            fail_at(assumption.at, "what is assumed here is false with these constants")


def deeply(run: Callable[[], T]) -> T:
    """Call `run` on a deep stack: each level of recursion in TLA+ takes a dozen Python calls."""
    limit, size = sys.getrecursionlimit(), threading.stack_size(_STACK_BYTES)
    sys.setrecursionlimit(_DEEPEST)
    try:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(copy_context().run, _in_one_piece, run).result()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(size)


def _called(run: Callable[[], T]) -> T:
    return run()


#: CPython keeps frames in pieces of 16 kB, and asks the system for one at each call that crosses into the next, which
#: can take half the time of an evaluation. A frame that needs much room has a piece in which there is room for all.
_in_one_piece = FunctionType(_called.__code__.replace(co_stacksize=1 << 17), {})


def behaviour_of(opened: Opened) -> tuple[list[Conjunct], Conjunct]:
    """The conjuncts of the initial condition, and the next-state action, from INIT and NEXT or a SPECIFICATION.

    Raises:
        InputError: If either is missing; with its place, for a conjunct that is neither, nor about liveness.
    """
    single, root = opened.cfg.single, opened.root
    if "SPECIFICATION" not in single:
        names = [single[keyword].value if keyword in single else keyword.title() for keyword in ("INIT", "NEXT")]
        return [(opened.named(names[0]), root)], (opened.named(names[1]), root)
    beginning, actions = list[Conjunct](), list[Conjunct]()
    for node, env in _conjuncts(opened.named(single["SPECIFICATION"].value), opened):
        if isinstance(node, tree.Operation) and isinstance(node.operands[0], tree.Box):
            actions.append((node.operands[0].action, env))
        elif level_of(node, env) <= Level.STATE:
            beginning.append((node, env))
        elif not _is_liveness(node, env):
            fail_at(node.at, "a specification has initial predicates, [][Next]_vars and liveness; this is none of them")
    if not beginning or len(actions) != 1:
        raise InputError(f"{single['SPECIFICATION'].value} is not of the form Init /\\ [][Next]_v")
    return beginning, actions[0]


def _is_liveness(node: tree.Expression, env: Environment) -> bool:
    """Whether a formula is liveness alone: a part about single states or steps would restrict the graph."""
    try:
        return not any(map(is_safety, conjuncts(Atoms().formula(node, env))))
    except EvaluationFailure as failure:
        raise InputError(str(failure)) from failure


def _conjuncts(node: tree.Expression, opened: Opened) -> Iterator[Conjunct]:
    """The conjuncts of a specification, with LET, temporal definitions and their parameters expanded."""
    pending: list[Conjunct] = [(node, opened.root)]
    while pending:
        node, env = pending.pop(0)
        if isinstance(node, tree.Conjunction):
            pending[:0] = [(operand, env) for operand in node.operands]
            continue
        if isinstance(node, tree.Let):
            pending.insert(0, (node.body, env.inside(node)))
            continue
        if isinstance(node, (tree.Identifier, tree.Apply, tree.Qualified)) and level_of(node, env) is Level.TEMPORAL:
            meaning, arguments, inner = called(node, env)
            if isinstance(meaning, Defined):
                pending.insert(0, (meaning.body, body_of(meaning, arguments, inner)))
                continue
            if isinstance(meaning, tree.Declaration) and isinstance(argument := env.bound[meaning], Closure):
                pending.insert(0, (argument.node, argument.environment))
                continue
        yield node, env
