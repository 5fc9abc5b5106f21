"""Pick traces worth driving from a model's state space: one per action, and one per pair of conflicting actions."""

from collections.abc import Callable
from itertools import permutations

from workbench.kernel import InputError, Machine, State, Trace, machine_of, replay
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.steps import ActionInstance
from workbench.kernel.meaning.trace import Move

#: The largest state space.
MOST_STATES = 20_000


_Path = tuple[int, tuple[Move, ...]]  # an initial state's number, and the moves from there
_Steps = dict[ActionInstance, list[State]]


def covering(model: AnyModel) -> dict[tuple[str, ...], Trace]:
    """Traces that together cover each action, and each conflict between two actions.

    An action's trace is a shortest behaviour that ends with it. Two actions of different processes conflict in a state
    that enables both if their order matters: it leads to different states, or one disables the other. A conflict's
    trace is a shortest behaviour that ends with one action, then the other.

    Args:
        model: One with a small state space.

    Returns:
        Traces by the name of the action, or the names of the two.

    Raises:
        InputError: If the model has too many states.

    Examples:
        >>> from workbench.protocols.bakery.model import Bakery
        >>> found = covering(Bakery(Writers=2, MaxCrashes=0))
        >>> [step.label for step in found["begin_claim", "begin_claim"].steps[1:]]
        ['node_startup(w1)', 'node_startup(w2)', 'begin_claim(w1)', 'begin_claim(w2)']
    """
    machine = machine_of(model)
    paths: dict[State, _Path] = {}
    for number, state in enumerate(machine.each_initial_state()):
        paths.setdefault(state, (number, ()))
    memo: dict[State, _Steps] = {}

    def steps(state: State) -> _Steps:
        if state not in memo:
            memo[state] = _steps(machine, state)
        return memo[state]

    covered: dict[tuple[str, ...], _Path] = {}
    queue = list(paths)
    for state in queue:  # which grows
        start, moves = paths[state]
        for instance, successors in steps(state).items():
            covered.setdefault((instance.action.name,), (start, (*moves, Move(instance.number, 0))))
            for ordinal, successor in enumerate(successors):
                if successor not in paths:
                    paths[successor] = (start, (*moves, Move(instance.number, ordinal)))
                    queue.append(successor)
        if len(paths) > MOST_STATES:
            raise InputError(f"{machine.name} has more than {MOST_STATES:,} states; choose smaller constants")
        for one, other in permutations(steps(state), 2):
            names = one.action.name, other.action.name
            if one.lane != other.lane and names not in covered and _in_conflict(steps, state, one, other):
                for ordinal, after in enumerate(steps(state)[one]):
                    if other in steps(after):
                        last = Move(one.number, ordinal), Move(other.number, 0)
                        covered.setdefault(names, (start, (*moves, *last)))
    return {names: replay(machine, start, moves) for names, (start, moves) in covered.items()}


def _steps(model: Machine, state: State) -> _Steps:
    """The enabled steps of a state, with their successors."""
    outcomes = {instance: model.outcomes(instance, state) for instance in model.instances}
    return {instance: [after for _, after in some] for instance, some in outcomes.items() if some}


def _in_conflict(steps: Callable[[State], _Steps], state: State, one: ActionInstance, other: ActionInstance) -> bool:
    """Whether the order of two steps matters."""

    def ends(first: ActionInstance, second: ActionInstance) -> set[State]:
        return {end for after in steps(state)[first] for end in steps(after).get(second, ())}

    return ends(one, other) != ends(other, one)
