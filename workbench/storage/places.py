"""Places of files and folders: a path on this machine, or a URL on another file system."""

import os
import re
from pathlib import Path
from typing import TypeGuard
from urllib.parse import unquote, urlsplit

#: A path, or a URL as text.
Place = str | os.PathLike[str]
#: The schemes of URLs of files on this machine, as pyarrow and fsspec read them.
_LOCAL = ("file", "local")


def is_url(place: Place) -> TypeGuard[str]:
    """Whether a place is a URL, such as ``s3://bucket/folder``."""
    return isinstance(place, str) and "://" in place


def local(place: Place) -> Path | None:
    """The path of a place on this machine, which may be spelled as a URL; None for a remote place.

    Examples:
        >>> local("file:///lake/my%20table"), local("lake/t"), local("s3://lake/t")
        (PosixPath('/lake/my table'), PosixPath('lake/t'), None)
    """
    if not is_url(place):
        return Path(place)
    url = urlsplit(place)
    return Path(unquote(url.path)) if url.scheme in _LOCAL else None


def as_place(place: Place) -> str | Path:
    """A path as :class:`Path`, or a URL as text."""
    return place if is_url(place) else Path(place)


def absolute(place: Place) -> str | Path:
    """A place that processes in other folders can use."""
    parsed = as_place(place)
    return parsed.absolute() if isinstance(parsed, Path) else parsed


def without_credentials(url: str) -> str:
    """The URL without its credentials.

    Examples:
        >>> without_credentials("s3://key:secret@bucket/folder")
        's3://bucket/folder'
    """
    return re.sub(r"(?<=://)[^/@]*@", "", url)


def options_apart(url: str) -> tuple[str, str]:
    """A URL and the options after its question mark; a path has none.

    Examples:
        >>> options_apart("s3://bucket/folder?scheme=http")
        ('s3://bucket/folder', 'scheme=http')
    """
    plain, _, options = url.partition("?" if is_url(url) else "\0")
    return plain, options


def one_line(error: BaseException) -> str:
    """A library's error message, in one line of bounded length."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(str(text).split())[:300]
