"""Acknowledged commits, from the file that ``--acks`` names."""

import os
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief, listed
from workbench.storage.strict_json import read_json

#: The largest file of acknowledgements.
MOST_BYTES = 256 * 2**20


def read_acks(
    path: str | os.PathLike[str], needs: Mapping[str, type], may_have: Mapping[str, type]
) -> list[dict[str, Any]]:
    """The acknowledgements in a file, one JSON object per line.

    Args:
        needs, may_have: The required and the optional fields, with their types; any other field is refused.

    Raises:
        InputError: If the file is unreadable or too large, or a line is anything else.
    """
    try:
        if Path(path).stat().st_size > MOST_BYTES:
            raise InputError(f"{brief(os.fspath(path))} is not accepted: it has more than {MOST_BYTES:,} bytes")
        lines = Path(path).read_bytes().removeprefix(BOM_UTF8).splitlines()
    except OSError as error:
        raise InputError(f"{brief(os.fspath(path))} cannot be read: {error.strerror}") from None
    acks = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"line {number} of {brief(os.fspath(path))}"
        document = read_json(line, where)
        if not isinstance(document, dict):
            raise InputError(f"{where} is not accepted: it takes an object, such as {_example(needs)}")
        fields = {**needs, **may_have}
        for key, value in document.items():
            if key not in fields:
                raise InputError(f"{where} is not accepted: it has {brief(key)}; known: {listed(fields)}")
            if not isinstance(value, fields[key]) or isinstance(value, bool):
                raise InputError(f"{where} is not accepted: {key} is {brief(value)}")
        missing = [key for key in needs if key not in document]
        if missing:
            raise InputError(f"{where} is not accepted: it has no {missing[0]}")
        acks.append(document)
    return acks


def _example(needs: Iterable[str]) -> str:
    return "{" + ", ".join(f'"{key}": ...' for key in needs) + "}"
