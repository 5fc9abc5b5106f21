"""Decides which text of a module with PlusCal is checked, and notes it for the result.

A translation in the module is used unchanged; if it does not belong to the algorithm, it is reported as stale. Without
a translation, or if a fresh one is requested, the algorithm is translated in memory.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.kernel.meaning.errors import InputError, listed
from workbench.kernel.meaning.translation import STALE
from workbench.pluscal.module import Source, Translation
from workbench.tlaplus.names.loader import Library
from workbench.tlaplus.names.symbols import MissingName
from workbench.tlaplus.syntax.remarks import AlgorithmRemarks

FRESH, IN_MEMORY, EDITED = "fresh", "in memory", "edited"
#: From the most harmless; of several modules, the last one counts.
_GRAVITY = (FRESH, IN_MEMORY, EDITED, STALE)
#: Most translations have these.
_USUAL = frozenset(["pc", "stack", "vars", "ProcSet", "Init", "Next", "Spec", "Terminating", "Termination"])


@dataclass(frozen=True)
class Translations:
    """The translations in the modules of a specification.

    Attributes:
        state: The gravest state: ``fresh``, ``in memory``, ``edited`` or ``stale``; None if no translation is used.
        notes: Notes for the result.
        alone: The processes that are not members of a set, by the names of their steps.
        remarks: The comments of an algorithm on names, by module and name.
    """

    state: str | None
    notes: tuple[str, ...]
    alone: Mapping[str, str]
    remarks: Mapping[tuple[str, str], str]


def translations_in(library: Library) -> Translations:
    """Compare the translations in the modules of a library with their algorithms."""
    states, notes, alone, texts = set[str](), list[str](), dict[str, str](), dict[tuple[str, str], str]()
    for module, source in library.sources.items():
        if not (source.is_translated or module in library.translated):
            continue
        try:
            translation = source.translate()
        except InputError as error:
            notes += _of_edits(source)
            notes.append(f"{error}; so the translation is not compared with the algorithm")
            continue
        alone |= translation.alone
        remarks = AlgorithmRemarks(source.algorithm_alone)
        texts |= {(module, name): text for name, at in translation.written.items() if (text := remarks.of(at))}
        if module in library.translated:
            states.add(IN_MEMORY)
            notes.append(_in_memory(translation))
        else:
            states.add(STALE if translation.is_stale else EDITED if source.is_edited else FRESH)
            notes += _of_edits(source)
            notes += [_of_differences(translation)] if translation.is_stale else []
        notes += [f"{module}.tla:{line}:{column}: {text}" for (line, column), text in translation.warnings]
    return Translations(max(states, key=_GRAVITY.index, default=None), tuple(notes), alone, texts)


def _of_edits(source: Source) -> list[str]:
    lines = f"{source.name}.tla: the translation in lines {source.translated_range}"
    return [f"{lines} was changed by hand after pcal wrote it"] if source.is_edited else []


def _of_differences(translation: Translation) -> str:
    source = translation.source
    old, new = source.translated_range, translation.algorithm_range
    return (
        f"{source.name}.tla: the translation in lines {old} is stale: by the algorithm in lines {new} "
        f"{listed(translation.differences)} would differ (check --translate checks that)"
    )


def _in_memory(translation: Translation) -> str:
    source = translation.source
    clause = f"instead of lines {source.translated_range}" if source.is_translated else "since it has no translation"
    return f"{source.name}.tla: the algorithm in lines {translation.algorithm_range} is translated in memory, {clause}"


def lacking(library: Library, missing: MissingName) -> str | None:
    """The module whose algorithm, not translated yet, defines a name that is missing; None if there is none.

    Raises:
        InputError: For a mistake in an algorithm that may define it.
    """
    for module, source in library.sources.items():
        if source.is_translated or module in library.translated:
            continue
        try:
            names = source.translate().defined
        except InputError:
            if missing.name in _USUAL or missing.name in {word.text for word in source.words()}:
                raise
        else:
            if missing.name in names:
                return module
    return None
