"""The first level of a search that starts on Spark: the driver makes the initial states."""

from collections.abc import Callable
from functools import partial

import numpy as np

from workbench.checking.kernels import loops
from workbench.checking.spark.files.messages import Admitted, Memory, StepCounts, Task
from workbench.checking.spark.files.rundir import RunDirectory
from workbench.checking.spark.files.states import States, narrow
from workbench.checking.trees.cells import Interner
from workbench.kernel import Machine, ModelError, State, Trace, replay
from workbench.kernel.meaning.properties import Property
from workbench.kernel.meaning.trace import leading_to

_STATES_PER_CHECK = 256


def write_initial_level(directory: RunDirectory, task: Task, watch: Callable[[], None]) -> tuple[int, list[Admitted]]:
    """Write the initial states, and report each bucket's as workers do for later levels.

    The numbers of values here become the global ones.

    Args:
        watch: Called now and then; may raise to stop.

    Returns:
        The number of initial states, repetitions included, and the reports.
    """
    cells = Interner(task.model, task.symmetry, task.bits, key=task.key)
    constraints = task.model.constraint_predicates()
    deciding = {declared.name: _deciding(task, declared) for declared in task.model.select(task.properties)}
    kept_out: list[int] = []
    decided_outside: dict[str, list[int]] = {}
    states: list[tuple[list[int], np.ndarray]] = []  # with their fingerprints, in order of first occurrence
    places: list[int] = []
    deciders: list[set[str]] = []  # the properties that each of them decides
    seen = set()
    initial = 0
    for place, state in enumerate(task.model.each_initial_state()):
        if place % _STATES_PER_CHECK == 0:
            watch()
        initial += 1
        with leading_to(partial(_alone, task.model, place)):
            inside = all(constraint.holds(state) for constraint in constraints)
            decided = {name for name, decides in deciding.items() if decides(state)}
        if not inside:
            kept_out.append(place)
            for name in decided:
                decided_outside.setdefault(name, [place])
            continue
        row = cells.encode(state)
        fingerprint = loops.canonical_fingerprints(cells.sums(row)[None, :], cells.words)[0]
        if fingerprint.tobytes() not in seen:
            seen.add(fingerprint.tobytes())
            states.append((row, fingerprint))
            places.append(place)
            deciders.append(decided)
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
    buckets = loops.bucket(fingerprints, task.buckets)
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
        smallest: dict[str, list[int]] = {}
        for at in np.flatnonzero(some).tolist():
            for name in deciders[at]:
                smallest[name] = min(fingerprints[at].tolist(), smallest.get(name, fingerprints[at].tolist()))
        outcomes.append(Admitted(0, bucket, [file], {}, none_new, [], smallest, extras, 0, memory))
        extras = []
    return initial, outcomes


def _alone(model: Machine, place: int, error: ModelError) -> Trace:
    """The trace to an initial state where the model's error was raised."""
    return replay(model, place, [])


def _deciding(task: Task, declared: Property) -> Callable[[State], bool]:
    """A predicate of initial states: whether they decide the property."""
    if declared.of_states:
        predicates, decisive = task.model.predicates(declared.name), declared.wanted
        return lambda state: any(predicate.holds(state) is decisive for predicate in predicates)
    begins = [judge.begins for judge in task.model.judges(declared) if judge.begins is not None]
    return lambda state: any(begin(state) is not True for begin in begins)
