"""Copies the repository's pages to where Sphinx reads them, with links that work on the site.

A link to a page of the repository becomes one to that page of the site; a link to any other file leads to a page that
shows it. A broken link ends the build.
"""

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from website.flowchart import drawn
from website.keeping import ROOT, write
from workbench.kernel import InputError

#: Patterns of the files that become pages as they are, relative to the repository.
PAGES = ("*.md", "docs/**/*.md", "specs/*/README.md", "website/*/README.md", "notebooks/*.ipynb")
#: The front page.
FRONT = "README.md"
#: Names of pages that differ from those of their files.
_RENAMED = {FRONT: "index.md", "website/playground/README.md": "playground.md"}
_IMAGES = (".svg", ".png")
#: The package's style sheet and script, among the static files.
STYLE, SCRIPT = "drawings.css", "drawings.js"
#: The folder of the pages that show a file.
FILES = "files"

_FENCE = re.compile(r"^(?P<fence>```+|~~~+)(?P<language>\w*)[^\n]*\n(?P<code>.*?)^(?P=fence)[ ]*$", re.DOTALL | re.M)
_LINK = re.compile(r"(\]\()(?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?(\))")


def pages(root: Path = ROOT) -> list[str]:
    """The paths of the files that become pages, relative to the repository."""
    return [path.relative_to(root).as_posix() for pattern in PAGES for path in sorted(root.glob(pattern))]


def docname(path: str) -> str:
    """The page that a file becomes.

    Examples:
        >>> docname("README.md"), docname("docs/audit.md"), docname("notebooks/00_tour.ipynb")
        ('index', 'docs/audit', 'notebooks/00_tour')
    """
    return str(PurePosixPath(_RENAMED.get(path, path)).with_suffix(""))


class Staging:
    """Puts pages into a folder.

    Args:
        folder: The source folder of Sphinx.
        root: The top of the repository.

    Attributes:
        shown: The other files that pages link to.
    """

    def __init__(self, folder: Path, root: Path = ROOT) -> None:
        self.folder, self.root = folder, root
        self.pages = set(pages(root))
        self.shown: set[str] = set()

    def stage(self, shown: Iterable[str] = ()) -> None:
        """Write all pages, and the files that they show and link to.

        Args:
            shown: Further files that are linked to.
        """
        self.shown.update(shown)
        for path in sorted(self.pages):
            text = (self.root / path).read_text()
            staged = self._notebook(text, path) if path.endswith(".ipynb") else self.text(text, path)
            write(self.folder / _RENAMED.get(path, path), staged)
        for path in sorted(self.shown):
            write(self.folder / FILES / f"{path}.md", _file_page(path, (self.root / path).read_text()))

    def text(self, text: str, path: str) -> str:
        """The text of a page, with the links and drawings of the site."""
        parts, end = [], 0
        for fence in _FENCE.finditer(text):
            parts += [self._linked(text[end : fence.start()], path), _code(fence)]
            end = fence.end()
        return "".join([*parts, self._linked(text[end:], path)])

    def _notebook(self, text: str, path: str) -> str:
        """A notebook with the site's links. Of each output only the HTML is kept, if it has any."""
        notebook: dict[str, Any] = json.loads(text)
        for cell in notebook["cells"]:
            if cell["cell_type"] == "markdown":
                cell["source"] = self.text("".join(cell["source"]), path)
            for output in cell.get("outputs", ()):
                if "text/html" in output.get("data", {}):
                    output["data"] = {"text/html": output["data"]["text/html"]}
        return json.dumps(notebook, indent=1)

    def _linked(self, text: str, path: str) -> str:
        return _LINK.sub(lambda link: f"{link[1]}{self._target(link[2], path)}{link[3] or ''}{link[4]}", text)

    def _target(self, link: str, path: str) -> str:
        """The target on the site of a link of the page at `path`."""
        target = os.path.normpath(PurePosixPath(path).parent / link)
        file = self.root / target
        if target.startswith("..") or not file.exists():
            raise InputError(f"{path} links to {link!r}, which is not in the repository")
        if file.suffix in _IMAGES:
            copy = self.folder / target
            write(copy, file.read_bytes())
            return f"/{target}"
        if file.is_dir():
            target = f"{target}/README.md"
        if target in self.pages:
            return f"/{_RENAMED.get(target, target)}"
        if not (self.root / target).is_file():
            raise InputError(f"{path} links to the folder {link!r}, which has no page")
        self.shown.add(target)
        return f"/{FILES}/{target}.md"


def _code(fence: re.Match[str]) -> str:
    """A block of code as it is; a diagram as a drawing."""
    return fence.group() if fence["language"] != "mermaid" else f"```{{raw}} html\n{drawn(fence['code'])}\n```"


def _file_page(path: str, text: str) -> str:
    fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", text)), default=0))
    language = {".py": "python", ".toml": "toml", ".sh": "bash"}.get(PurePosixPath(path).suffix, "text")
    facts = "orphan: true\nhide-toc: true\nnosearch: true"
    return f"---\n{facts}\n---\n\n# {path}\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n"
