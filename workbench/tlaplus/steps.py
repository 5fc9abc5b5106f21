"""The steps of a module: the disjuncts of its Next, with their arguments."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from workbench.kernel.meaning.errors import ModelError
from workbench.kernel.meaning.parameters import Group, Parameters
from workbench.kernel.meaning.state import Values
from workbench.kernel.meaning.steps import ActionInstance, Outcome, PlainAction
from workbench.kernel.meaning.values import identity
from workbench.tlaplus.cells import Cells
from workbench.tlaplus.judging import ActionConstraint
from workbench.tlaplus.lazy import each
from workbench.tlaplus.remembering import Memory
from workbench.tlaplus.running import Run
from workbench.tlaplus.splitting import Disjunct, NamedDisjunct, lane_of
from workbench.tlaplus.syntax import Expression, Quantified
from workbench.tlaplus.terms import Terms
from workbench.tlaplus.values import CONCRETE
from workbench.tlaplus.wording import written

#: Says which of its conditions of fairness count a step, given the values of the variables before and after it.
Counting = Callable[[Values, Sequence[Any]], frozenset[int]]


@dataclass(frozen=True)
class TextProcess:
    """The actors that take steps: the members of a set of names.

    Attributes:
        per: The constant that holds them.
        pc: The variable that says where each of them is, if there is one.
    """

    name: str
    per: str
    pc: str
    fair: str | None = None
    doc: str = ""


@dataclass(frozen=True)
class TextAction(PlainAction):
    """A disjunct of Next.

    Attributes:
        stutters: It may change nothing.
        fair, fair_when: The specification's formula says what is fair, not the action.
    """

    stutters: bool = True
    fair: None = None
    fair_when: None = None


class Steps(NamedTuple):
    """The parts into which Next is split.

    Attributes:
        members: The values that parameters range over, by what their domains are called.
    """

    actions: Mapping[str, TextAction]
    processes: Mapping[str, TextProcess]
    members: Mapping[str, tuple[Any, ...]]


def steps_of(disjuncts: Sequence[NamedDisjunct], sets: Mapping[str, Sequence[str]], variables: Sequence[str]) -> Steps:
    """The actions of some disjuncts, and who takes them.

    Args:
        sets: The constants that are sets of names, with their members.
    """
    groups = dict[str, list[NamedDisjunct]]()
    for one in disjuncts:
        groups.setdefault(one.action, []).append(one)
    actions, processes, members = dict[str, TextAction](), dict[str, TextProcess](), dict[str, tuple[Any, ...]]()
    for name, group in groups.items():
        actors = lane_of([one.arguments[0] for one in group if one.arguments], sets)
        parameters = list[Group]()
        for at, parameter in enumerate(group[0].parameters):
            domain = actors if at == 0 and actors is not None else f"{parameter} of {name}"
            members[domain] = tuple(dict.fromkeys(one.arguments[at] for one in group))
            parameters.append(((parameter,), domain))
        if actors is not None:
            pc = "pc" if "pc" in variables else ""
            processes[actors] = TextProcess(actors, actors, pc)
        place = f" ({group[0].disjunct.term.node.at})"
        process = None if actors is None else processes[actors]
        actions[name] = TextAction(name, Parameters(parameters), place=place, process=process)
    return Steps(actions, processes, {**members, **{name: tuple(sets[name]) for name in sets}})


class TextInstance(ActionInstance):
    """A disjunct of Next, with its arguments.

    Args:
        bounds: The action constraints.

    Attributes:
        counting: None if all conditions of fairness that are about it count all of its steps.
    """

    def __init__(
        self,
        number: int,
        action: TextAction,
        arguments: Sequence[Any],
        disjunct: Disjunct,
        terms: Terms,
        cells: Cells,
        bounds: Sequence[ActionConstraint],
    ) -> None:
        super().__init__(number, action, arguments, cells.notation)
        self._at, self._terms, self._cells = disjunct.term.node.at, terms, cells
        self._values, self._bounds = tuple(disjunct.term.values.values()), bounds
        self._members, self._name, term = None, "", disjunct.term
        if _has_one_name(term.node):
            assert isinstance(term.node, Quantified)
            (name,) = term.node.names
            self._members, self._name = terms.compiled("members", term), name.name
            self._why, self._memory = written(term.node), Memory()
            term = term.inside(term.node.body, {name: None})
        self._function = terms.compiled("action", term)
        self.counting: Counting | None = None

    def run(self, before: Values) -> tuple[list[Outcome], list[str]]:
        return self._terms.evaluated(self._at, self._run, before)

    def _run(self, before: Values) -> tuple[list[Outcome], list[str]]:
        if self._members is None:
            return self._taken(before)
        outcomes, whys, is_empty = list[Outcome](), list[str](), True
        for member in each(self._members(self._cells.variables(before), None, *self._values)):
            is_empty = False
            found, missing = self._with(before, member)
            outcomes += found
            whys += missing
        return outcomes, [self._why] if is_empty else list(dict.fromkeys(whys))

    def _with(self, before: Values, member: Any) -> tuple[list[Outcome], list[str]]:
        """What comes of one member, which is the same wherever the cells are the same that it depends on."""
        if type(member) not in CONCRETE or not self._memory.pays:
            return self._taken(before, member)
        return self._memory.answer(identity(member), before, lambda read: self._taken(read, member))

    def _taken(self, before: Values, *members: Any) -> tuple[list[Outcome], list[str]]:
        now = self._cells.variables(before)
        run, outcomes = Run(self._cells.names, now), list[Outcome]()
        run.chosen += [(self._name, member) for member in members]
        run.then.kept.update(bound.number for bound in self._bounds)

        def rest() -> None:
            if left := run.unassigned():
                raise ModelError(f"{self._at}: {self.action.name} leaves {', '.join(left)} unassigned")
            outcomes.append(self._outcome(before, now, run))

        self._function(run, rest, *self._values, *members)
        return outcomes, list(dict.fromkeys(run.whys))

    def _outcome(self, before: Values, now: Any, run: Run) -> Outcome:
        then, counted = run.then, None
        if self.counting is not None:
            counted = self.counting(now, [then[number] for number in range(len(self._cells.names))])
        left = next((bound.number for bound in self._bounds if not bound.test.of_values(now, then)), None)
        assigned = then if left is None else {**then, left: False}
        return Outcome(tuple(run.chosen), self._cells.writes(assigned, before), counted)


def _has_one_name(node: Expression) -> bool:
    r"""Whether a formula is ``\E x \in S : P`` with one name."""
    return isinstance(node, Quantified) and node.kind == "E" and len(node.names) == 1 and not node.bounds[0].is_tuple
