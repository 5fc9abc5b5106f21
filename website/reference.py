"""The reference of the package's public names, from their docstrings.

There is a page for each room that the guides import from: the names in its ``__all__``, and those in its modules that
the guides use.
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
    told: dict[tuple[str, str], Any] = {}
    taught = sorted(set(_imported()))
    rooms = []
    for room in dict.fromkeys(["workbench", *(_room(module) for module, _ in taught)]):
        names = [(room, name) for name in getattr(importlib.import_module(room), "__all__", ())]
        names += [(module, name) for module, name in taught if _room(module) == room]
        if page := _page(room, names, told):
            write(folder / FOLDER / f"{room}.rst", page)
            rooms.append(room)
    listed = "".join(f"   {room}\n" for room in rooms)
    about = "What ``import workbench`` gives, and what the guides import from its rooms, from the docstrings."
    write(folder / FOLDER / "index.rst", f"{_title('Reference')}{about}\n\n.. toctree::\n   :maxdepth: 1\n\n{listed}")
    return {path for given in told.values() for path in _sources(given)}


def source(module: str, name: str) -> str | None:
    """The file that defines the object of a name, relative to the repository; None if there is none."""
    given: Any = importlib.import_module(module)
    for part in name.split("."):
        given = inspect.getattr_static(given, part, None) if inspect.isclass(given) else getattr(given, part, None)
    given = getattr(given, "fget", None) or getattr(given, "__func__", None) or given
    try:
        path = Path(inspect.getsourcefile(inspect.unwrap(given)) or "")
    except TypeError:
        return None
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else None


def _sources(given: Any) -> Iterator[str]:
    """The files that the links beside an object, and the members of a class, lead to."""
    names = [given.__qualname__, *(f"{given.__qualname__}.{name}" for name in vars(given) if inspect.isclass(given))]
    yield from filter(None, (source(given.__module__, name) for name in names))


def _room(module: str) -> str:
    """The package that a module is in, or is: ``workbench.audits`` for ``workbench.audits.findings``."""
    return ".".join((importlib.import_module(module).__package__ or "").split(".")[:3])


def _page(room: str, names: list[tuple[str, str]], told: dict[tuple[str, str], Any]) -> str:
    """The page of a room: its own words, then its names, but for those that are told already; empty if all are."""
    constants, parts = [], []
    for module, name in names:
        given = getattr(importlib.import_module(module), name)
        if not callable(given) or not hasattr(given, "__module__"):
            constants.append(name)
        elif _key(given) not in told:
            told[_key(given)] = given
            parts.append(_directive(f"{module}.{name}", given))
    if not parts:
        return ""
    named = ", ".join(f"``{name}``" for name in dict.fromkeys(constants))
    more = f"Constants: {named}.\n\n" if constants else ""
    return f"{_title(room)}.. automodule:: {room}\n\n{more}{''.join(parts)}"


def _imported() -> Iterator[tuple[str, str]]:
    """The names that the repository's pages import from the package; models have pages of their own."""
    for path in pages():
        for found in _IMPORT.finditer((ROOT / path).read_text()):
            if found["module"].startswith("workbench.protocols"):
                continue
            for name in (found["many"] or found["some"]).split(","):
                if words := name.split():  # `name as other` is that of the first word
                    yield found["module"], words[0]


def _key(given: Any) -> tuple[str, str]:
    return given.__module__, given.__qualname__


def _directive(name: str, given: Any) -> str:
    if inspect.isclass(given):
        return f".. autoclass:: {name}\n   :members:\n\n"
    return f".. autofunction:: {name}\n\n"


def _title(text: str) -> str:
    return f"{text}\n{'=' * len(text)}\n\n"
