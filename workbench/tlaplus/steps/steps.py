"""The steps of a module: the disjuncts of its Next, with their arguments."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

from workbench.kernel.meaning.errors import ModelError
from workbench.kernel.meaning.parameters import Group, Parameters
from workbench.kernel.meaning.state import State, Values
from workbench.kernel.meaning.steps import ActionInstance, Actor, DeclaredAction, Outcome, PlainAction, PlainProcess
from workbench.tlaplus.compiler.compiler import Action
from workbench.tlaplus.compiler.runtime import Run
from workbench.tlaplus.config.closures import Closures
from workbench.tlaplus.layout.layout import Cells
from workbench.tlaplus.names.symbols import Meaning
from workbench.tlaplus.steps.disjuncts import Disjunct, NamedDisjunct, lane_of
from workbench.tlaplus.steps.naming import Naming, Processes, actor_of
from workbench.tlaplus.steps.predicates import Bound, ComputedView
from workbench.tlaplus.steps.quantifier_memo import members_of
from workbench.tlaplus.syntax.unparse import written

#: Says which of its conditions of fairness count a step, given the row before it and the cells that it writes.
Counting = Callable[[Values, Mapping[int, Any]], frozenset[int]]


class Steps(NamedTuple):
    """The parts into which Next is split.

    Attributes:
        members: The values that parameters range over, by the names of their domains.
        actors: The processes that may take a step whose action is not split by process.
    """

    actions: Mapping[str, PlainAction]
    processes: Mapping[str, PlainProcess]
    members: Mapping[str, tuple[Any, ...]]
    actors: Processes


def steps_of(
    disjuncts: Sequence[NamedDisjunct],
    sets: Mapping[str, Sequence[Any]],
    variables: Sequence[str],
    alone: Mapping[str, str],
    remark: Callable[[Meaning | None], str],
) -> Steps:
    """The actions of some disjuncts, and the processes that take them.

    Args:
        sets: The sets whose members take steps: the constants that are sets of names, and the set of all processes.
        alone: The processes that are not members of a set, by the names of their actions.
        remark: Finds the comment on a name with a given meaning.
    """
    groups = dict[str, list[NamedDisjunct]]()
    for entry in disjuncts:
        groups.setdefault(entry.action, []).append(entry)
    actions, processes, members = dict[str, PlainAction](), dict[str, PlainProcess](), dict[str, tuple[Any, ...]]()
    for name, group in groups.items():
        actors = lane_of([entry.arguments[0] for entry in group if entry.arguments], sets)
        parameters = list[Group]()
        for at, parameter in enumerate(group[0].parameters):
            domain = actors if at == 0 and actors is not None else f"{parameter} of {name}"
            members[domain] = tuple(dict.fromkeys(entry.arguments[at] for entry in group))
            parameters.append(((parameter,), domain))
        if actors is not None:
            pc = "pc" if "pc" in variables else ""
            process = processes.setdefault(actors, PlainProcess(actors, actors, pc))
        elif name in alone and not parameters:
            process = processes.setdefault(alone[name], PlainProcess(alone[name]))
        else:
            process = None
        disjunct = group[0].disjunct
        applied = disjunct.applied
        place = f" ({(disjunct.closure.node if applied is None else applied.meaning.body).at})"
        doc = remark(disjunct.closure.scope.find(disjunct.name) if applied is None else applied.meaning)
        actions[name] = PlainAction(name, Parameters(parameters), doc, place, process, stutters=True)
    every = {**members, **{name: tuple(sets[name]) for name in sets}}
    return Steps(actions, processes, every, Processes(sets, frozenset(processes)))


class TextInstance(ActionInstance):
    """A disjunct of Next, with its arguments.

    Args:
        bounds: The constraints that are variables.
        seen: The VIEW, if it has a variable.
        depth: The number of the variable that counts the steps, if there is one.
        actors: Those who may take a step that the disjunct's arguments do not tell.

    Attributes:
        closure: The disjunct, with the values of the names around it.
        counting: None if all conditions of fairness that are about it count all of its steps.
    """

    def __init__(
        self,
        number: int,
        action: DeclaredAction,
        arguments: Sequence[Any],
        disjunct: Disjunct,
        closures: Closures,
        cells: Cells,
        bounds: Sequence[Bound],
        seen: ComputedView | None,
        depth: int | None,
        actors: Processes,
    ) -> None:
        super().__init__(number, action, arguments, cells.notation)
        self._at, self.closures, self._cells = disjunct.closure.node.at, closures, cells
        self._values, self._bounds, self._seen = tuple(disjunct.closure.values.values()), bounds, seen
        self._depth, self._actors = depth, actors
        applied = disjunct.applied
        self._naming = None if applied is None else Naming(closures, disjunct.closure, applied)
        self.former = "" if applied is None or disjunct.around == disjunct.name else disjunct.around
        self._derived = [*(bound.number for bound in bounds), *([] if seen is None else [seen.number])]
        self._members = members_of(closures, disjunct.closure, "E")
        self._why = written(disjunct.closure.node) if self._members else ""
        self.closure = disjunct.closure
        self._of_one = closures.compiled("action", self._members.body) if self._members else self._whole
        self.counting: Counting | None = None

    @cached_property
    def _whole(self) -> Action:
        return self.closures.compiled("action", self.closure)

    # Names -----------------------------------------------------------------------------------------------------------

    def label_with(self, choices: Sequence[tuple[str, Any]]) -> str:
        arguments = None if self._naming is None else self._naming.arguments(choices)
        if self._naming is None or arguments is None:
            return super().label_with(choices)
        passed = {declaration.name for declaration in self._naming.passed}
        around = [(name, value) for name, value in self.named(()) if name not in passed]
        show = self.notation.show
        named = [f"{name}={show(value)}" for name, value in (*around, *self._naming.others(choices))]
        text = ", ".join([*map(show, arguments), *named])
        return f"{self.action.name}({text})" if text else self.action.name

    @property
    def labels_begin(self) -> str:
        return super().labels_begin if self._naming is None else f"{self.action.name}("

    def actor_of(self, choices: Sequence[tuple[str, Any]], states: tuple[State, State] | None = None) -> Actor | None:
        arguments = None if self._naming is None or self.actor is not None else self._naming.arguments(choices)
        return self.actor if arguments is None else actor_of(self._actors, arguments, states)

    # Steps -----------------------------------------------------------------------------------------------------------

    def run(self, before: Values) -> tuple[list[Outcome], list[str]]:
        return self.closures.evaluated(self._at, self._run, before)

    def _run(self, before: Values) -> tuple[list[Outcome], list[str]]:
        few = self._members.few(self._cells.variables(before)) if self._members else None
        if self._members is None or few is None:
            return self._taken(self._whole, self._values, (), before)
        outcomes, whys = list[Outcome](), list[str]()
        for member in few:
            taken = partial(self._taken, self._of_one, (*self._values, member), [(self._members.name, member)])
            of_member, missing = self._members.answer(member, before, taken)
            outcomes += of_member
            whys += missing
        return outcomes, list(dict.fromkeys(whys)) if few else [self._why]

    def _taken(
        self, function: Action, values: tuple[Any, ...], chosen: Sequence[tuple[str, Any]], before: Values
    ) -> tuple[list[Outcome], list[str]]:
        """What comes of a formula, or of one of the members that it goes through, and why no more."""
        now = self._cells.variables(before)
        run, outcomes = Run(self._cells.names, now), list[Outcome]()
        run.chosen += chosen
        run.then.kept.update(self._derived)
        if self._depth is not None:
            run.then[self._depth] = now[self._depth] + 1

        def rest() -> None:
            if left := run.unassigned():
                raise ModelError(f"{self._at}: {self.action.name} leaves {', '.join(left)} unassigned")
            outcomes.append(self._outcome(before, now, run))

        function(run, rest, *values)
        return outcomes, list(dict.fromkeys(run.whys))

    def _outcome(self, before: Values, now: Any, run: Run) -> Outcome:
        then = run.then
        left = next((bound.number for bound in self._bounds if not bound.admits(now, then)), None)
        assigned = then if left is None else {**then, left: False}
        if self._seen is not None:
            assigned = {**assigned, self._seen.number: self._seen.value(then)}
        writes = self._cells.writes(assigned, before)
        return Outcome(tuple(run.chosen), writes, None if self.counting is None else self.counting(before, writes))
