"""Read the traces that ``-dumpTrace json`` of TLC writes.

JSON has neither sets nor model values, so that a list is a set or a sequence, and a text also a model value. The module
decides: its steps are taken from state to state, as long as there are some whose values TLC writes so.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from workbench.formats.itf_expressions import brief_json
from workbench.formats.recording import Recording
from workbench.formats.tla import variables_of
from workbench.formats.tlc_states import Behaviour, Written, course, in_order, module, read_tlc
from workbench.kernel import InputError, Machine
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.state import State, row_of
from workbench.kernel.meaning.values import DEEPEST, Map, Name
from workbench.storage.strict_json import read_json
from workbench.tlaplus.values.values import function_of, shown, spelling, text

#: A state that is written whole agrees with few states of the module; one with variables left out, with any number.
_MOST_STATES = 1 << 12
_KEY = re.compile(r'(?<!\\)"counterexample"\s*:')


def is_tlc_json(document: str) -> bool:
    """Whether a JSON text is a trace of TLC."""
    return _KEY.search(document) is not None


def parse_tlc_json(document: str) -> Behaviour:
    """The behaviour in a trace of TLC, with values as JSON has them.

    Raises:
        InputError: If it is not as TLC writes it.
    """
    content = read_json(document, "the trace")
    try:
        example = content["counterexample"]
        steps = [(before, step["name"], after) for (before, _), step, (after, _) in example["action"]]
        named, loop = course(steps)
        states = [
            Written(number, dict(values), named.get(number), f"state {number}") for number, values in example["state"]
        ]
    except (TypeError, ValueError, KeyError):
        shape = '{"counterexample": {"action": [...], "state": [[1, {"x": 0}], ...]}}'
        raise InputError(f"the trace is {brief_json(content)}; TLC writes {shape}") from None
    return in_order(Behaviour(states, loop))


def read_tlc_json(model: AnyModel, behaviour: Behaviour) -> Recording:
    """A trace in JSON as a recording of a module.

    From the first state that no step leads to, values are read as they stand.

    Raises:
        InputError: As :func:`workbench.formats.tlc_states.read_tlc` does, and for a state that agrees with too many
            states of the module.
    """
    machine = module(model)
    layers: list[dict[Any, tuple[State, Any]]] = []  # by row: a state that is written so, and the row before
    for written in behaviour.states:
        successors = (
            _after(machine, layers[-1]) if layers else [(state, None) for state in machine.each_initial_state()]
        )
        layer = _agreeing(machine, written, successors)
        if not layer:
            break
        layers.append(layer)
    states, row = [], next(iter(layers[-1]), None) if layers else None
    for layer in reversed(layers):
        state, row = layer[row]
        states.append(variables_of(state))
    states.reverse()
    last = states[-1] if states else {}
    for written in behaviour.states[len(states) :]:
        states.append({name: _plainly(machine, value, last.get(name)) for name, value in written.values.items()})
    exact = [
        written._replace(values={name: values.get(name, document) for name, document in written.values.items()})
        for written, values in zip(behaviour.states, states, strict=True)
    ]
    return read_tlc(machine, behaviour._replace(states=exact))


def _after(machine: Machine, layer: Mapping[Any, tuple[State, Any]]) -> Any:
    """The states to which steps lead, each with the row that it follows."""
    for row, (state, _) in layer.items():
        for instance in machine.instances:
            yield from ((after, row) for _, after in machine.outcomes(instance, state))


def _agreeing(machine: Machine, written: Written, reached: Iterable[Any]) -> dict[Any, Any]:
    """Those of some states, each with the row before it, that are written so, by row."""
    layer = dict[Any, Any]()
    for state, before in reached:
        if _is_written(written.values, state):
            layer[row_of(state)] = state, before
        if len(layer) > _MOST_STATES:
            agree = f"agrees with more than {_MOST_STATES} states of {machine.name}"
            raise InputError(f"{written.place} of the trace {agree}; it takes a trace with all variables")
    return layer


def _is_written(values: Mapping[str, Any], state: State) -> bool:
    variables = variables_of(state)
    return all(name not in variables or agrees(document, variables[name]) for name, document in values.items())


def agrees(document: Any, value: Any) -> bool:
    """Whether TLC writes the value of a module so.

    Examples:
        >>> agrees([{"n": 1}, "a"], frozenset({Name("a"), Map({'"n"': 1})})), agrees([1, 1], frozenset({1}))
        (True, False)
    """
    if isinstance(value, (bool, int)):
        return type(document) is type(value) and bool(document == value)
    if isinstance(value, str):
        return document in _spellings(value)
    if isinstance(value, Map):
        if not isinstance(document, dict) or len(document) != len(value):
            return False
        keys = {key: next((name for name in _spellings(key) if name in document), None) for key in value}
        return all(name is not None and agrees(document[name], value[key]) for key, name in keys.items())
    if not isinstance(document, list) or len(document) != len(value):
        return False
    if isinstance(value, tuple):
        return all(map(agrees, document, value))
    taken = dict[int, Any]()
    return all(_takes(member, document, taken, set()) for member in value)


def _takes(member: Any, items: list[Any], taken: dict[int, Any], tried: set[int]) -> bool:
    """Take an item that agrees with a member, if need be one for which the member that took it has another.

    An item may agree with several: ``"a"`` is both a model value and the string as TLC spells it.
    """
    for at in sorted(range(len(items)), key=taken.__contains__):
        if at in tried or not agrees(items[at], member):
            continue
        tried.add(at)
        if at not in taken or _takes(taken[at], items, taken, tried):
            taken[at] = member
            return True
    return False


def _spellings(value: Any) -> tuple[str, ...]:
    """How :func:`workbench.formats.tlc_trace.to_tlc_json` spells a word or a key, and how TLC does."""
    return (value, spelling(value)) if type(value) is str else (shown(value),)


def _plainly(machine: Machine, document: Any, before: Any, depth: int = 0) -> Any:
    """A value as it stands: a list is a set if the variable was one `before`.

    Raises:
        InputError: If it is nested too deeply.
    """
    if depth > DEEPEST:
        raise InputError(f"the trace has a value that is nested more than {DEEPEST} deep")
    if isinstance(document, str):
        value = machine.mark(document)
        return value if isinstance(value, Name) else text(document)
    if isinstance(document, dict):
        parts = document.items()
        return function_of(
            {_plainly(machine, key, None): _plainly(machine, part, None, depth + 1) for key, part in parts}
        )
    if isinstance(document, list):
        items = [_plainly(machine, item, None, depth + 1) for item in document]
        return frozenset(items) if isinstance(before, frozenset) else tuple(items)
    return document
