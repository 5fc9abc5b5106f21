r"""Explains why an action is not possible in a state: on each of its ways, the first conjunct that cannot be satisfied.

Conjuncts are evaluated from left to right and may assign, as in ``actions.py``. For a conjunct that is a test,
``reasons.py`` says why it is false; ``\/`` and ``\E`` have an obstacle for each way.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from workbench.tlaplus.meaning.actions import Conjunct, ways
from workbench.tlaplus.meaning.environment import Closure, Environment, States
from workbench.tlaplus.meaning.expressions import bindings, body_of, called, chosen_arm, holds, is_true
from workbench.tlaplus.meaning.reasons import Contradicted, Reason, Why
from workbench.tlaplus.meaning.values import EvaluationFailure
from workbench.tlaplus.names.symbols import Defined, InstanceParameter, Standard
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.unparse import written


def obstacles(action: Conjunct, states: States) -> Iterator[Reason]:
    """The obstacles of an action that is not possible, each once.

    Args:
        states: A state; its next state has no values yet.

    Raises:
        EvaluationFailure: If it has no value.
        Contradicted: If it is possible.
    """
    if any(True for _ in ways(*action, states)):
        raise Contradicted("it is possible")
    met = set[Reason]()
    for reason in _blocked([action], states):
        if reason not in met:
            met.add(reason)
            yield reason


def _blocked(conjuncts: Sequence[Conjunct], states: States) -> Iterator[Reason]:
    """The obstacles of a conjunction that has no way."""
    (node, env), *rest = conjuncts
    alternatives = None if len(states.filled) == states.size else _alternatives(node, env, states)
    if alternatives is not None:
        ahead = iter(alternatives)
        first = next(ahead, None)
        if first is None:
            assert isinstance(node, tree.Quantified)  # anything else has at least one alternative
            yield Why(states, False).empty_in(node, env)
            return
        for alternative in chain([first], ahead):
            yield from _blocked([*alternative, *rest], states)
        return
    is_blocked = True
    for further in ways(node, env, states):
        is_blocked = False
        yield from _blocked(rest, further)
    if is_blocked:
        yield from _of_test(node, env, states)


def _of_test(node: tree.Expression, env: Environment, states: States) -> list[Reason]:
    """The reasons for a conjunct that is false, or has no value to assign."""
    try:
        return Why(states, False).of(node, env)
    except EvaluationFailure:  # a variable has no next value yet
        return [Reason(node, f"{written(node)} is false")]


def _alternatives(node: tree.Expression, env: Environment, states: States) -> Iterable[Sequence[Conjunct]] | None:
    """The alternatives of a formula, each a conjunction, split as in ``ways``; None if the formula is one conjunct."""
    if isinstance(node, tree.Conjunction):
        return [[(operand, env) for operand in node.operands]]
    if isinstance(node, tree.Disjunction):
        return [[(operand, env)] for operand in node.operands]
    if isinstance(node, tree.Quantified):
        parts = ((node.body, inner) for inner, _ in bindings(node, env, states))
        return ([part] for part in parts) if node.kind == "E" else [[*parts]]
    if isinstance(node, tree.If):
        return [[(node.then if holds(node.condition, env, states) else node.otherwise, env)]]
    if isinstance(node, tree.Case):
        return [[(chosen_arm(node, env, states), env)]]
    if isinstance(node, (tree.Let, tree.Label)):
        return [[(node.body, env.inside(node) if isinstance(node, tree.Let) else env)]]
    if isinstance(node, (tree.Identifier, tree.Apply, tree.Operation, tree.Qualified)):
        return _of_name(node, env, states)
    return None


def _of_name(node: tree.Expression, env: Environment, states: States) -> list[list[Conjunct]] | None:
    meaning, arguments, inner = called(node, env)
    if isinstance(meaning, Standard) and not meaning.module and meaning.name == "=>":
        condition, formula = arguments
        assert isinstance(formula, Closure)
        return [[(formula.node, formula.environment)] if is_true(condition, states) else []]
    if isinstance(meaning, Defined) and isinstance(meaning.definition, tree.OperatorDefinition):
        return None if env.model.is_constant(meaning) else [[(meaning.body, body_of(meaning, arguments, inner))]]
    if isinstance(meaning, InstanceParameter) and not arguments:
        return [[(meaning.expression, inner.at(meaning.scope))]]
    passed = env.bound.get(meaning) if isinstance(meaning, tree.Declaration) else None
    if isinstance(passed, Closure) and not arguments:
        return [[(passed.node, passed.environment)]]
    return None
