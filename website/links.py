"""Checks the links of built pages: Sphinx ignores those in raw HTML."""

from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


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


def broken(folder: Path) -> Iterator[str]:
    """The errors in links below `folder`: missing targets, and resources loaded from other sites."""

    @cache
    def anchors(path: Path) -> set[str]:
        return _Page(path.read_text()).anchors

    for path in sorted(folder.rglob("*.html")):
        page = _Page(path.read_text())
        for link in sorted(set(page.links)):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loaded and parts.scheme != "data":
                    yield f"{path.relative_to(folder)} loads {link!r} from elsewhere"
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.is_file():
                yield f"{path.relative_to(folder)} links to {link!r}, which is not there"
            elif parts.fragment and target.suffix == ".html":
                known = page.anchors if target == path else anchors(target)
                if unquote(parts.fragment) not in known:
                    yield f"{path.relative_to(folder)} links to {link!r}, a place that is not there"
