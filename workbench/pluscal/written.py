"""Finds the names that a translation defines in the algorithm, so that comments there can describe them."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from workbench.pluscal import algorithm as pcal
from workbench.pluscal.expressions import Expression
from workbench.pluscal.names import inner_steps
from workbench.pluscal.tokens import NAME

Kind = Literal["variable", "step", "definition"]


class Written(NamedTuple):
    """The place in the file of a variable, a step's label or a definition.

    Attributes:
        is_whole: Whether it fits on that line, so that a comment at the line's end describes all of it.
        is_last: Whether it is the last variable declared with its keyword.
    """

    kind: Kind
    line: int
    column: int
    is_whole: bool
    is_last: bool = True


def written(algorithm: pcal.Algorithm) -> dict[str, Written]:
    """The places of variables, labels and definitions, by their names in the translation.

    Variables that share a line are left out, since a comment there could be about any of them.
    """
    parts = [*algorithm.procedures, *algorithm.processes]
    declared = [algorithm.variables, *(part.variables for part in parts)]
    steps = {step.label: step for some in (algorithm.steps, *(part.steps for part in parts)) for step in _all(some)}
    labels = {label: step.body[0].label_at or _place(step.body[0]) for label, step in steps.items()}
    lines = Counter(line for line, _ in (*labels.values(), *(each.at for variables in declared for each in variables)))
    return {
        **{name: Written("definition", *at, False) for name, at in _definitions(algorithm.definitions)},
        **{
            variable.name: Written("variable", *variable.at, _in_line(variable), variable is variables[-1])
            for variables in declared
            for variable in variables
            if lines[variable.at[0]] == 1
        },
        **{label: Written("step", *at, lines[at[0]] == 1 and _is_whole(steps[label])) for label, at in labels.items()},
    }


def _definitions(block: Expression) -> Iterator[tuple[str, pcal.Place]]:
    """The definitions that begin a line."""
    for line in block.lines:
        if line and line[0].kind == NAME and any(word.text == "==" for word in line):
            yield line[0].text, (line[0].line, line[0].place)


def _in_line(variable: pcal.Declaration) -> bool:
    return all(word.line in (0, variable.at[0]) for word in variable.value.words)


def _is_whole(step: pcal.Step) -> bool:
    """Whether a label is alone on its line, or labels a single simple statement, such as a macro call."""
    first, *others = step.body
    if first.label_at is not None and first.label_at[0] < _place(first)[0]:
        return True
    if first.call is not None:
        return all(other.call == first.call for other in others)
    return not (others or isinstance(first, (pcal.If, pcal.Either, pcal.While, pcal.With)))


def _place(statement: pcal.Statement) -> pcal.Place:
    """The place of a statement; for one expanded from a macro, the place of the call."""
    return statement.call or statement.at


def _all(steps: Iterable[pcal.Step]) -> Iterator[pcal.Step]:
    for step in steps:
        yield step
        for inside in inner_steps(step.body):
            yield from _all(inside)
