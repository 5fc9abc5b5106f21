"""The navigation of the site, in order."""

import re
from collections.abc import Iterable

from website import gallery, lessons, reference
from website.staging import FRONT, ROOT, docname, guides, pages


def toctrees() -> str:
    """The table of contents, which no page shows and every page has at its side."""
    guide_pages = list(map(docname, guides()))
    protocols = [docname(path) for path in pages() if path.startswith("specs/")]
    about = [docname(path) for path in pages() if "/" not in path and path != FRONT]
    play = [f"{gallery.FOLDER}/index", lessons.PAGE.removesuffix(".md"), f"{reference.FOLDER}/index"]
    return "\n" + "\n".join(
        [
            _toctree("", play),
            _toctree("Protocols", protocols),
            _toctree("Guides", guide_pages),
            _toctree("About", about),
        ]
    )


def _toctree(caption: str, names: Iterable[str]) -> str:
    head = f":caption: {caption}\n" if caption else ""
    return f"```{{toctree}}\n:hidden:\n{head}\n{''.join(map(_line, names))}```\n"


def _line(name: str) -> str:
    """A page in a table of contents, by the first part of its heading: `The table: what all promise` is `The table`."""
    page = ROOT / f"{name}.md"
    heading = re.match("# ([^:\n]+):", page.read_text()) if page.is_file() else None
    return f"{heading[1]} </{name}>\n" if heading else f"/{name}\n"
