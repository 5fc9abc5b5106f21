"""Show a behaviour in the terms of the abstract model that its own model refines."""

import itertools
from dataclasses import dataclass

from workbench.kernel import InputError, Machine, State, Trace
from workbench.kernel.language.refinement import Refinement, RefinementProperty
from workbench.kernel.meaning.state import changes_of, lines_of
from workbench.kernel.meaning.trace import Step, steps_of


@dataclass(frozen=True)
class AbstractStep:
    """A step of an abstract trace, and its target.

    Attributes:
        state: Of the abstract model.
        step: The step there; None if nothing changes, or if no action of the abstract model makes the change.
        why: The reason why the abstract model does not have this step, or initial state.
    """

    state: State
    step: Step | None
    why: str | None = None

    @property
    def label(self) -> str | None:
        """The label of the step, such as ``commit(w1)``; ``initial state`` for the first."""
        return None if self.step is None else self.step.label

    @property
    def allowed(self) -> bool:
        """Whether the abstract model has the step, or nothing changes."""
        return self.why is None


@dataclass(frozen=True)
class AbstractTrace:
    """A behaviour in the abstract model's terms: one abstract step per step, some of which change nothing.

    Its text omits the latter, but counts them in the numbering.

    Attributes:
        model: The abstract model.
    """

    model: Machine
    steps: tuple[AbstractStep, ...]

    def __repr__(self) -> str:
        lines = []
        for number, step in enumerate(self.steps, 1):
            changes = changes_of(self.steps[number - 2].state, step.state) if number > 1 else []
            if changes or number == 1 or not step.allowed:
                label = step.label if step.allowed else f"not a step of {self.model.declared.title}"
                lines.append(f"{number:>3}  {label}")
            if number == 1:
                lines += [f"       {line}" for line in lines_of(step.state)]
            lines += [f"       {part}" for change in changes for part in change.parts]
        return "\n".join(lines)

    def __str__(self) -> str:
        """The trace as text, below a line that names the abstract model."""
        return f"To {self.model.declared.title} this is\n{self!r}"


def abstract(trace: Trace, name: str) -> AbstractTrace:
    """The abstract trace of `trace` under the refinement called `name`.

    Examples:
        >>> from workbench import Model, Variable, action, check, refines
        >>> from workbench.formats.refinement_trace import abstract
        >>> class Counter(Model):
        ...     n = Variable(0)
        ...     @action
        ...     def add(self, s):
        ...         s.n += 1
        >>> class Doubling(Model):
        ...     m = Variable(0)
        ...     @action
        ...     def double(self, s):
        ...         s.m = max(1, 2 * s.m) % 8
        ...     @refines(Counter)
        ...     def Counts(self, s):
        ...         return {"n": s.m}
        >>> verdict = check(Doubling())["Counts"]
        >>> verdict.why
        'double: n goes from 2 to 4, which no action of Counter does'
        >>> abstract(verdict.trace, "Counts")
          1  initial state
               n: 0
          2  add
               n: 0 -> 1
          3  add
               n: 1 -> 2
          4  not a step of Counter
               n: 2 -> 4
    """
    (declared,) = trace.model.select([name])
    if not isinstance(declared, RefinementProperty):
        raise InputError(f"{name} of {trace.model.name} is of kind {declared.kind}; a refinement is needed")
    refinement = Refinement(trace.model.author, declared)
    images = [refinement.image(state) for state in trace.states]
    begins = refinement.begins(trace.states[0])
    steps = [AbstractStep(images[0], Step(images[0]), begins if isinstance(begins, str) else None)]
    for one, other in itertools.pairwise(images):
        step = None if one == other else _step_between(refinement.abstract, one, other)
        is_none = step is None and one != other
        steps.append(AbstractStep(other, step, refinement.no_step(one, other) if is_none else None))
    return AbstractTrace(refinement.abstract, tuple(steps))


def _step_between(model: Machine, one: State, other: State) -> Step | None:
    """A step of `model` between two states, if there is one."""
    possible = (step for instance in model.instances for step in steps_of(model, instance, one))
    return next((step for step in possible if step.state == other), None)
