"""Read the behaviour that TLC prints or dumps: ``State 1: <Initial predicate>``, and ``-dumpTrace tla``.

The states count. Steps are taken by name where the module has an action of that name; TLC names some by the definition
around them, and nothing is made of these.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from workbench.formats.recording import Observation, Recording
from workbench.kernel import InputError, Machine, machine_of
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.errors import brief, unknown
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.values import Map
from workbench.tlaplus.config.constants import read_value
from workbench.tlaplus.values.values import spelling, text

#: A state's first line, plain or with -tool.
_HEAD = re.compile(r"(?:State )?(\d{1,9}): (?:<(.+)>|(Stuttering))\s*")
_PLACE = re.compile(r" line \d")
_BACK = re.compile(r"(?:Back to state (\d{1,9}): <.*|(\d{1,9}): Back to state: <.*)")
_CONJUNCT = re.compile(r"^(?:/\\ )?(?=[0-9!]*[A-Za-z_])([A-Za-z_0-9!]+) = ", re.MULTILINE)
#: The definition that -dumpTrace tla writes, and the one of the modules that TLC writes for an error trace: each is the
#: first of its module, and a record, or a sequence of records in parentheses. A model may have others of these names.
_DUMPED = re.compile(
    r"^-{4,} MODULE \w+ -{4,}[^\S\n]*\n(?:EXTENDS|LOCAL INSTANCE) [^\n]*\n\s*"
    r"(CounterExample|trace) ==[^\S\n]*\n(?=\s*(?:\[action |<<\s*\(\[))",
    re.MULTILINE,
)
_END = re.compile(r"^(?:----|====)", re.MULTILINE)


class Written(NamedTuple):
    """A state as TLC wrote it, with its number and the step that led there."""

    number: int
    values: Mapping[str, Any]
    step: str | None
    place: str


class Behaviour(NamedTuple):
    """A behaviour as TLC wrote it.

    Attributes:
        loop: The index of the state to which it returns; that of the last where it stutters for ever.
    """

    states: list[Written]
    loop: int | None = None


def is_dump(document: str) -> bool:
    """Whether a module's text is a behaviour that TLC has dumped."""
    return _dumped(document) is not None


def parse_tlc(document: str) -> Behaviour:
    """The behaviour in TLC's output, or in a module that TLC dumped.

    Raises:
        InputError: With the line, if there is no behaviour or more than one, or if a value cannot be read.
    """
    dumped = _dumped(document)
    return in_order(_printed(document) if dumped is None else _of_dump(*dumped))


def in_order(behaviour: Behaviour) -> Behaviour:
    """The behaviour.

    Raises:
        InputError: If its states are not numbered from 1, or it returns to none of them.
    """
    if not behaviour.states:
        raise InputError("the trace is not JSON, and has no state of TLC, such as 'State 1: <Initial predicate>'")
    for number, state in enumerate(behaviour.states, start=1):
        if state.number != number:
            raise InputError(
                f"the state at {state.place} has the number {state.number}; it takes one behaviour, from state 1 on"
            )
    if behaviour.loop is not None and not 0 <= behaviour.loop < len(behaviour.states):
        raise InputError(f"it returns to state {behaviour.loop + 1}; it has states 1 to {len(behaviour.states)}")
    return behaviour


def read_tlc(model: AnyModel, behaviour: Behaviour) -> Recording:
    """Turn a behaviour that TLC printed into a recording for `model`.

    Raises:
        InputError: If the model is not a TLA+ module, or lacks a variable of the behaviour.
    """
    model = module(model)
    observations = []
    for state in behaviour.states:
        for name in state.values:
            if name not in model.layout.positions:
                raise unknown(f"variable of {model.name}, at {state.place},", name, model.layout.positions)
        cells = model.layout.seek({Cell(name, None): value for name, value in state.values.items()})
        action = state.step if state.step and state.step.partition("(")[0] in model.declared.actions else None
        observations.append(Observation(cells, action))
    return Recording(observations, behaviour.loop)


def module(model: AnyModel) -> Machine:
    """The machine of a TLA+ module.

    Raises:
        InputError: For any other model.
    """
    machine = machine_of(model)
    if machine.language != "TLA+":
        raise InputError(f"a trace of TLC is read for a TLA+ module; {machine.name} is none")
    return machine


def course(steps: Iterable[tuple[int, str, int]]) -> tuple[dict[int, str], int | None]:
    """The names of the steps that lead to the states with these numbers, and the loop, from all steps of a dump.

    Raises:
        ValueError: If they are none.
    """
    steps = list(steps)
    if not all(type(before) is type(after) is int and isinstance(step, str) for before, step, after in steps):
        raise ValueError
    back = [after - 1 for before, _, after in steps if after <= before]
    return {after: step for before, step, after in steps if before < after}, back[0] if back else None


def _printed(document: str) -> Behaviour:
    """The behaviour in TLC's output."""
    lines, states = document.splitlines(), list[Written]()
    at = 0
    while at < len(lines):
        line, at = lines[at], at + 1
        if (back := _BACK.fullmatch(line)) and states:
            return Behaviour(states, int(back[1] or back[2]) - 1)
        if (head := _HEAD.fullmatch(line)) is None:
            continue
        if head[3] and states:
            return Behaviour(states, len(states) - 1)
        end = next(
            (end for end in range(at, len(lines)) if not lines[end].strip() or lines[end].startswith("@!@")), len(lines)
        )
        place = f"line {at}"
        values = dict(_conjuncts("\n".join(lines[at:end]), place))
        states.append(Written(int(head[1]), values, head[2] and _PLACE.split(head[2], 1)[0], place))
        at = end
    return Behaviour(states)


def _conjuncts(block: str, place: str) -> Iterator[tuple[str, Any]]:
    """Each variable of a state with its value."""
    heads = [*_CONJUNCT.finditer(block)]
    if not heads or heads[0].start() != 0:
        raise InputError(f"the state at {place} is {brief(block)}; it takes lines such as '/\\ x = 1'")
    for head, end in zip(heads, [*(following.start() for following in heads[1:]), len(block)], strict=True):
        yield head[1], _value(block[head.end() : end].strip(), f"{head[1]}, in the state at {place}")


def _value(written: str, place: str) -> Any:
    try:
        return read_value(written)
    except ValueError:
        raise InputError(f"{place}, is {brief(written)}, which is not a value of TLA+") from None


def _dumped(document: str) -> tuple[str, str] | None:
    """The name and body of the definition in a dumped module; None for any other text."""
    head = _DUMPED.search(document)
    end = head and _END.search(document, head.end())
    return (head[1], document[head.end() : end.start()]) if head and end else None


def _of_dump(name: str, defined: str) -> Behaviour:
    """The behaviour in a dumped module: its states, and where its steps lead back."""
    place = f"the definition of {name}"
    written = _value(defined.strip(), place)
    try:
        if name == "trace":
            return Behaviour([_dumped_state((number, state), None) for number, state in enumerate(written, start=1)])
        steps = [
            (before, spelling(step[text("name")]), after) for (before, _), step, (after, _) in written[text("action")]
        ]
        states = sorted(written[text("state")], key=lambda state: state[0])
        named, loop = course(steps)
        return Behaviour([_dumped_state(state, named.get(state[0])) for state in states], loop)
    except (TypeError, ValueError, KeyError):
        raise InputError(f"{place} is no behaviour as TLC dumps it, of numbered states") from None


def _dumped_state(state: Any, step: str | None) -> Written:
    number, values = state
    if type(number) is not int or not isinstance(values, Map):
        raise ValueError
    return Written(number, {spelling(name): value for name, value in values.items()}, step, f"state {number}")
