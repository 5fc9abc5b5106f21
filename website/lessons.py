"""The page that says of each notebook what one learns, how long it takes, and what it needs."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from website.staging import ROOT, write
from workbench.kernel import InputError
from workbench.kernel.values import counted

PAGE = "lessons.md"
_KEYS = {"minutes": int, "needs": list, "after": list, "about": str}


@dataclass(frozen=True)
class Lesson:
    """A notebook, and what its metadata says of it as a lesson.

    Attributes
    ----------
    path : Path
    title : str
        Its first heading.
    facts : dict
        ``minutes``, ``needs``, ``after`` and ``about``; empty where the notebook has no such metadata.
    """

    path: Path
    title: str
    facts: dict[str, Any]


def read(path: Path) -> Lesson:
    """The lesson in a notebook.

    Raises
    ------
    InputError
        For metadata that lacks something, has something else, or names a notebook that is not there.
    """
    notebook = json.loads(path.read_text())
    words = "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    title = re.search(r"^# (.+)$", words, re.MULTILINE)
    if title is None:
        raise InputError(f"{path.name} has no heading")
    facts = notebook["metadata"].get("lesson", {})
    if facts and {key: type(value) for key, value in facts.items()} != _KEYS:
        raise InputError(f"{path.name}: metadata.lesson = {facts} is not accepted; it takes {', '.join(_KEYS)}")
    for before in facts.get("after", ()):
        if not path.with_name(f"{before}.ipynb").is_file():
            raise InputError(f"{path.name}: metadata.lesson.after names {before!r}, which is no notebook")
    return Lesson(path, title[1], facts)


def stage(folder: Path) -> None:
    """Write the page below `folder`."""
    write(folder / PAGE, page([read(path) for path in sorted((ROOT / "notebooks").glob("*.ipynb"))]))


def page(lessons: list[Lesson]) -> str:
    """The page of all lessons; either all notebooks say how long they take, or none does."""
    without = [lesson.path.name for lesson in lessons if not lesson.facts]
    if without and len(without) < len(lessons):
        raise InputError(f"{', '.join(without)}: metadata.lesson is missing, which the other notebooks have")
    listed = "".join(f"notebooks/{lesson.path.stem}\n" for lesson in lessons)
    tree = f"```{{toctree}}\n:hidden:\n\n{listed}```\n"
    about = "The notebooks, with what comes out when they are run. `make lab` opens them."
    return f"# Lessons\n\n{about}\n\n{_table(lessons)}\n{tree}"


def _table(lessons: list[Lesson]) -> str:
    links = {lesson.path.stem: f"[{lesson.title}](/notebooks/{lesson.path.name})" for lesson in lessons}
    if not lessons[0].facts:
        return "".join(f"- {link}\n" for link in links.values())
    rows = ["| lesson | takes | needs | after |", "|---|---|---|---|"]
    for lesson in lessons:
        after = ", ".join(f"[{name[:2]}](/notebooks/{name}.ipynb)" for name in lesson.facts["after"])
        needs = ", ".join(lesson.facts["needs"])
        minutes = counted(lesson.facts["minutes"], "minute")
        rows.append(f"| {links[lesson.path.stem]}: {lesson.facts['about']} | {minutes} | {needs} | {after} |")
    return "\n".join(rows) + "\n"
