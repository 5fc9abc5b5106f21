"""Random models for what follows behaviours, and every step from a state of a model by the names that it has."""

import random
from functools import cache

from workbench.kernel import Model, Variable, action, choose, require
from workbench.kernel.instances import outcome_label

CELLS = ("a", "b", "c", "d")


@cache
def table_model(seed):
    """A model with random tables instead of a protocol: its actions read, write and choose as these say."""

    def entry(*what):
        return random.Random(repr((seed, *what))).randrange(1000)

    def step(kind):
        def act(self, s):
            one = CELLS[entry(kind, "reads") % 4]
            seen = (s.at[one],)
            require(entry(kind, "on", seen) % 3, "the table says no")
            if entry(kind, "choice", seen) % 3 == 0:
                seen += (choose(range(1 + entry(kind, "count", seen) % 2), "n"),)
            for which in range(1 + entry(kind, "writes", seen) % 2):
                s.at[CELLS[entry(kind, "cell", seen, which) % 4]] = entry(kind, "to", seen, which) % 3

        act.__name__ = kind
        return action(act)

    class Table(Model):
        at = Variable(lambda model, cell: entry("initial", cell) % 2, per="cells")

        def validate(self):
            self.cells = CELLS

    return type("Table", (Table,), {kind: step(kind) for kind in ("first", "second", "third", "fourth")})()


def steps_from(model, state):
    for instance in model.instances:
        for outcome, after in model.outcomes(instance, state):
            yield {instance.action.name, instance.label, outcome_label(instance, outcome)}, after
