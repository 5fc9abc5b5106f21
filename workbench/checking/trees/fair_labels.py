"""Labels of steps for the deciders of liveness: steps with the same label belong to the same fairness conditions.

The label of a step is the number of its action instance. If some of the conditions of the instance do not count the
step, the number of instances is added once for each set of them, as bits; so all processes give the same labels.
"""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from workbench.checking.trees.decision_trees import Trees
from workbench.kernel import Machine
from workbench.kernel.meaning.steps import Fairness


class FairLabels:
    """The labels of a model's steps.

    Attributes:
        count: All labels are smaller.
        conditions: The model's fairness conditions, over labels in the place of action instances.
    """

    def __init__(self, model: Machine) -> None:
        fairness, self._instances = model.fairness, len(model.instances)
        numbers = range(self._instances)
        self._own = [[at for at, condition in enumerate(fairness) if number in condition.actions] for number in numbers]
        left_out = 1 << max(map(len, self._own), default=0)
        self.count = self._instances * left_out
        self.conditions = [self._over_labels(at, condition, left_out) for at, condition in enumerate(fairness)]

    def _over_labels(self, at: int, condition: Fairness, left_out: int) -> Fairness:
        labels = [
            number + self._instances * bits
            for number in condition.actions
            for bits in range(left_out)
            if not bits >> self._own[number].index(at) & 1
        ]
        return replace(condition, actions=frozenset(labels))

    def of_conditions(self, numbers: Collection[int]) -> np.ndarray:
        """The labels that some of the conditions count."""
        return np.array(sorted(frozenset().union(*(self.conditions[number].actions for number in numbers))), np.int32)

    def of_steps(self, trees: Trees) -> np.ndarray:
        """The label of each memoized successor."""
        labels = np.array([number for number, _ in trees.steps] or [0], np.int32)
        for step, counted in trees.counted.items():
            own = self._own[trees.steps[step][0]]
            bits = sum(1 << bit for bit, condition in enumerate(own) if condition not in counted)
            labels[step] += self._instances * bits
        return labels


def barred(sources: np.ndarray, targets: np.ndarray, labels: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Whether each transition leads between the same two different states as one whose label is in `by`."""
    steps = np.isin(labels, by) & (targets != sources)
    pairs = sources.astype(np.uint64) << np.uint64(32) | targets.astype(np.uint64)
    return steps if not steps.any() else np.isin(pairs, pairs[steps])
