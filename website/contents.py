"""The navigation of the site."""

import re
from collections.abc import Iterable
from pathlib import Path

from website import gallery, lessons, playground, reference
from website.keeping import ROOT
from website.staging import FRONT, docname

#: The entries under each caption, and the pages below each entry; `docname` gives the names of pages.
NAVIGATION: dict[str, dict[str, tuple[str, ...]]] = {
    "": {
        "docs/start": (playground.PAGE,),
        "docs/panel": (),
        lessons.PAGE.removesuffix(".md"): ("specs/classics/README",),
        f"{gallery.FOLDER}/index": ("docs/incidents",),
    },
    "Protocols": {f"specs/{protocol}/README": () for protocol in ("bakery", "delta", "hudi", "iceberg", "paimon")},
    "Guides": {
        "docs/modelling": (
            *("docs/language", "docs/tla", "docs/fizzbee", "docs/coming_from"),
            *("docs/properties", "specs/table/README", "docs/pictures"),
        ),
        "docs/sweeps": ("docs/speed",),
        "docs/audit": ("docs/recordings", "docs/formats"),
    },
    "Reference": {
        "docs/commands": ("docs/operating",),
        f"{reference.FOLDER}/index": (),
        "CONTRIBUTING": ("ARCHITECTURE", "docs/inside", "SECURITY", "CHANGELOG"),
    },
}


def stage(folder: Path) -> None:
    """Add the tables of contents to the pages staged in `folder`: hidden there, and at the side of every page."""
    for page, text in toctrees().items():
        path = folder / f"{page}.md"
        path.write_text(path.read_text() + text)


def toctrees() -> dict[str, str]:
    """For each page with pages below it, its table of contents; the front page's has the captions."""
    below = {page: _toctree("", pages) for entries in NAVIGATION.values() for page, pages in entries.items() if pages}
    return {docname(FRONT): "".join(_toctree(caption, entries) for caption, entries in NAVIGATION.items()), **below}


def _toctree(caption: str, names: Iterable[str]) -> str:
    head = f":caption: {caption}\n" if caption else ""
    return f"\n```{{toctree}}\n:hidden:\n{head}\n{''.join(map(_line, names))}```\n"


def _line(name: str) -> str:
    """A page in a table of contents, by the first part of its heading: `The table: what all promise` is `The table`."""
    page = ROOT / f"{name}.md"
    heading = re.match("# ([^:\n]+):", page.read_text()) if page.is_file() else None
    return f"{heading[1]} </{name}>\n" if heading else f"/{name}\n"
