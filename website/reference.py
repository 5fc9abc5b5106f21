"""The reference of the package's public names, from their docstrings.

There is a page for each room that the guides import from. It has the names in the room's ``__all__``, and those names
of its modules that the guides use.
"""

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from website.keeping import ROOT, write
from website.staging import pages

FOLDER = "api"
_IMPORT = re.compile(r"from (?P<module>workbench(?:\.\w+)+) import (?:\((?P<many>[^)]*)\)|(?P<some>[\w, ]+))")


def stage(folder: Path) -> set[str]:
    """Write the pages of the reference below `folder`; returns the files in which its names are defined."""
    documented: dict[tuple[str, str], Any] = {}
    taught = sorted(set(_imported()))
    rooms = []
    for room in dict.fromkeys(["workbench", *(_room(module) for module, _ in taught)]):
        names = [(room, name) for name in getattr(importlib.import_module(room), "__all__", ())]
        names += [(module, name) for module, name in taught if _room(module) == room]
        if page := _page(room, names, documented):
            write(folder / FOLDER / f"{room}.rst", page)
            rooms.append(room)
    listed = "".join(f"   {room}\n" for room in rooms)
    about = "What ``import workbench`` gives, and what the guides import from its rooms, from the docstrings."
    write(folder / FOLDER / "index.rst", f"{_title('Reference')}{about}\n\n.. toctree::\n   :maxdepth: 1\n\n{listed}")
    return {path for entry in documented.values() for path in _sources(entry)}


def source(module: str, name: str) -> str | None:
    """The file that defines the named object, relative to the repository; None if there is none."""
    value: Any = importlib.import_module(module)
    for part in name.split("."):
        value = inspect.getattr_static(value, part, None) if inspect.isclass(value) else getattr(value, part, None)
    value = getattr(value, "fget", None) or getattr(value, "__func__", None) or value
    try:
        path = Path(inspect.getsourcefile(inspect.unwrap(value)) or "")
    except TypeError:
        return None
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else None


def _sources(entry: Any) -> Iterator[str]:
    """The files that the links next to an object, and next to the members of a class, point to."""
    names = [entry.__qualname__, *(f"{entry.__qualname__}.{name}" for name in vars(entry) if inspect.isclass(entry))]
    yield from filter(None, (source(entry.__module__, name) for name in names))


def _room(module: str) -> str:
    """The package that a module is in, or is: ``workbench.audits`` for ``workbench.audits.findings``."""
    return ".".join((importlib.import_module(module).__package__ or "").split(".")[:3])


def _page(room: str, names: list[tuple[str, str]], documented: dict[tuple[str, str], Any]) -> str:
    """The page of a room: its docstring, then its names, except those documented already; empty if all are."""
    constants, parts = [], []
    for module, name in names:
        entry = getattr(importlib.import_module(module), name)
        if not callable(entry) or not hasattr(entry, "__module__"):
            constants.append(name)
        elif _key(entry) not in documented:
            documented[_key(entry)] = entry
            parts.append(_directive(f"{module}.{name}", entry))
    if not parts:
        return ""
    named = ", ".join(f"``{name}``" for name in dict.fromkeys(constants))
    more = f"Constants: {named}.\n\n" if constants else ""
    return f"{_title(room)}.. automodule:: {room}\n\n{more}{''.join(parts)}"


def _imported() -> Iterator[tuple[str, str]]:
    """The names that the repository's pages import from the package; models have pages of their own."""
    for path in pages():
        for statement in _IMPORT.finditer((ROOT / path).read_text()):
            if statement["module"].startswith("workbench.protocols"):
                continue
            for name in (statement["many"] or statement["some"]).split(","):
                if words := name.split():  # for `name as other`, the first word
                    yield statement["module"], words[0]


def _key(entry: Any) -> tuple[str, str]:
    return entry.__module__, entry.__qualname__


def _directive(name: str, entry: Any) -> str:
    if inspect.isclass(entry):
        return f".. autoclass:: {name}\n   :members:\n\n"
    return f".. autofunction:: {name}\n\n"


def _title(text: str) -> str:
    return f"{text}\n{'=' * len(text)}\n\n"
