"""Symmetric roles and values: what they mean, and that exchanging names changes no verdict and no length of a trace."""

import re
from itertools import chain, permutations, product
from pathlib import Path

import pytest

from tests.fizzbee.test_fizz_machine import of_engine, of_interpreter, quiet
from workbench import check
from workbench.fizzbee.machine.specification import machines_of
from workbench.fizzbee.meaning.steps import Meaning
from workbench.fizzbee.meaning.values import Collection, Dict, Domain, Instance, ModelValue, Record
from workbench.kernel.meaning.errors import InputError, ModelError

FILE = Path(__file__).with_name("symmetric.txt")
EVERY = re.findall(r"^== (.*?): (\d+); (\d+|[=!])\n(.*?)(?=^== |\Z)", FILE.read_text(), re.M | re.S)
ROWS = [row for row in EVERY if row[2] != "!"]
WRONG = [row for row in EVERY if row[2] == "!"]


@pytest.mark.parametrize("engine", ["reference", "local"])
@pytest.mark.parametrize(("states", "classes", "text"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_the_engines_exchange_names_and_say_the_same(states, classes, text, engine):
    expected = of_interpreter(quiet(text))
    assert expected[0] == int(states)
    assert of_engine(quiet(text), engine, symmetry=False) == expected
    assert of_engine(quiet(text), engine) == (int(states if classes == "=" else classes), *expected[1:])


@pytest.mark.parametrize("engine", ["reference", "local"])
@pytest.mark.parametrize(("states", "_", "text"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_a_text_that_tells_names_apart_is_not_said_to_hold(states, _, text, engine):
    expected = of_interpreter(quiet(text))
    assert expected[0] == int(states)
    assert of_engine(quiet(text), engine, symmetry=False) == expected
    with pytest.raises(ModelError, match=r"^symmetry over \w: the names are not interchangeable: .*without symmetry$"):
        check(machines_of(quiet(text))(), engine=engine)


# Another count of the classes ----------------------------------------------------------------------------------------


def renamed(value, renaming, seen):
    """The value with other numbers of symmetric values; what is mutable is changed in place."""
    if isinstance(value, ModelValue) and value.symmetric:
        return ModelValue(value.name, renaming.get((value.name, value.number), value.number), True, value.domain)
    if isinstance(value, tuple):
        return tuple(renamed(part, renaming, seen) for part in value)
    if id(value) in seen:
        return value
    seen.append(id(value))
    match value:
        case list():
            value[:] = [renamed(part, renaming, seen) for part in value]
        case Dict():
            value.pairs = [[renamed(part, renaming, seen) for part in pair] for pair in value.pairs]
        case Collection():
            value.items = [renamed(part, renaming, seen) for part in value.items]
        case Record() | Instance():
            for name, part in value.fields.items():
                value.fields[name] = renamed(part, renaming, seen)
    return value


def image(state, renaming):
    """The key of the state after a renaming."""
    copy, seen = state.clone(), []
    for role in copy.roles:
        renamed(role, renaming, seen)
    holders = [copy.heap, *(frame.variables for thread in copy.threads for frame in thread.frames)]
    for holder in holders:
        holder.update({name: renamed(value, renaming, seen) for name, value in holder.items()})
    for work in (work for thread in copy.threads for frame in thread.frames for work in frame.work):
        renamed(work.left, renaming, seen)
    for role in copy.roles:
        role.number = renaming.get((role.role.name, role.number), role.number)
    copy.settle()
    return copy.key


def turned(ring, reflection):
    """The images of a ring: each value moves by as many places, to one side or, if it may, to the other."""
    size, sides = len(ring), (1, -1) if reflection else (1,)
    return [[ring[(side * at + by) % size] for at in range(size)] for side in sides for by in range(size)]


def classes_of(text, kept):
    """How many states there are but for renamings of all symmetric roles and values, except those in `kept`."""
    meaning = Meaning(text, "Cell.fizz")
    queue = meaning.initial()
    states = {state.key: state for state in queue}
    for state in queue:  # grows
        for step in meaning.steps(state):
            if step.state.key not in states:
                states[step.state.key] = step.state
                queue.append(step.state)
    names = [(role.role.name, role.number) for role in queue[0].roles if role.role.symmetric]
    for value in meaning.constants.values():
        if isinstance(value, Domain):
            names += [(value.name, number) for number in range(value.limit)]
        elif isinstance(value, tuple):
            names += [(part.name, part.number) for part in value if isinstance(part, ModelValue)]
    of_sets = []
    for of in {of for of, _ in names}:
        moved = [name for name in names if name[0] == of and name not in kept]
        ring = meaning.domains.get(of)
        images = permutations(moved) if ring is None else turned(moved, ring.reflection)
        of_sets.append([dict(zip(moved, [at for _, at in image], strict=True)) for image in images])
    renamings = [dict(chain.from_iterable(map(dict.items, parts))) for parts in product(*of_sets)]
    return len({min(image(state, renaming) for renaming in renamings) for state in states.values()})


@pytest.mark.parametrize("row", [row for row in ROWS if row[2] != "="], ids=lambda row: row[0])
def test_there_are_so_many_classes(row):
    kept = [("k", 0)] if "LEADER" in row[3] or "Store" in row[3] else []
    assert classes_of(quiet(row[3]), kept) == int(row[2])


# What is refused -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("x = str(K[0])", "a symmetric value has no text, which would tell it from the others"),
        ("x = '%s' % [{1: K[0]}]", "a symmetric value has no text, which would tell it from the others"),
        ("x = str(r)", "a symmetric value has no text, which would tell it from the others"),
        ("x = K[0] < K[1]", "symmetric_value and symmetric_value are not ordered"),
        ("x = K[0].index", "type symmetric_value has no index"),
        ("x = D", "a symmetry_domain is no value of a state"),
        ("x = D()", "type symmetry_domain is not called"),
        ("x = D.segments()", "type symmetry_domain has no segments"),
        ("x = M.fresh()", "m is materialized, so that no value is fresh"),
        ("r.__id__ = 1", "__id__ is a parameter of the role"),
        ("x = symmetry.rotational('t', limit = 3)", "symmetry.rotational is supported with materialize = True only: "),
        ("x = symmetry.rotational('t', limit = 1)", "symmetry.rotational takes a name, a limit of at least 2, and "),
        ("x = C.values()[0] < C.values()[1]", "symmetric_value and symmetric_value are not ordered"),
        ("x = C.fresh()", "c is materialized, so that no value is fresh"),
        ("x = symmetry.nominal('t', 0)", "symmetry.nominal takes a name, a positive limit and whether"),
        ("x = symmetric_values('t')", "symmetric_values takes a number of values, after a name"),
    ],
)
def test_what_symmetry_refuses(statement, error):
    text = f"""K = symmetric_values("k", 2); D = symmetry.nominal("d", 2); M = symmetry.nominal("m", 2, True)
C = symmetry.rotational("c", 2, True)
symmetric role R:
  action Init:
    pass
action Init:
  r = R(); {statement}
"""
    with pytest.raises(ModelError, match=rf"^x\.fizz:[67]:\d+: {re.escape(error)}"):
        Meaning(text, "x.fizz").initial()


def test_a_text_may_end_in_a_domain():
    with pytest.raises(InputError, match=r"x\.fizz:2:8: a function is no value of a state"):
        machines_of('D = symmetry.nominal("d", 2)\naction Init:\n  x = D.values', "x")


def test_a_set_is_asked_for_by_its_name():
    machine = machines_of(quiet(ROWS[0][3]), "keys")()
    assert check(machine, symmetry=["k"], engine="reference").distinct == 4
    with pytest.raises(InputError, match="symmetric set of keys 'j'"):
        check(machine, symmetry=["j"])
