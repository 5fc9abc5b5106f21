r"""The parts of Next, each with the smaller parts that the compiled machine tries in turn.

TLC tries ``\E k \in Keys, m \in msgs : A(k, m) \/ B(m)`` as a whole, since its second set depends on the state. The
machine has an action for each key and alternative, and tries all ways of one before those of the next. Successors come
in the machine's order here, so that both discover the same states first. The whole part alone decides which successors
there are.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from workbench.tlaplus.meaning import sets
from workbench.tlaplus.meaning.actions import Conjunct, disjuncts, next_states
from workbench.tlaplus.meaning.environment import Environment, State, States
from workbench.tlaplus.meaning.expressions import bindings, evaluate
from workbench.tlaplus.meaning.values import EvaluationFailure
from workbench.tlaplus.names.alternatives import MOST_CASES, Alternatives
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.syntax.tree import Expression, Quantified

_NOWHERE = States({})


class Part(NamedTuple):
    """A part of Next.

    Attributes:
        action: Next.
        whole: The part as TLC evaluates it.
        turns: The smaller parts in order; the whole itself if it has none.
    """

    action: Conjunct
    whole: Conjunct
    turns: list[Conjunct]

    def ways(self, state: State) -> list[State]:
        """The next states, one for each way of the whole, in the order in which the turns reach them."""
        states = self._states(self.whole, state)
        if len(self.turns) == 1:
            return states
        first = dict[frozenset[Any], int]()
        for turn in self.turns:
            for way in self._states(turn, state):
                first.setdefault(frozenset(way.items()), len(first))
        return sorted(states, key=lambda way: first.get(frozenset(way.items()), len(first)))

    def _states(self, part: Conjunct, state: State) -> list[State]:
        """All ways of a part, as a list: if evaluating one fails, none of them counts."""
        return [*next_states(self.action, [part], state)]


def parts_of(action: Conjunct, has_view: bool) -> list[Part]:
    """The parts of Next. With a VIEW they keep TLC's order, since it matters which of several states is found first."""
    alternatives = Alternatives(action[1].model.levels)
    return [
        Part(action, whole, [whole] if has_view else [*_turns(*whole, alternatives)]) for whole in disjuncts(*action)
    ]


def _turns(node: Expression, env: Environment, alternatives: Alternatives) -> Iterator[Conjunct]:
    if not isinstance(node, Quantified) or node.kind != "E":
        yield node, env
        return
    leading = _leading(node, env)
    if 0 < leading < len(node.bounds):
        outer, inner = replace(node, bounds=node.bounds[:leading]), replace(node, bounds=node.bounds[leading:])
        for inside, _ in bindings(outer, env, _NOWHERE):
            yield from _turns(inner, inside, alternatives)
    else:
        yield from ((part.node, env) for part in alternatives.of(node, env.scope))


def _leading(node: Quantified, env: Environment) -> int:
    """The number of leading bounds whose sets are small constants."""
    cases = 1
    for number, bound in enumerate(node.bounds):
        if bound.domain is None or env.model.levels.level(bound.domain, env.scope) > Level.CONSTANT:
            return number
        try:
            members = sets.members_of(evaluate(bound.domain, env, _NOWHERE))
        except EvaluationFailure:  # the set is infinite
            return number
        cases *= len([*islice(members, MOST_CASES + 1)]) ** len(bound.patterns)
        if cases > MOST_CASES:
            return number
    return len(node.bounds)
