"""Exercises on the state space as data."""

import numpy as np

from workbench.checking.spaces.dataset import distances
from workbench.checking.spaces.space import StateSpace, explore
from workbench.registry import get_model
from workbench.showing.lessons.exercise import NUMBER, Wrong, task


def _collision() -> StateSpace:
    model = get_model("hudi")(Writers=2, Keys=2, Values=1, FileGroupCount=2, OpLimit=2, MonotonicTs=False)
    return explore(model, ["SomeOperationAborts"])


def _counted(answer: int, states: np.ndarray) -> None:
    if answer != states.sum():
        raise Wrong(f"It is not {answer:,}, out of {len(states):,} states.")


@task("05_state_space_as_data", NUMBER, "`exists` takes a condition on values; the values are `map_values(index)`.")
def loose_index(answer):
    """The index runs ahead.

    In how many states of the collision does the index send some key to a file group that has no published slice?
    Compare `index` with `completed`, whose values are the file groups of published slices.
    """

    def loose(s):
        return any(group is not None and group not in s.completed.values() for group in s.index.values())

    _counted(answer, _collision().where(loose))
    return "The index is written before the commit, so it runs ahead of what readers see."


@task("05_state_space_as_data", NUMBER, "`distance_SomeOperationAborts` is null where no such state can be reached.")
def no_way_to_abort(answer):
    """No way to abort.

    From how many states of the collision can `SomeOperationAborts` not be reached any more?
    """
    space = _collision()
    _counted(answer, distances(len(space), space.sources, space.targets, space.holds("SomeOperationAborts")) < 0)
    return "From all others an operation can still be given up."
