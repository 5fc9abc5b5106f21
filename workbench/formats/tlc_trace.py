"""A trace in the shape in which TLC writes one with ``-dumpTrace json``.

One object with ``vars`` and ``counterexample``; that one is a graph: ``state`` lists pairs of a state's number (from 1)
and its variables, ``action`` lists triples of such a pair, the step, and the pair that it leads to. A lasso's closing
step leads to a number that is not larger; stopping for ever is a step from the last state to itself.
"""

from typing import Any

from workbench.formats.tla import tla, variables_of
from workbench.kernel import Map, Trace
from workbench.kernel.instances import ActionInstance, Outcome
from workbench.kernel.values import is_member, record_items, sort_key

NOTHING = "None"  # TLC writes a model value as its name; this one stands for None


def to_tlc_json(trace: Trace) -> dict[str, Any]:
    """The object that TLC would write for the trace.

    JSON has no sets and only texts as keys, so that this form, as TLC's own, cannot be read back without loss.
    """
    states = [
        [number, {name: tlc_plain(value) for name, value in variables_of(state).items()}]
        for number, state in enumerate(trace.states, start=1)
    ]
    actions = []
    targets = states[1:] if trace.loop is None else [*states[1:], states[trace.loop]]
    for index, move in enumerate(trace.moves):
        instance = trace.model.instances[move.instance]
        outcome, _ = trace.model.outcomes(instance, trace.states[index])[move.outcome]
        actions.append([states[index], _step(instance, outcome), targets[index]])
    if trace.loop is not None and trace.back is None:
        actions.append([states[-1], {"name": "Stuttering"}, states[-1]])
    return {"vars": sorted(trace.model.layout.variables), "counterexample": {"action": actions, "state": states}}


def tlc_plain(value: Any) -> Any:
    """`value` as TLC turns it into JSON: sets as sorted lists, records and functions as objects.

    Examples:
        >>> tlc_plain(Map({"w1": frozenset({2, 1})})), tlc_plain(Map({1: "a", 2: "b"}))
        ({'w1': [1, 2]}, ['a', 'b'])
        >>> tlc_plain(Map({(1, "a"): True}))
        {'<<1, "a">>': True}
    """
    if value is None:
        return NOTHING
    if is_member(value):
        return value.name
    if fields := record_items(value):
        return {name: tlc_plain(part) for name, part in fields}
    if isinstance(value, tuple):
        return [tlc_plain(v) for v in value]
    if isinstance(value, frozenset):
        return [tlc_plain(v) for v in sorted(value, key=sort_key)]
    if isinstance(value, Map):
        keys = sorted(value, key=sort_key)
        if keys == list(range(1, len(keys) + 1)):  # a function on 1..n is a sequence
            return [tlc_plain(value[k]) for k in keys]
        return {k if isinstance(k, str) else tla(k): tlc_plain(value[k]) for k in keys}
    return value


def _step(instance: ActionInstance, outcome: Outcome) -> dict[str, Any]:
    """The action's name, where it is written, and what its parameters and named choices are bound to."""
    declared = instance.action
    bound = dict(zip(declared.parameters, instance.arguments, strict=True))
    chosen = {name: value for name, value in outcome.choices if name}
    step: dict[str, Any] = {
        "name": declared.name,
        "location": _location(declared.function),
        "context": {name: tlc_plain(value) for name, value in {**bound, **chosen}.items()},
    }
    if bound:
        step["parameters"] = list(bound)
    return step


def _location(function: Any) -> dict[str, Any]:
    spans = [span for span in function.__code__.co_positions() if None not in span]
    (begin_line, begin_column), (end_line, end_column) = min(s[::2] for s in spans), max(s[1::2] for s in spans)
    return {
        "beginLine": begin_line,
        "beginColumn": begin_column + 1,
        "endLine": end_line,
        "endColumn": end_column,
        "module": function.__module__,
    }
