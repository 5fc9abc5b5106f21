"""Checks the links of built pages: Sphinx ignores those in raw HTML."""

from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from website.keeping import in_processes

_FOUND = ("links", "loaded", "anchors")


class _Page(HTMLParser):
    """The links of a page, and its anchors."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors |= {name for name in (given.get("id"), given.get("name") if tag == "a" else None) if name}
        found = [link for link in (given.get("href"), given.get("src")) if link is not None]
        self.links += found
        self.loaded += found if tag in ("link", "script", "img", "iframe") else []


def _parsed(site: Path, _: Path, name: str) -> dict[str, list[str]]:
    return {key: sorted(set(found)) for key, found in vars(_Page((site / name).read_text())).items() if key in _FOUND}


def broken(folder: Path, kept: Path) -> Iterator[str]:
    """The errors in links below `folder`: missing targets, and resources loaded from other sites.

    Args:
        kept: Has what was in the pages of earlier builds.
    """
    folder = folder.resolve()
    paths = {path.relative_to(folder).as_posix(): [path] for path in sorted(folder.rglob("*.html"))}
    parsed = in_processes("links", partial(_parsed, folder), kept, paths, kept)
    pages: dict[Path, dict[str, Any]] = {folder / name: page for name, page in zip(paths, parsed, strict=True)}
    for path, page in pages.items():
        for link in page["links"]:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page["loaded"] and parts.scheme != "data":
                    yield f"{path.relative_to(folder)} loads {link!r} from elsewhere"
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.is_file():
                yield f"{path.relative_to(folder)} links to {link!r}, which is not there"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target]["anchors"]:
                yield f"{path.relative_to(folder)} links to {link!r}, a place that is not there"
