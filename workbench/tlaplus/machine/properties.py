"""The properties of a configuration, as properties of the kernel."""

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from typing import Any

from workbench.kernel.meaning.errors import InputError, ModelError
from workbench.kernel.meaning.properties import DEADLOCK, Formula, Property
from workbench.kernel.meaning.steps import PropertyInstance
from workbench.tlaplus.config.closures import Closure, Closures, failed
from workbench.tlaplus.config.config import Configured
from workbench.tlaplus.layout.layout import Cells
from workbench.tlaplus.machine.figures import AFTER, figures_of
from workbench.tlaplus.names.depth import UNKNOWN
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.names.symbols import DEPTH, InstanceParameter, Variable, meanings_in
from workbench.tlaplus.steps.mapped_steps import predicate_of_steps
from workbench.tlaplus.steps.predicates import (
    AlwaysJudge,
    Bound,
    BoundJudge,
    CompiledPredicate,
    InitialJudge,
    ReachedJudge,
    Stated,
    StateJudge,
    StepJudge,
    TextConstraint,
    TextInvariant,
    TextLiveness,
    TextPostcondition,
    TextReachable,
    TextStep,
    TextUndecided,
)
from workbench.tlaplus.steps.type_invariants import questions
from workbench.tlaplus.syntax.cfg_parser import CfgEntry
from workbench.tlaplus.temporal.fairness import FairSteps
from workbench.tlaplus.temporal.temporal import Asked, asked_of
from workbench.tlaplus.values.values import EvaluationError

#: A formula of liveness, with the values of the names around it.
Promise = tuple[tuple[Any, ...], Formula]


