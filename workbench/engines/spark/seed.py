"""The first level of a search that is on Spark from its beginning: the initial states, made by the driver."""

from collections.abc import Callable

import numpy as np

from workbench.engines import kernels
from workbench.engines.cells import Cells
from workbench.engines.spark.messages import Admitted, Memory, StepCounts, Task
from workbench.engines.spark.rundir import RunDirectory
from workbench.engines.spark.states import States, narrow
from workbench.kernel import State
from workbench.kernel.declare import Property

_STATES_PER_CHECK = 256


def seed(directory: RunDirectory, task: Task, watch: Callable[[], None]) -> tuple[int, list[Admitted]]:
    """Write the initial states, and say of each bucket what it got, as workers do of later levels.

    The numbers that values have here become the global ones.

    Parameters
    ----------
    watch : callable
        Called now and then; may raise to stop.

    Returns
    -------
    initial : int
        The initial states, repetitions included.
    outcomes : list of Admitted
    """
    cells = Cells(task.model, task.symmetry, task.bits)
    constraints = task.model.constraint_predicates()
    deciding = {declared.name: _deciding(task, declared) for declared in task.model.select(task.properties)}
    kept_out: list[int] = []
    decided_outside: dict[str, list[int]] = {}
    states: list[tuple[list[int], np.ndarray]] = []  # each with its fingerprint, in the order of their first places
    places: list[int] = []
    seen = set()
    initial = 0
    for place, state in enumerate(task.model.each_initial_state()):
        if place % _STATES_PER_CHECK == 0:
            watch()
        initial += 1
        if not all(constraint.holds(state) for constraint in constraints):
            kept_out.append(place)
            for name in (name for name, decides in deciding.items() if decides(state)):
                decided_outside.setdefault(name, [place])
            continue
        row = cells.encode(state)
        fingerprint = kernels.canonical_fingerprints(cells.sums(row)[None, :], cells.words)[0]
        if fingerprint.tobytes() not in seen:
            seen.add(fingerprint.tobytes())
            states.append((row, fingerprint))
            places.append(place)
    none_new = np.zeros(len(task.model.instances), np.int64)  # no action led here
    memory = Memory("driver", 0, 0, ())
    outcomes = []
    if kept_out:
        nothing = StepCounts(none_new, none_new, none_new > 0, decided_outside, memory, len(kept_out))
        outcomes.append(Admitted(0, 0, [], {}, none_new, [nothing], {}, [], 0, memory))
    if not states:
        return initial, outcomes
    rows, fingerprints = (np.array(column) for column in zip(*states, strict=True))
    ordinals, extras = np.array(places, np.int32), cells.values
    buckets = kernels.bucket(fingerprints, task.buckets)
    for bucket in np.unique(buckets).tolist():
        some = buckets == bucket
        count = int(some.sum())
        initial_states = States(
            fingerprints=fingerprints[some],
            parents=np.zeros((count, cells.words), np.uint64),
            instances=np.full(count, -1, np.int32),
            ordinals=ordinals[some],
            rows=narrow(rows[some]),
        )
        file = directory.write_level(0, bucket, [initial_states], 0, [[] for _ in cells.values])
        decided = _judge(task, cells, rows[some], fingerprints[some])
        outcomes.append(Admitted(0, bucket, [file], {}, none_new, [], decided, extras, 0, memory))
        extras = []
    return initial, outcomes


def _judge(task: Task, cells: Cells, rows: np.ndarray, fingerprints: np.ndarray) -> dict[str, list[int]]:
    """The properties that an initial state decides, with the smallest fingerprint of such a state."""
    decided: dict[str, list[int]] = {}
    for declared in task.model.select(task.properties):
        decides = _deciding(task, declared)
        for row, fingerprint in zip(rows.tolist(), fingerprints.tolist(), strict=True):
            if decides(cells.decode(row)):
                decided[declared.name] = min(fingerprint, decided.get(declared.name, fingerprint))
    return decided


def _deciding(task: Task, declared: Property) -> Callable[[State], bool]:
    """What tells whether an initial state decides a property."""
    if declared.of_states:
        predicates, wanted = task.model.predicates(declared.name), declared.kind == "reachable"
        return lambda state: any(predicate.holds(state) is wanted for predicate in predicates)
    begins = [judge.begins for judge in declared.judges(task.model) if judge.begins is not None]
    return lambda state: any(begin(state) is not True for begin in begins)
