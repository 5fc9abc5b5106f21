"""The kernel machine of a module: the interface through which engines run a specification with its constants."""

import copyreg
import re
from abc import ABCMeta
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from workbench.kernel.meaning.arguments import names_in
from workbench.kernel.meaning.constants import as_arguments
from workbench.kernel.meaning.errors import InputError, ModelError, Stop, unknown
from workbench.kernel.meaning.errors import listed as listed_names
from workbench.kernel.meaning.interrupts import interrupted, pausing
from workbench.kernel.meaning.machine import Machine
from workbench.kernel.meaning.properties import DEADLOCK, Formula, Property
from workbench.kernel.meaning.result import Verdict
from workbench.kernel.meaning.state import Layout, State
from workbench.kernel.meaning.steps import ActionInstance, Fairness, PlainVariable, PropertyInstance
from workbench.kernel.meaning.trace import Trace
from workbench.kernel.meaning.values import Map, Name, permute
from workbench.tlaplus.compiler.compiler import Compiler
from workbench.tlaplus.compiler.runtime import Run, place_of
from workbench.tlaplus.config.closures import Closure, Closures, failed
from workbench.tlaplus.config.config import Configured
from workbench.tlaplus.layout import sample
from workbench.tlaplus.layout.layout import Cells
from workbench.tlaplus.layout.shape_inference import learned
from workbench.tlaplus.layout.shapes import Shape
from workbench.tlaplus.machine.condition import TextExpression
from workbench.tlaplus.machine.explanations import Explanations
from workbench.tlaplus.machine.labels import members_of_processes, standing
from workbench.tlaplus.machine.plain import Plain
from workbench.tlaplus.machine.properties import TextProperties, bounding, parts_of
from workbench.tlaplus.machine.symmetry import Renaming, group_of, sets_of, within
from workbench.tlaplus.machine.trace_alias import aliases_of
from workbench.tlaplus.machine.untaken import untaken
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.names.questions import Questions, naming_values
from workbench.tlaplus.names.symbols import DEPTH, MissingName, fail_at, meanings_in
from workbench.tlaplus.steps.disjuncts import named, split
from workbench.tlaplus.steps.predicates import ComputedView, TextLiveness, TextStep
from workbench.tlaplus.steps.steps import TextInstance, steps_of
from workbench.tlaplus.syntax.tree import Place
from workbench.tlaplus.temporal.fairness import FairSteps
from workbench.tlaplus.temporal.temporal import Behaviour, behaviour_of, components, variables_in
from workbench.tlaplus.values.lazy import listed
from workbench.tlaplus.values.notes import as_lines
from workbench.tlaplus.values.values import EvaluationError, Noticed


class TlaClass(ABCMeta):
    """The class of machines' classes, which another process opens from the same texts."""

    configured: Configured

    def __call__(cls, /, **constants: Any) -> Any:
        """A machine. Hitting a limit here is an error: no search has begun whose findings could be kept."""
        try:
            with pausing(_heed_interrupt):
                return super().__call__(**constants)
        except Stop as stop:
            _heed_interrupt()
            raise InputError(f"{place_of(stop)}: {stop}, before the search, by what is evaluated here") from None


def _heed_interrupt() -> None:
    if interrupted():
        raise KeyboardInterrupt


def _opened_by(machine_class: TlaClass) -> Any:
    return machine_class.configured.opened_by


copyreg.pickle(TlaClass, _opened_by)


