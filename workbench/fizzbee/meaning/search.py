"""All states of a specification, breadth first, with verdicts and shortest traces: slow, and easy to trust."""

from collections import deque
from dataclasses import dataclass, field

from workbench.fizzbee.meaning.liveness import Edge, Graph, violating
from workbench.fizzbee.meaning.state import State
from workbench.fizzbee.meaning.steps import Meaning, Step
from workbench.fizzbee.syntax.tree import refuse

#: The name under which a state without a next one is reported.
DEADLOCK = "Deadlock"
_TEMPORAL = (("eventually", "always"), ("always", "eventually"), ("eventually",))


@dataclass
class Result:
    """The result of a search.

    Attributes:
        states: The number of states.
        violated: A shortest trace for each violated assertion, and for DEADLOCK. For ``eventually`` it leads to a state
            of the loop; for an ``exists`` that no state satisfies it is empty.
        reached: A shortest trace for each ``exists`` that some state satisfies.
        undecided: The assertions with ``eventually`` that stay open, since the bound on actions cut behaviours short,
            a choice is fair, or the text's options turn them off.
        is_whole: Whether the search visited every state.
    """

    states: int = 0
    violated: dict[str, list[Step]] = field(default_factory=dict)
    reached: dict[str, list[Step]] = field(default_factory=dict)
    undecided: list[str] = field(default_factory=list)
    is_whole: bool = True


def search(meaning: Meaning, most_states: int | None = None) -> Result:
    """Visit every state within ``max_actions`` actions, or give up without verdicts beyond a number of states.

    Raises:
        ModelError: With the place of the expression that cannot be evaluated.
    """
    assertions = meaning.text.assertions.values()
    of_states = [a for a in assertions if a.operators in (("always",), ("exists",))]
    of_steps = [a for a in assertions if a.operators == ("transition",)]
    of_behaviours = [a for a in assertions if a.operators in _TEMPORAL]
    for assertion in assertions:
        if assertion not in (*of_states, *of_steps, *of_behaviours):
            refuse(assertion.at, f"an assertion is not {' '.join(assertion.operators)}")
    result = Result()
    graph: Graph = {}
    true_in: dict[str, set[str]] = {a.name: set() for a in of_behaviours}
    bounded = False
    most = meaning.text.options.max_actions
    came: dict[str, tuple[Step, str]] = {}
    fewest: dict[str, int] = {}
    queue: deque[tuple[State, int]] = deque()

    def reach(step: Step, before: str, actions: int) -> None:
        key = step.state.key
        if key not in fewest:
            came[key] = step, before
            for assertion in of_behaviours:
                if meaning.holds(assertion, step.state):
                    true_in[assertion.name].add(key)
            for assertion in of_states:
                exists = assertion.operators == ("exists",)
                into = result.reached if exists else result.violated
                if assertion.name not in into and meaning.holds(assertion, step.state) == exists:
                    into[assertion.name] = trace(key)
        if actions < fewest.get(key, most + 1):  # fewer actions may leave room for more to come
            fewest[key] = actions
            queue.append((step.state, actions))

    def trace(key: str) -> list[Step]:
        steps = []
        while key:
            step, key = came[key]
            steps.append(step)
        return steps[::-1]

    initial = []
    for state in meaning.initial():
        initial.append(state.key)
        reach(Step("Init", "begin", "", state), "", 0)
    while queue:
        state, actions = queue.popleft()
        if actions > fewest[state.key]:
            continue
        if most_states is not None and len(fewest) > most_states:
            return Result(len(fewest), is_whole=False)
        goes_on, edges = False, list[Edge]()
        bounded = bounded or actions >= most
        for step in meaning.steps(state, actions < most):
            edges.append(Edge(step.name, step.kind == "crash", step.fair, step.state.key))
            goes_on = goes_on or step.kind != "crash"
            for assertion in of_steps if step.kind != "crash" else ():  # FizzBee judges no crash
                if assertion.name not in result.violated and not meaning.holds(assertion, step.state, state):
                    result.violated[assertion.name] = [*trace(state.key), step]
            reach(step, state.key, actions + (step.kind == "begin"))
        graph[state.key] = edges
        if not goes_on and actions < most and meaning.text.options.deadlock_detection:
            result.violated.setdefault(DEADLOCK, trace(state.key))
    result.states = len(fewest)
    result.violated.update(
        {a.name: [] for a in of_states if a.operators == ("exists",) and a.name not in result.reached}
    )
    for assertion in of_behaviours:
        if bounded or meaning.text.fair_choices or not meaning.text.options.liveness:
            result.undecided.append(assertion.name)
            continue
        loop = violating(assertion.operators, graph, true_in[assertion.name], initial)
        if loop:
            result.violated[assertion.name] = min((trace(key) for key in graph if key in loop), key=len)
    return result
