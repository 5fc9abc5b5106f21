"""The machine of a text beside the interpreter: the same states, verdicts and shortest traces, on every engine."""

import pickle
import re
from pathlib import Path

import pytest

from workbench import check
from workbench.fizzbee.machine.specification import machines_of
from workbench.fizzbee.meaning.search import search
from workbench.fizzbee.meaning.steps import Meaning
from workbench.kernel.meaning.errors import InputError, ModelError
from workbench.kernel.meaning.state import row_of
from workbench.kernel.meaning.values import identity

FILE = Path(__file__).with_name("behaviours.txt")
TEXTS = re.findall(r"^== (.*?): \d+; .*?\n(.*?)(?=^== |\Z)", FILE.read_text(), re.M | re.S)


def quiet(text):
    """The text without a search for deadlocks, unless it asks for one."""
    if "deadlock_detection" in text:
        return text
    head = "---\ndeadlock_detection: false\n"
    return head + (text.removeprefix("---\n") if text.startswith("---\n") else f"---\n{text}")


def of_interpreter(text):
    result = search(Meaning(text, "Cell.fizz"))
    found = {name: len(trace) for name, trace in (result.violated | result.reached).items()}
    temporal = {a.name for a in Meaning(text, "Cell.fizz").text.assertions.values() if "eventually" in a.operators}
    return result.states, {name: None if name in temporal else steps for name, steps in found.items()}, result.undecided


def of_engine(text, engine):
    """The states, what is violated or reached in how many states, and what is not decided."""
    machine = machines_of(text)()
    result = check(machine, engine=engine)
    found = {}
    for verdict in result.verdicts:
        if verdict.holds is False or verdict.kind == "reachable":
            name = "Deadlock" if verdict.name == "OnlyCrashes" else verdict.name
            found[name] = None if verdict.kind == "liveness" else len(verdict.trace or ())
    undecided = [verdict.name for verdict in result.verdicts if verdict.holds is None]
    return states_of(machine) if machine.begun is not None else result.distinct, found, undecided


def states_of(machine):
    """The states of a text that bounds its actions, without their number."""
    seen, queue = set(), [row_of(state) for state in machine.initial_states()]
    while queue:
        row = queue.pop()
        if identity(row) not in seen:
            seen.add(identity(row))
            for instance in machine.instances:
                queue += [row_of(state) for _, state in machine.outcomes(instance, machine.state(row))]
    return len({tuple(part for at, part in enumerate(row) if at != machine.begun) for row in seen})


@pytest.mark.parametrize("engine", ["reference", "local"])
@pytest.mark.parametrize("text", [row[1] for row in TEXTS], ids=[row[0] for row in TEXTS])
def test_the_engines_say_what_the_interpreter_says(text, engine):
    assert of_engine(quiet(text), engine) == of_interpreter(quiet(text))
