"""The processes of a PlusCal algorithm, and their positions: the labels in ``pc``."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from workbench.kernel.meaning.values import Map
from workbench.tlaplus.config.closures import Closure, Closures
from workbench.tlaplus.config.config import Configured
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.names.symbols import Defined
from workbench.tlaplus.values.lazy import force, listed
from workbench.tlaplus.values.values import EvaluationError, spelling

#: The set that a translation defines.
_PROCESSES = "ProcSet"


def members_of_processes(configured: Configured, closures: Closures) -> Mapping[str, Sequence[Any]]:
    """The set of all processes by its name in a translation, with its members; empty if there is none."""
    meaning = configured.scope.find(_PROCESSES)
    if not isinstance(meaning, Defined):
        return {}
    closure = Closure(meaning.body, meaning.scope, {})
    if closures.level(closure) > Level.CONSTANT:
        return {}
    with suppress(EvaluationError):  # the steps, which range over it, have an error of their own, with its place
        return {_PROCESSES: tuple(closures.value(closure, listed))}
    return {}


def standing(configured: Configured, state: Any) -> Mapping[str, str]:
    """The names of the processes at each line with a label; the only process of an algorithm is ``here``.

    Empty if the module has no algorithm, or one whose translation says nothing of its lines.
    """
    counter = next((variable for variable in configured.specification.variables if variable.name == "pc"), None)
    if counter is None or counter.at.written is None:
        return {}
    names_at = dict[str, list[str]]()
    for process, label in _each(force(state.pc)):
        if (line := _line_of(configured, label)) is not None:
            names_at.setdefault(line, []).append("here" if process is None else configured.notation.show(process))
    return {line: ", ".join(names) for line, names in names_at.items()}


def _each(labels: Any) -> Iterable[tuple[Any, Any]]:
    """Each process and its label; the process None for a single one."""
    if isinstance(labels, Map):
        return ((process, labels[process]) for process in labels)
    return enumerate(labels, 1) if isinstance(labels, tuple) else [(None, labels)]


def _line_of(configured: Configured, label: Any) -> str | None:
    """The file and line of a label; None for the end of a process, which has none."""
    meaning = configured.scope.find(spelling(label)) if isinstance(label, str) else None
    if not isinstance(meaning, Defined) or meaning.definition.at.written is None:
        return None
    at = meaning.definition.at
    return f"{at.module}.tla:{at.shown[0]}"