class TlaMachine(Machine, metaclass=TlaClass):
    """A specification with its configuration and constants; a subclass for each pair of module and configuration."""

    configured: Configured
    language, comment = "TLA+", r"\*"

    def __init__(self, /, **constants: Any) -> None:
        self.author = self
        self.constants = self.configured.family.parsed(constants)
        self.configured = configured = self.configured.choosing(self.constants)
        sets = configured.family.names(self.constants)
        specification = configured.specification
        self._noticed: Noticed = {}
        values = configured.values(self.constants)
        self._names = tuple(sorted({name for value in values.values() for name in _names_in(value)}))
        self._asking, added = naming_values(specification.scope, self._names)
        compiler = Compiler(specification, {**values, **{constant: Name(constant.name) for constant in added}})
        self._closures = Closures(compiler, configured.order, self._noticed, "VIEW" in configured.cfg.single)
        derived = [entry.value for entry in bounding(configured)]
        self._seen = self._view_of(len(specification.variables) + len(derived))
        if self._seen is not None:
            derived.append(configured.cfg.single["VIEW"].value)
        variables = specification.variables
        self._depth = variables.index(DEPTH) if DEPTH in variables else None
        names = [*(variable.name for variable in variables), *derived]
        self._cells = Cells(names, self._shapes, configured.notation)
        try:
            self._assume()
            self._behaviour, steps = self._behaves()
            disjuncts = named(split(self._closures, steps, self._name_of("NEXT", "Next"))) if steps is not None else []
            self._group, self._exchanged = self._symmetry_over(sets)
            self._left_out = self._outside_of_view()
            self._checked = TextProperties(self._closures, self._cells, configured, self._behaviour.assumed)
            alias = configured.single("ALIAS")
            self.aliases = {} if alias is None else aliases_of(self._closures, self._cells, alias)
        except EvaluationError as error:
            raise InputError(str(failed(error, specification.module.at))) from error
        actors = {**sets, **members_of_processes(configured, self._closures)}
        grouped = steps_of(disjuncts, actors, self._cells.names, configured.translations.alone, configured.remark)
        self.actions, self._members, self._actors = grouped.actions, grouped.members, grouped.actors
        self._disjuncts = disjuncts
        self.instances: list[TextInstance] = self._instances_on(self._cells, self._checked)
        unnamed = [disjunct.disjunct for disjunct in disjuncts]
        self._fair = FairSteps(self._closures, self._cells, specification.variables, self.instances, unnamed)
        self._fair.add(self._behaviour.fairness)
        self._checked.promise(self._fair)
        if any(isinstance(declared, TextLiveness) for declared in self._checked.properties.values()):
            self._fair.tell()
        self.properties, self.constraints = self._checked.properties, self._checked.constraints
        remarks = {variable.name: configured.remark(variable) for variable in variables}
        self.declared = replace(
            configured.family,
            symmetry=tuple(self._exchanged),
            reduced=bool(self._exchanged),
            variables={
                name: PlainVariable(ghost=name in (*derived, DEPTH.name), doc=remarks.get(name, ""))
                for name in self._cells.names
            },
            processes=grouped.processes,
            actions=self.actions,
            properties=self.properties,
            constraints=self.constraints,
        )

    def _instances_on(self, cells: Cells, checked: TextProperties) -> list[TextInstance]:
        """The disjuncts of Next as steps between rows of these cells."""
        rest = self._closures, cells, tuple(checked.bounds.values()), self._seen, self._depth, self._actors
        return [
            TextInstance(number, self.actions[disjunct.action], disjunct.arguments, disjunct.disjunct, *rest)
            for number, disjunct in enumerate(self._disjuncts)
        ]

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(as_arguments(self.differing(), self.declared.constants))})"

    def __reduce__(self) -> Any:
        """Pickle the machine with its cells, so that they need not be learned again elsewhere."""
        return _rebuilt, (type(self), self.constants, self._cells.shapes)

    @property
    def sources(self) -> Mapping[str, str]:  # type: ignore[override]
        return self.configured.sources

    def standing(self, state: State) -> Mapping[str, str]:
        return standing(self.configured, state)

    def mark(self, value: Any) -> Any:
        """`value`, with each string that spells a model value replaced by that model value."""
        return permute(value, {name: Name(name) for name in self._names})

    def with_constants(self, constants: Mapping[str, Any]) -> Machine:
        return type(self)(**constants)

    def members(self, domain: str) -> tuple[Any, ...]:
        return self._members[domain]

    def expression(self, text: str) -> TextExpression:
        return TextExpression(text, self._asking, self._closures, self._cells)

    def asking(self, names: Iterable[str]) -> tuple[Machine, tuple[str, ...]]:
        names = names_in("properties", names)
        further = sorted({name for name in names if not self._names_of(name)})  # in any order, they make the same class
        if not further:
            return self, tuple(part for name in names for part in self._names_of(name))
        for name in further:
            if re.fullmatch(r"\w+", name) and self.configured.scope.find(name) is None:
                raise unknown(f"property or definition of {self.name}", name, self.configured.definitions)
        assert self.configured.opened_by is not None
        open_again, (*opened, asked) = self.configured.opened_by
        questions = Questions((*asked.texts, *further), self._names)
        return open_again(*opened, questions)(**self.constants).asking(names)

    def _names_of(self, name: str) -> tuple[str, ...]:
        """The properties that the machine has for a name of the text; none if it is not asked for."""
        if name in self.properties or name == DEADLOCK.name:
            return (name,)
        return tuple(part for part in parts_of(name) if part in self.properties)

    def oversights(self) -> Iterator[str]:
        yield from self.configured.notes
        yield from self._checked.notes
        yield from dict.fromkeys(self._subscripts())
        if (entry := self.configured.cfg.single.get("SYMMETRY")) and len(self._group) == 1:
            text = f"SYMMETRY {entry.value} exchanges nothing; it takes sets of at least two model values"
            yield self.configured.note(entry.line, text)
        yield from as_lines(self._noticed)
        if self.configured.only_assumes:
            yield f"{self.configured.why_no_states}: what is assumed holds, and there are no states"

    def plain(self) -> Plain | None:
        """The same specification and constants for the plain evaluator, which shares no computation with this machine.

        It cannot have texts that use a module of the library alone, or constants that no configuration can write.
        """
        return None if self.configured.only_assumes else self._plain

    @cached_property
    def _plain(self) -> Plain:
        return Plain(self, self.configured)  # which reads the texts: once for all that is asked of it

    def settled(self, declared: Property, states: int) -> Verdict | None:
        plain = self._plain_or_none()
        return None if plain is None else plain.settled(declared, states)

    @cached_property
    def _explanations(self) -> Explanations | None:
        plain = self._plain_or_none()
        return None if plain is None else Explanations(plain.opened, self.sources)

    def why_false(self, declared: Property, states: Sequence[State]) -> str:
        text = None
        if self._explanations is not None and self._checked.is_invariant(declared):
            text = self._explanations.of_invariant(declared.name, states[-1])
        elif self._explanations is not None:
            places = states if isinstance(declared, TextStep) else states[-1:]
            text = self._explanations.of_steps(self._checked.asked_by(declared), places)
        return super().why_false(declared, states) if text is None else text

    def why_broken(self, declared: Property, trace: Trace) -> str:
        if self._explanations is None or trace.loop is None:
            return ""
        text = self._explanations.of_behaviour(self._checked.asked_by(declared), trace.states, trace.loop)
        return "; ".join(filter(None, [text, untaken(trace, self._fair.counts)]))

    def obstacles(self, instance: ActionInstance, state: State, whys: Sequence[str]) -> Sequence[str]:
        if self._explanations is None or not isinstance(instance, TextInstance):
            return whys
        return self._explanations.of_disjunct(instance.closure, state) or whys

    def _plain_or_none(self) -> Plain | None:
        try:
            return self.plain()
        except InputError:
            return None

    # What the text says -----------------------------------------------------------------------------------------

    def _assume(self) -> None:
        """Refuse constants that an ASSUME excludes."""
        for assumption, scope in self.configured.specification.assumptions:
            if not self._is_assumed(Closure(assumption.body, scope, {})):
                text = self._explanations and self._explanations.of_assumption(assumption.at)
                clause = f": {text}" if text else ""
                fail_at(assumption.at, f"what is assumed here is false with these constants{clause}")

    def _is_assumed(self, closure: Closure) -> bool:
        """Whether an assumption holds; the depth is 0 where no state has been sought."""
        if DEPTH not in meanings_in(*closure[:2]):
            return self._closures.is_true(closure)
        before = self._closures.over((DEPTH,))
        return bool(before.evaluated(closure.node.at, before.compiled("predicate", closure), (0,), None))

    def _behaves(self) -> tuple[Behaviour, Closure | None]:
        """The parts of the specification, and its next-state relation; None if ASSUMEs are all there is to check."""
        configured = self.configured
        whole, initial, steps = map(configured.single, ("SPECIFICATION", "INIT", "NEXT"))
        if configured.only_assumes:
            return Behaviour([]), None
        if whole is not None:
            behaviour = behaviour_of(self._closures, whole)
            if len(behaviour.steps) != 1:
                fail_at(whole.node.at, f"a specification has one [][Next]_vars; this one has {len(behaviour.steps)}")
            for part in behaviour.initial:
                if part.values:
                    fail_at(part.node.at, "an initial condition that depends on names bound around it is not supported")
            return behaviour, behaviour.steps[0].action
        if initial is None or steps is None:
            where = configured.file or f"without a .cfg, {self.configured.specification.module.name}"
            message = f"{where} names no behaviour; it takes SPECIFICATION, or INIT and NEXT"
            raise InputError(message) if configured.file else MissingName(message, "Spec")
        return Behaviour([initial]), steps

    def _subscripts(self) -> Iterator[str]:
        """Notes on the specification's subscripts that lack a variable."""
        for step in self._behaviour.steps:
            yield from self._lacking(step.subscript, "Next", "are allowed, and no search takes them")
        for condition in self._behaviour.fairness:
            yield from self._lacking(condition.subscript, "SF" if condition.is_strong else "WF", "do not count")

    def _lacking(self, subscript: Closure, of: str, clause: str) -> Iterator[str]:
        there, variables = components(self._closures, subscript), self.configured.specification.variables
        if left := [variable.name for variable in variables if variable not in (*there, DEPTH)]:
            at, names = subscript.node.at, listed_names(left)
            yield f"{at}: the subscript of {of} lacks {names}: steps that change nothing else {clause}"

    def _name_of(self, keyword: str, usual: str) -> str:
        entry = self.configured.cfg.single.get(keyword)
        return usual if entry is None else str(entry.value)

    # States ----------------------------------------------------------------------------------------------------

    @cached_property
    def layout(self) -> Layout:  # type: ignore[override]
        return self._cells.layout

    def _shapes(self) -> list[Shape | None]:
        """The shapes in which variables are spread over cells; none if there are only a few states."""
        single = Cells(self._cells.names)
        most, one_each = sample.MOST_STATES, [None] * len(single.names)
        if not most or self.configured.only_assumes:
            return list(one_each)
        checked = TextProperties(self._closures, single, self.configured, self._behaviour.assumed)
        tests = [judge for declared in self.constraints.values() for judge in checked.judges(self, declared)]

        def is_explored(state: Sequence[Any]) -> bool:
            try:
                return all(test.judge(single.layout.view(state)) for test in tests)
            except ModelError:
                return False

        visible = [number for number, name in enumerate(single.names) if name not in self._left_out]
        try:
            instances = self._instances_on(single, checked)
            with sample.within_reason():
                sampled = sample.sample(self._initial_values, instances, is_explored, visible, most)
        except (ModelError, sample.TooLong):  # for the search to report
            return list(one_each)
        if sampled.is_whole:
            return list(one_each)
        return self._closures.evaluated(self.configured.specification.module.at, learned, sampled.values, self._group)

    def each_initial_state(self) -> Iterator[Any]:
        return (self.state(self._cells.row(values)) for values in self._initial_values)

    @cached_property
    def _initial_values(self) -> list[list[Any]]:
        """The values of the variables in each initial state."""
        if self.configured.only_assumes:
            return []
        parts = self._behaviour.initial
        at = parts[0].node.at if parts else self.configured.specification.module.at
        states = self._closures.evaluated(at, self._begun, at)
        if not states:
            raise ModelError(f"{at}: no state satisfies {self._name_of('INIT', 'Init')}")
        return states

    def _begun(self, at: Place) -> list[list[Any]]:
        run, states = Run(self._cells.names), list[Any]()
        run.then.update(dict.fromkeys((bound.number for bound in self._checked.bounds.values()), True))
        if self._seen is not None:
            run.then[self._seen.number] = None
        if self._depth is not None:
            run.then[self._depth] = 0  # until there is a state, as for TLC

        def rest() -> None:
            if left := run.unassigned():
                raise ModelError(f"{at}: {self._name_of('INIT', 'Init')} leaves {', '.join(left)} unassigned")
            begun = run.then if self._depth is None else {**run.then, self._depth: 1}
            of_states = [bound for bound in self._checked.bounds.values() if not bound.is_of_steps]
            begun = {**begun, **{bound.number: bound.admits(None, begun) for bound in of_states}}
            if self._seen is not None:
                begun = {**begun, self._seen.number: self._seen.value(begun)}
            states.append([listed(begun[number]) for number in range(len(run.names))])

        self._closures.compiler.beginning([(part.node, part.scope) for part in self._behaviour.initial])(run, rest)
        return states

    @property
    def fairness(self) -> Sequence[Fairness]:
        return self._fair.conditions

    # Properties ------------------------------------------------------------------------------------------------

    def _judging(self, declared: Property) -> list[PropertyInstance]:
        return self._checked.judges(self, declared)

    def formulas(self, name: str) -> list[tuple[tuple[Any, ...], Formula]]:
        (declared,) = self.select([name])
        return list(self._checked.formulas(declared))

    @cached_property
    def hidden(self) -> Collection[int]:
        """The cells of the variables that do not tell states apart."""
        return [cell for name in self._cells.names if name in self._left_out for cell in self.layout.cells_of(name)]

    @cached_property
    def merging(self) -> str | None:
        view, variables = self.configured.single("VIEW"), set(self.configured.specification.variables)
        left = set() if view is None else variables - components(self._closures, view)
        if left - {DEPTH}:
            return f"the VIEW {self.configured.cfg.single['VIEW'].value}"
        is_merged = DEPTH in (variables if view is None else left)
        return f"the first visits that {DEPTH.name} counts" if is_merged else None

    def _view_of(self, number: int) -> ComputedView | None:
        """The configuration's VIEW, unless it has none, or one of variables; its value takes a variable `number`."""
        view = self.configured.single("VIEW")
        if view is None or variables_in(self._closures, view) is not None:
            return None
        if self._closures.level(view) > Level.STATE:
            self.configured.fail(self.configured.cfg.single["VIEW"].line, "VIEW takes an expression of a state")
        return ComputedView(number, view.node.at, self._closures, self._closures.compiled("expression", view))

    def _outside_of_view(self) -> set[str]:
        """The variables that do not tell states apart."""
        view = self.configured.single("VIEW")
        if view is None:
            return {DEPTH.name}
        seen = variables_in(self._closures, view) or ()
        return {variable.name for variable in self.configured.specification.variables if variable not in seen}

    # Symmetry --------------------------------------------------------------------------------------------------

    def _symmetry_over(self, sets: Mapping[str, Sequence[str]]) -> tuple[list[Renaming], Mapping[str, Sequence[str]]]:
        """The group of the configuration's SYMMETRY, and the sets of names that it permutes."""
        closure = self.configured.single("SYMMETRY")
        if closure is None:
            return [{}], {}
        entry = self.configured.cfg.single["SYMMETRY"]
        if self._closures.level(closure) > Level.CONSTANT:
            self.configured.fail(entry.line, "SYMMETRY takes a constant set of permutations")
        try:
            group = self._closures.value(closure, group_of)
        except InputError as error:
            self.configured.fail(entry.line, f"SYMMETRY is not supported: {error}")
        return group, sets_of(group, sets, entry.value)

    def exchanged(self, name: str) -> Sequence[str]:
        return self._exchanged[name]

    def renamings(self, sets: Sequence[str] | None = None) -> list[dict[str, str]]:
        names = self.symmetry if sets is None else self.declared.symmetric_sets("sets", sets)
        return within(self._group, {name for set_name in names for name in self._exchanged[set_name]})


def _names_in(value: Any) -> Iterator[str]:
    """The model values in the value of a constant."""
    if isinstance(value, Name):
        yield str(value)
    elif isinstance(value, (frozenset, tuple)):
        for member in value:
            yield from _names_in(member)
    elif isinstance(value, Map):
        for key in value:
            yield from _names_in(key)
            yield from _names_in(value[key])


def _rebuilt(
    machine_class: type[TlaMachine], constants: Mapping[str, Any], shapes: Sequence[Shape | None]
) -> TlaMachine:
    machine = machine_class(**constants)
    machine._cells.shapes = shapes
    return machine
