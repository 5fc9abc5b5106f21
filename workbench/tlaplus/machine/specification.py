"""Open a module with its configuration: the class of its machines."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from workbench.kernel.meaning.errors import InputError
from workbench.tlaplus.config.algorithms import lacking
from workbench.tlaplus.config.choices import Choices, with_choices
from workbench.tlaplus.config.config import Configured, configure, naming
from workbench.tlaplus.library.standard import EXTENDED, MODULES
from workbench.tlaplus.machine.machine import TlaMachine
from workbench.tlaplus.names.depth import with_depth
from workbench.tlaplus.names.loader import Library, load, read_file
from workbench.tlaplus.names.questions import Questions, asking
from workbench.tlaplus.names.specification import Specification
from workbench.tlaplus.names.symbols import MissingName
from workbench.tlaplus.syntax.cfg_parser import Cfg, CfgEntry, read_configuration

#: The names that stand for the meaning of a module without a configuration: the first one that it defines counts.
_USUAL = (("SPECIFICATION", "Spec"), ("INIT", "Init"), ("NEXT", "Next"))
#: No questions besides those of the configuration.
NONE = Questions()
#: The classes by their sources: opening the same texts again returns the same class.
_made: dict[Any, type[TlaMachine]] = {}


def open_module(
    path: str | Path, cfg: str | Path | None = None, folders: Sequence[str | Path] = ()
) -> type[TlaMachine]:
    """The machines of the module in a file, with a configuration; the constants are the arguments of the class.

    Args:
        path: The file, such as ``Hudi.tla``.
        cfg: The configuration's file, or a module's with a section ``---- CONFIG Hudi ----``; by default the file
            beside the module, ``Hudi.cfg``, if there is one, else such a section of the module's own file.
        folders: The folders that are searched for other modules, after the folder of the file.

    Raises:
        InputError: If there is no such file or folder; with the place, for a text or a configuration that has a
            mistake, or that is not supported.
    """
    path = Path(path)
    if path.suffix != ".tla":
        raise InputError(f"{path} is not a module; its name must end in .tla")
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    for folder in folders:
        if not Path(folder).is_dir():
            raise InputError(f"there is no folder {folder}")
    library = Library([path.parent, *map(Path, folders)], MODULES, EXTENDED)
    beside = path.with_suffix(".cfg")
    own = beside if beside.is_file() else path
    chosen = own if cfg is None else Path(cfg)
    text = _configuration_in(chosen)
    if cfg is not None and text is None:
        raise InputError(f"{chosen} has no section ---- CONFIG {chosen.stem} ----")
    return _class_of(path.stem, library, text, "" if text is None else chosen.name)


def open_named(path: Path, configuration: str, folders: Sequence[str]) -> type[TlaMachine]:
    """The machines of ``path:configuration:folder``, as commands and panels name them.

    Args:
        configuration: A file, relative to the module's folder; empty for the module's own in that folder.
        folders: As for :func:`open_module`, but relative to the module's folder.

    Raises:
        InputError: As for :func:`open_module`.
    """
    here = path.parent
    return open_module(path, here / configuration if configuration else None, [here / folder for folder in folders])


def module_of_text(text: str, cfg: str | None = None, modules: Sequence[str] = ()) -> type[TlaMachine]:
    """The machines of a module given as a text, as in a notebook.

    Args:
        text: The module's.
        cfg: The configuration's.
        modules: The texts of other modules.

    Raises:
        InputError: As for :func:`open_module`.
    """
    texts = {_name_in(module): module for module in (*modules, text)}
    name = _name_in(text)
    return _class_of(name, Library((), MODULES, EXTENDED, texts), cfg, f"{name}.cfg")


def module_of_cell(text: str) -> type[TlaMachine]:
    """The machines of a module in a text, followed by its configuration if it has one.

    Raises:
        InputError: As for :func:`open_module`.
    """
    ends = [line.end() for line in re.finditer(r"^={4,}[ \t]*$", text, re.MULTILINE)]
    end = ends[-1] if ends else len(text)
    return module_of_text(text[:end], text[end:] if text[end:].strip() else None)


def _name_in(text: str) -> str:
    match = re.search(r"-{4,}\s*MODULE\s+(\w+)\s*-{4,}", text)
    if match is None:
        raise InputError("there is no module in the text; it takes ---- MODULE Name ----")
    return match[1]


def _configuration_in(file: Path) -> str | None:
    """The text of a configuration, or the section of a module's file that is one, on its lines; None if it has none."""
    text = read_file(file, "a configuration")
    if text is None:
        raise InputError(f"there is no file {file}")
    try:
        read = text.decode()
    except UnicodeDecodeError:
        raise InputError(f"{file} is not a text in UTF-8") from None
    if file.suffix != ".tla":
        return read
    head = rf"^-{{4,}}[ \t]*CONFIG[ \t]+{re.escape(file.stem)}[ \t]*-{{4,}}"
    match = re.search(rf"{head}(.*?)(?:^={{4,}}|\Z)", read, re.MULTILINE | re.DOTALL)
    return None if match is None else "\n" * read.count("\n", 0, match.start(1)) + match[1]


