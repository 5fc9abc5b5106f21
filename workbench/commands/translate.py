"""Translate the PlusCal in a TLA+ module, as pcal does; or say whether its translation is stale.

  workbench translate Lock.tla            print the translation
  workbench translate Lock.tla -w         write it into the module, with checksums, byte for byte as pcal does
  workbench translate Lock.tla --check    compare the translation in the module with the algorithm

Options stand in the module: (* PlusCal options (-label -wf) *). What was changed by hand is not written over.

Exit status: 0 translated, or the translation is the algorithm's, 1 it is stale, changed by hand or missing, 2 bad
input, or a mistake in the algorithm.
"""

import argparse
from pathlib import Path

from workbench.commands.output.standard import remark, say
from workbench.commands.output.status import HOLDS, VIOLATED
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief, listed
from workbench.pluscal.module import Source, Translation, find
from workbench.storage.atomic_files import writing_bytes
from workbench.tlaplus.names.loader import read_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("module", type=Path, metavar="MODULE.tla")
    does = parser.add_mutually_exclusive_group()
    does.add_argument("-w", "--write", action="store_true", help="write the translation into the module")
    does.add_argument("--check", action="store_true", help="say whether the translation in the module is stale")


def run(arguments: argparse.Namespace) -> int:
    source = _source_in(arguments.module)
    translation = source.translate()
    for (line, column), text in translation.warnings:
        remark(f"{source.name}.tla:{line}:{column}: {text}")
    if arguments.check:
        return _compare(translation)
    if arguments.write:
        _write(arguments.module, translation)
    else:
        say("\n".join(translation.texts))
    return HOLDS


def _source_in(path: Path) -> Source:
    if path.suffix != ".tla":
        raise InputError(f"{brief(str(path))} is not a module; its name must end in .tla")
    content = read_file(path, "a module")
    if content is None:
        raise InputError(f"there is no file {path}")
    try:
        source = find(content.decode(), path.stem)
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text in UTF-8") from None
    if source is None:
        raise InputError(f"{path}: there is no algorithm in it; one begins with --algorithm NAME, in a comment")
    return source


def _compare(translation: Translation) -> int:
    source = translation.source
    if not source.is_translated:
        say(f"{source.name}.tla: the algorithm in lines {translation.algorithm_range} has no translation")
        return VIOLATED
    is_changed = translation.is_stale or (source.is_edited and bool(translation.differences))
    how = "changed by hand" if source.is_edited and not translation.is_stale else "stale"
    verdict = f"is {how}: {listed(translation.differences)}" if is_changed else "is that of the algorithm"
    say(f"{source.name}.tla: the translation in lines {source.translated_range} {verdict}")
    return VIOLATED if is_changed else HOLDS


def _write(path: Path, translation: Translation) -> None:
    source = translation.source
    if source.is_edited:
        lines = f"{path}: the translation in lines {source.translated_range}"
        raise InputError(f"{lines} was changed by hand after pcal wrote it; delete it to have it written anew")
    if translation.module != source.module:
        with writing_bytes(path) as file:
            file.write(translation.module.encode())
