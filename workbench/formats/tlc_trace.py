"""Write a trace like TLC's ``-dumpTrace json``.

The object has ``vars`` and ``counterexample``, a graph: its ``state`` lists pairs of a state's number (from 1) and its
variables, its ``action`` lists triples of source pair, step and target pair. A lasso's last step leads back to an
earlier number or to its own; stopping for ever is a step from the last state to itself.
"""

from typing import Any

from workbench.formats.tla import tla, variables_of
from workbench.kernel import Map, Trace
from workbench.kernel.meaning.steps import ActionInstance, Outcome
from workbench.kernel.meaning.values import is_member, record_items, sort_key

NOTHING = "None"  # a model value, which TLC writes as its name


def to_tlc_json(trace: Trace) -> dict[str, Any]:
    """The object that TLC would write for the trace.

    JSON has no sets, and only texts as keys, so this form loses information, as TLC's own does.
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
    """`value` in TLC's JSON: sets as sorted lists, records and functions as objects.

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
    """The action's name and location, and the values of its parameters and named choices."""
    declared = instance.action
    bound = dict(zip(declared.parameters, instance.arguments, strict=True))
    chosen = {name: value for name, value in outcome.choices if name}
    step: dict[str, Any] = {
        "name": declared.name,
        **({"location": _location(declared.function)} if hasattr(declared, "function") else {}),
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
