"""Exercises on the state space as data."""

import numpy as np

from workbench.checking.spaces.dataset import distances
from workbench.checking.spaces.space import StateSpace, explore
from workbench.registry import get_model
from workbench.showing.lessons.exercise import NUMBER, Wrong, task


def _collision() -> StateSpace:
    model = get_model("hudi")(Writers=2, Keys=2, Values=1, FileGroupCount=2, OpLimit=2, MonotonicTs=False)
    return explore(model, ["ConsistentRead", "SomeOperationAborts"])


def _counted(answer: int, states: np.ndarray) -> None:
    if answer != states.sum():
        raise Wrong(f"It is not {answer:,}, out of {len(states):,} states.")


@task("05_state_space_as_data", NUMBER, "Choose the rows `phase`: the bin has the hue that is nearest to *all do*.")
def worst_bin(answer):
    """The worst bin.

    Bins are those of the density: states of one depth with one multiset of `phase`. In one of them the share of states
    that violate `ConsistentRead` is larger than in all others. Give the number of a state there that violates it.
    """
    space = _collision()
    cube = space.cube("ConsistentRead")
    (phase,) = (column for lens, column in zip(cube.lenses, cube.columns, strict=True) if lens.name == "phase")
    bins, of_tuple = np.unique(np.stack([cube.levels, phase]), axis=1, return_inverse=True)
    of_tuple = of_tuple.ravel()
    wrong, states = (np.bincount(of_tuple, part, bins.shape[1]) for part in (cube.wrong, cube.counts))
    if not 0 <= answer < len(space) or space.holds("ConsistentRead")[answer]:
        raise Wrong(f"State {answer:,} is not one that violates `ConsistentRead`.")
    mine = of_tuple[cube.tuples[answer]]
    shares = wrong / states
    if shares[mine] < shares.max():
        raise Wrong(f"State {answer:,} violates it, as {shares[mine]:.0%} of its bin do; in another bin more do.")
    return f"There {shares.max():.0%} violate it, and both writers are `Ready` again: nobody is left who could notice."


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
