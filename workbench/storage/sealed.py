"""JSON files with a checksum of their content: they are read exactly as written, or not at all."""

import hashlib
import json
from pathlib import Path
from typing import Any

from workbench.kernel import InputError
from workbench.storage.atomic_files import writing
from workbench.storage.strict_json import read_json


def write_sealed(path: str | Path, content: Any) -> None:
    """Write `content` as JSON, whole or not at all.

    Raises:
        InputError: If the file cannot be written.
    """
    with writing(path) as out:
        out.write(sealed(content))


def sealed(content: Any) -> str:
    """The text that :func:`write_sealed` writes."""
    text = _text(content)
    return f'{{"checksum": "{_checksum(text)}",\n"content": {text}}}\n'


def read_sealed(path: str | Path, kind: str) -> Any:
    """The content of a file of :func:`write_sealed`; errors call the file `kind`.

    Raises:
        FileNotFoundError: If there is no such file.
        InputError: If it cannot be read, or is damaged.
    """
    where = f"{kind} {str(path)!r}"
    try:
        text = Path(path).read_bytes()
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(f"{where} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return unsealed(text, where)


def unsealed(text: bytes, where: str) -> Any:
    """Undo :func:`sealed`; errors call the text `where`.

    Raises:
        InputError: If it is damaged.
    """
    document = read_json(text, where)
    if not isinstance(document, dict) or set(document) != {"checksum", "content"}:
        raise InputError(f"{where} is not accepted: it has no checksum, so it is not of this workbench")
    if document["checksum"] != _checksum(_text(document["content"])):
        raise InputError(f"{where} is damaged: it does not say what was written")
    return document["content"]


def _text(content: Any) -> str:
    return json.dumps(content, allow_nan=False, indent=1)


def _checksum(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