class TextProperties:
    """The properties and constraints of a specification with its constants.

    The kernel has one kind of property for conditions on states and steps, and another for conditions on behaviours. A
    temporal property P with both is split into ``P_safety`` and ``P_liveness``, so that neither part is mistaken for P.

    Attributes:
        properties, constraints: The declared properties and constraints, by name.
        bounds: The constraints that are variables, by name.
        notes: Notes on the properties for a result.
    """

    def __init__(self, closures: Closures, cells: Cells, configured: Configured, assumed: Sequence[Closure]) -> None:
        self._closures, self._cells, self._configured, self._assumed = closures, cells, configured, assumed
        self._asked, self._formulas = dict[str, Asked](), dict[str, list[Promise]]()
        cfg = configured.cfg
        self.notes: list[str] = []
        self.properties = dict[str, Property]()
        for entry in cfg.invariants:
            self._add(TextInvariant, entry, entry.value, Asked(always=[self._predicate(entry, Level.STATE)]))
        for entry in cfg.properties:
            self._add_temporal(entry)
        for entry in cfg.possible:
            self._refuse_second("_POSSIBLE", entry)
            self._add_possible(entry)
        for entry in cfg.postconditions:
            self._refuse_second("POSTCONDITION", entry)
            self._add_postcondition(entry)
        if configured.judges_deadlock:
            self.properties[DEADLOCK.name] = replace(DEADLOCK, by_default=True)
        self.constraints = dict[str, Property]()
        for entry in cfg.constraints:
            self._asked[entry.value] = Asked(always=[self._predicate(entry, Level.STATE)])
            self.constraints[entry.value] = self._declared(TextConstraint, entry, entry.value)
        for entry in cfg.action_constraints:
            if entry.value in self.constraints:
                configured.fail(entry.line, f"{entry.value} is a constraint twice; it takes a name of its own here")
            self.constraints[entry.value] = self._declared(TextConstraint, entry, entry.value)
        self.bounds = dict[str, Bound]()
        for number, entry in enumerate(bounding(configured), len(configured.specification.variables)):
            is_of_steps = entry in cfg.action_constraints
            test = self._test(self._predicate(entry, Level.ACTION if is_of_steps else Level.STATE))
            self.bounds[entry.value] = Bound(number, test, is_of_steps)

    def _refuse_second(self, statement: str, entry: CfgEntry) -> None:
        """Refuse a name that is a property's already."""
        if entry.value in self.properties:
            self._configured.fail(entry.line, f"{entry.value} is a property twice; {statement} takes a name of its own")

    def _predicate(self, entry: CfgEntry, highest: Level) -> Closure:
        closure = self._configured.closure(entry)
        if (level := self._closures.level(closure)) > highest:
            of = "states" if highest is Level.STATE else "steps"
            where = "; it is temporal, and PROPERTY takes it" if level is Level.TEMPORAL else ""
            self._configured.fail(entry.line, f"{entry.value} is no predicate of {of}{where}")
        return closure

    def _declared(self, kind: Any, entry: CfgEntry, name: str, **more: Any) -> Property:
        configured = self._configured
        remark = configured.remark(configured.scope.find(entry.value))
        declared: Property = kind(name, Stated(configured.closure(entry).node.at, remark), **more)
        return declared

    def _add(self, kind: Any, entry: CfgEntry, name: str, asked: Asked) -> None:
        self._asked[name] = asked
        self.properties[name] = self._declared(kind, entry, name)

    def _add_possible(self, entry: CfgEntry) -> None:
        name, closure = entry.value, self._configured.closure(entry)
        if self._closures.level(closure) is Level.ACTION:
            takes = f"_POSSIBLE takes a predicate of states; PROPERTY [][~{name}]_v is violated by such a step"
            self._configured.fail(entry.line, f"{name} is an action; {takes}")
        self._add(TextReachable, entry, name, Asked(always=[self._predicate(entry, Level.STATE)]))

    def _add_temporal(self, entry: CfgEntry) -> None:
        name, closure = entry.value, self._configured.closure(entry)
        level = self._closures.level(closure)
        if level is Level.ACTION:
            self._configured.fail(entry.line, f"{name} is an action; PROPERTY asks behaviours, as [][A]_v and <>P do")
        if level is Level.STATE:
            text = f"PROPERTY {name} asks initial states alone; INVARIANT {name} asks every state"
            self.notes.append(self._configured.note(entry.line, text))
        try:
            asked = asked_of(self._closures, closure)
        except (InputError, EvaluationError) as error:
            self.properties[name] = self._declared(TextUndecided, entry, name, why=str(error))
            return
        if asked.promised and (reason := self._why_unknown()):
            self.properties[name] = self._declared(TextUndecided, entry, name, why=reason)
            return
        is_safety = bool(asked.initial or asked.steps or asked.always) or not asked.promised
        if is_safety:
            kind = TextStep if asked.initial or asked.steps else TextInvariant
            self._add(kind, entry, parts_of(name)[0] if asked.promised else name, asked)
        if asked.promised:
            self._add(TextLiveness, entry, parts_of(name)[1] if is_safety else name, asked)

    def _why_unknown(self) -> str:
        """Why the behaviours to be searched are not known; empty if they are."""
        if "VIEW" in self._configured.cfg.single:
            return "one state stands for all with its VIEW, so that the behaviours are not known"
        if DEPTH in self._configured.specification.variables:
            return UNKNOWN
        for part in self._assumed:
            return f"{part.node.at}: the specification asks behaviours for more than fairness, which no search heeds"
        return ""

    def _add_postcondition(self, entry: CfgEntry) -> None:
        """What is asked after a search, as far as it asks neither a state nor what only TLC knows."""
        name, closure = entry.value, self._configured.closure(entry)
        asks = {meaning for meaning in meanings_in(*closure[:2]) if isinstance(meaning, (Variable, InstanceParameter))}
        if asks and asks.issubset(AFTER):
            self.properties[name] = self._declared(TextPostcondition, entry, name, holds=self._asked_later(closure))
            return
        if self._closures.level(closure) > Level.CONSTANT:
            self.notes.append(f"POSTCONDITION {name} is passed over: it speaks of a state, and after a search is none")
            return
        try:
            holds = self._closures.is_true(closure)
        except EvaluationError as error:
            self.notes.append(f"POSTCONDITION {name} is passed over: {failed(error, closure.node.at)}")
        else:
            self.properties[name] = self._declared(TextPostcondition, entry, name, holds=lambda *_: holds)

    def _asked_later(self, closure: Closure) -> Callable[..., bool | str]:
        """The truth of a predicate given the figures of a search; else why it cannot be evaluated."""
        later = self._closures.over(AFTER)

        def holds(levels: Sequence[int], generated: int, initial: int) -> bool | str:
            figures = figures_of(levels, generated, initial)
            try:
                return bool(later.evaluated(closure.node.at, later.compiled("predicate", closure), figures, None))
            except ModelError as error:
                return str(error)

        return holds

    def promise(self, fair: FairSteps) -> None:
        """Make the formulas of liveness; `fair` tells the steps which conditions of these count them."""
        for entry in self._configured.cfg.properties:
            for name in (entry.value, parts_of(entry.value)[1]):
                if isinstance(self.properties.get(name), TextLiveness):
                    try:
                        promised = self._asked[name].promised
                        self._formulas[name] = [
                            (tuple(promise.values.values()), fair.formula(promise)) for promise in promised
                        ]
                    except InputError as error:
                        self.properties[name] = self._declared(TextUndecided, entry, name, why=str(error))

    # Judges ----------------------------------------------------------------------------------------------------

    def judges(self, author: Any, declared: Property) -> list[PropertyInstance]:
        """The judges of single states, or of initial states and steps, for a property or a constraint."""
        if declared.name in self.bounds and isinstance(declared, TextConstraint):
            return [BoundJudge(author, declared, self._cells, self.bounds[declared.name].number)]
        asked = self._asked[declared.name]
        if isinstance(declared, TextStep):
            return list(self._of_steps(author, declared, asked))
        if isinstance(declared, TextReachable):
            within = [self._predicate(entry, Level.STATE) for entry in self._configured.cfg.constraints]
            return [ReachedJudge(author, declared, [*map(self._test, [*within, *asked.always])])]
        parts = [part for closure in asked.always for part in self._closures.conjuncts(closure, Level.CONSTANT)]
        tests = [test for part in parts for test in self._tests(part)]
        return [StateJudge(author, declared, tests, number) for number in range(len(tests))]

    def _of_steps(self, author: Any, declared: Property, asked: Asked) -> Iterator[PropertyInstance]:
        for closure in asked.initial:
            yield InitialJudge(author, declared, self._test(closure))
        for closure in asked.always:
            yield AlwaysJudge(author, declared, self._test(closure))
        for steps in asked.steps:
            yield StepJudge(author, declared, predicate_of_steps(self._closures, self._cells, steps.box))

    def _test(self, closure: Closure) -> CompiledPredicate:
        return CompiledPredicate(self._closures, self._cells, closure)

    def _tests(self, closure: Closure) -> list[CompiledPredicate]:
        asked = questions(self._closures, self._cells, closure)
        tests = [CompiledPredicate(self._closures, self._cells, closure, question.answer) for question in asked]
        return tests or [self._test(closure)]

    def is_invariant(self, declared: Property) -> bool:
        """Whether a property is an INVARIANT, not a PROPERTY of that form."""
        return declared.name in {entry.value for entry in self._configured.cfg.invariants}

    def asked_by(self, declared: Property) -> str:
        """The PROPERTY that a property is, or is a part of."""
        return whole(declared.name, {entry.value for entry in self._configured.cfg.properties})

    def formulas(self, declared: Property) -> Sequence[Promise]:
        """The formulas of a liveness property, each with the values of the names around it."""
        return self._formulas[declared.name]


def bounding(configured: Configured) -> list[CfgEntry]:
    """The constraints that have a variable each: one that may exclude a state which the search has already."""
    cfg = configured.cfg
    is_merged = "VIEW" in cfg.single or DEPTH in configured.specification.variables
    entries = [*cfg.action_constraints, *(cfg.constraints if is_merged else ())]
    return [*{entry.value: entry for entry in entries}.values()]


def parts_of(name: str) -> tuple[str, str]:
    """The names of the two properties that a temporal one may be: what states and steps decide, and liveness."""
    return f"{name}_safety", f"{name}_liveness"


def whole(name: str, written: Container[str]) -> str:
    """The name in the text of a property, of which the machine's may be a part (:class:`TextProperties`)."""
    return name if name in written else name.removesuffix("_safety").removesuffix("_liveness")
