"""Random behaviours, all states of a model, and every step from a state by the names that it has."""

import random
from typing import Any

from random_models import random_model

from workbench.checking.spaces.space import explore
from workbench.kernel import Model, machine_of, replay
from workbench.kernel.meaning.symmetry import Canonical


def small_model(seed):
    """A random model for what follows behaviours one by one: its cells hold numbers."""
    return random_model(seed, sets=None, held="number", actors=2, numbers=2, keeps=False)()


def steps_from(model, state):
    model = machine_of(model)
    for instance in model.instances:
        for outcome, after in model.outcomes(instance, state):
            yield {instance.action.name, instance.label, instance.label_with(outcome.choices)}, after


def random_trace(model, seed, length=12):
    """A random behaviour."""
    model = machine_of(model)
    chance, state, moves = random.Random(seed), model.initial_states()[0], []
    for _ in range(length):
        steps = [(i, n, after) for i in model.instances for n, (_, after) in enumerate(model.outcomes(i, state))]
        if not steps:
            break
        instance, outcome, state = chance.choice(steps)
        moves.append((instance.number, outcome))
    return replay(model, 0, moves)


def reachable_states(model, symmetry=()):
    """The reachable states, one for each class."""
    if not symmetry:  # an engine has them sooner, and is known to find what the plain way does
        space = explore(model, [])
        return [space.state(number) for number in range(len(space))]
    canonical, states = Canonical(machine_of(model), symmetry), model.initial_states()
    seen = {canonical(state) for state in states}
    for state in states:  # grows
        for _, after in steps_from(model, state):
            key = canonical(after)
            if key not in seen:
                seen.add(key)
                states.append(after)
    return states


def steps_by(space, action):
    """Each step of the action: its arguments, the state before, and the state after. There must be some."""
    instances = space.model.instances
    taken = [t for t, n in enumerate(space.instances) if instances[n].action.name == action]
    assert taken, f"nobody takes {action}"
    for t in taken:
        yield instances[space.instances[t]].arguments, space.state(space.sources[t]), space.state(space.targets[t])


def ends(space):
    """The states from which no step leads on."""
    return [space.state(n) for n in sorted(set(range(len(space))) - set(space.sources.tolist()))]


def steps_of(model: Model, published: type[Model]) -> tuple[set[Any], set[Any]]:
    """Every state and transition, as the values of the cells that the published model has too."""
    machine = machine_of(model)
    space = explore(machine, [p.name for p in machine.select() if p.kind == "invariant"])
    cells = [i for i, cell in enumerate(machine.layout.cells) if cell.variable in published.declared.variables]
    states = [tuple(space.state(n).values[i] for i in cells) for n in range(len(space))]
    moves = {
        (states[source], space.label(t), states[target])
        for t, (source, target) in enumerate(zip(space.sources, space.targets, strict=True))
    }
    return set(states), moves