def _class_of(name: str, library: Library, cfg: str | None, file: str, asked: Questions = NONE) -> type[TlaMachine]:
    try:
        return _found_or_made(name, library, cfg, file, asked)
    except MissingName as error:
        module = lacking(library, error)
        if module is None:
            raise
    return _class_of(name, library.anew(module), cfg, file, asked)


def _found_or_made(name: str, library: Library, cfg: str | None, file: str, asked: Questions) -> type[TlaMachine]:
    configured = _configured(name, library, cfg, file, asked)
    made_from = name, tuple(sorted(library.read.items())), library.translated, cfg, file, asked
    if made_from not in _made:
        # Its module is the text, so that a hash of the class covers its source.
        parts = {"configured": configured, "declared": configured.family, "__module__": f"{name}.tla"}
        machine_class: type[TlaMachine] = type(name, (TlaMachine,), parts)
        machine_class.declared = machine_class().declared
        _made[made_from] = machine_class
    return _made[made_from]


def _configured(
    name: str, library: Library, cfg: str | None, file: str, asked: Questions, choices: Choices = ()
) -> Configured:
    specification, named = asking(load(name, library), asked)
    if cfg is None:
        entries = _usual(specification)
    else:
        with naming(file):
            entries = read_configuration(cfg)
    texts = name, dict(library.read), library.translated, cfg, file, asked
    configured = configure(specification, library, with_choices(entries, choices), file).asking(asked.texts, named)
    specification = with_depth(configured.specification, configured.cfg)

    @cache
    def reopened(choices: Choices) -> Configured:
        chosen = _configured(name, library.anew(), cfg, file, asked, choices)
        return replace(chosen, constants=configured.constants, choices=choices)  # the defaults stay those of the file

    return replace(configured, specification=specification, opened_by=(_opened_again, texts), reopened=reopened)


def _opened_again(
    name: str,
    texts: dict[str, str | bytes],
    translated: frozenset[str],
    cfg: str | None,
    file: str,
    asked: Questions,
) -> type[TlaMachine]:
    return _class_of(name, Library((), MODULES, EXTENDED, texts, translated), cfg, file, asked)


def translating(model: type[TlaMachine]) -> type[TlaMachine]:
    """The machines of the same module and configuration, with the fresh translation of the module's algorithm.

    Raises:
        InputError: If it has no algorithm, or with the place, for a mistake in it.
    """
    assert model.configured.opened_by is not None
    open_again, (name, texts, translated, *others) = model.configured.opened_by
    opened: type[TlaMachine] = open_again(name, texts, translated | {name}, *others)
    return opened


def _usual(specification: Specification) -> Cfg:
    """The configuration assumed for a module without one: its behaviours under their usual names."""
    single = dict[str, CfgEntry]()
    for keyword, name in _USUAL:
        if specification.scope.find(name) is not None:
            single[keyword] = CfgEntry(name, 1)
            if keyword == "SPECIFICATION":
                break
    return Cfg(single=single)
