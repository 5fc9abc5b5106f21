"""The page about the notebooks: what each teaches, how long it takes, and what it needs."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from website.keeping import ROOT, write
from workbench.kernel import InputError
from workbench.registry import addresses

PAGE = "lessons.md"
_KEYS = {"about": str, "after": list, "minutes": int, "needs": list}


@dataclass(frozen=True)
class Lesson:
    """A notebook as a lesson, from its metadata.

    Attributes:
        title: Its first heading.
        after: The notebooks to read before it.
        needs: The programs that it starts.
    """

    path: Path
    title: str
    about: str
    after: list[str]
    minutes: int
    needs: list[str]


def read(path: Path) -> Lesson:
    """The lesson in a notebook.

    Raises:
        InputError: For metadata that lacks something, has something else, or names a notebook that is not there.
    """
    notebook = json.loads(path.read_text())
    words = "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    title = re.search(r"^# (.+)$", words, re.MULTILINE)
    if title is None:
        raise InputError(f"{path.name} has no heading")
    facts = notebook["metadata"].get("lesson", {})
    if {key: type(value) for key, value in facts.items()} != _KEYS:
        raise InputError(f"{path.name}: metadata.lesson = {facts} is not accepted; it takes {', '.join(_KEYS)}")
    for before in facts["after"]:
        if not path.with_name(f"{before}.ipynb").is_file():
            raise InputError(f"{path.name}: metadata.lesson.after names {before!r}, which is no notebook")
    return Lesson(path, title[1], **facts)


def stage(folder: Path) -> None:
    """Write the page below `folder`."""
    write(folder / PAGE, page([read(path) for path in sorted((ROOT / "notebooks").glob("*.ipynb"))]))


def page(lessons: list[Lesson]) -> str:
    """The page of all lessons."""
    listed = "".join(f"notebooks/{lesson.path.stem}\n" for lesson in lessons)
    return f"""# Lessons

The notebooks, with what comes out when they are run. `make lab` opens them, and sets up Java and Graphviz.
{_in_binder()}

| lesson | takes | needs |
|:--|:--|:--|
{"".join(map(_row, lessons))}
```{{toctree}}
:hidden:

{listed}```
"""


def _in_binder() -> str:
    """A sentence with a link that opens them on mybinder.org, from wherever the repository is published."""
    if not addresses.REPOSITORY:
        return ""
    repository = quote(addresses.REPOSITORY.rstrip("/"), safe="")
    address = f"https://mybinder.org/v2/git/{repository}/HEAD?urlpath=lab/tree/notebooks"
    return f"[Binder]({address}) opens them with nothing to install.\n"


def _row(lesson: Lesson) -> str:
    after = " and ".join(f"[{name[:2]}](/notebooks/{name}.ipynb)" for name in lesson.after)
    about = f"{lesson.about}{f' After {after}.' if after else ''}"
    link = f"[{lesson.path.stem[:2]} {lesson.title}](/notebooks/{lesson.path.name})"
    return f"| {link}. {about} | {lesson.minutes}&nbsp;min | {', '.join(lesson.needs)} |\n"
