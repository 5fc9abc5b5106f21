"""Checks the links of built pages: Sphinx ignores those in raw HTML."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from lxml import etree, html

from website.keeping import in_processes


def _parsed(site: Path, _: Path, name: str) -> dict[str, list[str]]:
    """The links of a page, those by which it loads something, and its anchors."""
    links, loaded, anchors = set[str](), set[str](), set[str]()
    for element in html.parse(site / name).iter(etree.Element):
        attributes = element.attrib
        anchors |= {attributes["id"]} if "id" in attributes else set()
        anchors |= {attributes["name"]} if element.tag == "a" and "name" in attributes else set()
        targets = {attributes[key] for key in ("href", "src") if key in attributes}
        links |= targets
        loaded |= targets if element.tag in ("link", "script", "img", "iframe") else set()
    return {"links": sorted(links), "loaded": sorted(loaded), "anchors": sorted(anchors)}


def broken(folder: Path, kept: Path) -> Iterator[str]:
    """The errors in links below `folder`: missing targets, and resources loaded from other sites.

    Args:
        kept: The cache with the links in the pages of earlier builds.
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
