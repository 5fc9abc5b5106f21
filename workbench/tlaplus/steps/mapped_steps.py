"""Steps of instances: whether a step satisfies ``C!Next`` depends only on the values of C's variables before and after.

These values are the *images* of the two states. Many steps have the same images, and testing a step reads each variable
of C many times. So an image is evaluated once for each state, and the verdict on a pair of images is memoized.
"""

from collections.abc import Callable, Sequence
from typing import Any

from workbench.kernel.meaning.errors import ModelError
from workbench.kernel.meaning.state import Reader
from workbench.kernel.meaning.values import identity
from workbench.tlaplus.compiler.memo import Remembered
from workbench.tlaplus.config.closures import Closure, Closures
from workbench.tlaplus.layout.layout import Cells
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.names.symbols import InstanceParameter, Standard, Variable, meanings_in
from workbench.tlaplus.steps.predicates import CompiledPredicate
from workbench.tlaplus.values.lazy import listed

#: Pairs of images that are remembered.
_MOST = 1 << 16


def predicate_of_steps(closures: Closures, cells: Cells, step: Closure) -> CompiledPredicate:
    """The test for a predicate of steps."""
    meanings = meanings_in(step.node, step.scope)
    parameters = [meaning for meaning in meanings if isinstance(meaning, InstanceParameter)]
    mapped = [parameter for parameter in parameters if not _is_constant(closures, parameter)]
    named = [*mapped, *(meaning for meaning in meanings if isinstance(meaning, Variable))]
    is_fixed = all(parameter.scope.parameters <= step.values.keys() for parameter in mapped)
    standard = {meaning.name for meaning in meanings if isinstance(meaning, Standard)}
    if not mapped or not is_fixed or standard & {"ENABLED", "\\cdot"}:
        return CompiledPredicate(closures, cells, step)
    return ImagePredicate(closures, cells, step, named)


def _is_constant(closures: Closures, parameter: InstanceParameter) -> bool:
    return closures.level(Closure(parameter.expression, parameter.scope, {})) is Level.CONSTANT


class ImagePredicate(CompiledPredicate):
    """A predicate of steps that depends on images alone.

    Args:
        named: The variables that it reads, of instances and of the specification.
    """

    def __init__(self, closures: Closures, cells: Cells, step: Closure, named: Sequence[Any]) -> None:
        super().__init__(closures, cells, step)
        self._of_images = CompiledPredicate(closures.over(named), cells, step)
        self._answers = dict[Any, bool]()
        self._parts = [Remembered(self._part(meaning, step)) for meaning in named]

    def _part(self, meaning: Any, step: Closure) -> Callable[..., Any]:
        if isinstance(meaning, Variable):
            number = self._cells.names.index(meaning.name)
            return lambda now, _: listed(now[number])
        image = self._closures.image(meaning, step.values)
        return lambda now, _: listed(image(now))

    def __call__(self, before: Reader, after: Reader | None = None) -> bool:
        assert after is not None
        try:
            now, then = self._closures.evaluated(self._at, self._images, before, after)
        except ModelError:  # the step may be right without it
            return super().__call__(before, after)
        key = identity((now, then))
        if key not in self._answers:
            if len(self._answers) >= _MOST:
                self._answers.clear()
            self._answers[key] = self._of_images.of_values(now, then)
        return self._answers[key]

    def _images(self, *states: Reader) -> list[tuple[Any, ...]]:
        rows = map(self._cells.variables_of, states)
        return [tuple([part(row, None) for part in self._parts]) for row in rows]
