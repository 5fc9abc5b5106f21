"""Single flipped bits in the files that an audit opens, and what it says then.

``python -m tests.audits.flips [COUNT]`` prints for each format, by kind of file, how many of COUNT flips are findings,
remarks, or change nothing, and each answer that :func:`tests.audits.test_flips` would not accept.
"""

import os
import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.audits.damaged_tables import TABLES
from tests.audits.expected import audit
from workbench.audits.source import Source
from workbench.kernel import InputError


class Answer(NamedTuple):
    """What an audit says: its findings, and what it did not check; or why it refused the table."""

    findings: tuple[tuple[str, str, str], ...] = ()
    not_checked: tuple[str, ...] = ()
    refusal: str = ""


class Flip(NamedTuple):
    """A flipped bit: the kind of file, its name, the bit, what the audit says of it, and the files that it opened."""

    kind: str
    name: str
    bit: int
    answer: Answer
    opened: set[str]


def flips(make: Any, folder: Path, count: int, seed: int = 1) -> tuple[Answer, Iterator[Flip]]:
    """The answer on a sound table, and those on the table with one of its bits flipped, `count` times.

    Each kind of file that the audit opens has the same number of flips.
    """
    table, _ = make(folder)
    sound, opened = _answer(table)
    assert not sound.refusal
    return sound, _flips(table, sorted(opened), count, random.Random(seed))


def _flips(table: Path, opened: list[str], count: int, by: random.Random) -> Iterator[Flip]:
    kinds = defaultdict(list)
    for name in opened:
        if (table / name).stat().st_size:
            kinds[_kind(name)].append(name)
    for i in range(count):
        kind = sorted(kinds)[i % len(kinds)]
        name = by.choice(kinds[kind])
        path = table / name
        whole, times = path.read_bytes(), path.stat()
        flipped, bit = bytearray(whole), by.randrange(8 * len(whole))
        flipped[bit // 8] ^= 1 << bit % 8
        for content in (bytes(flipped), whole):
            path.write_bytes(content)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
            if content is not whole:
                yield Flip(kind, name, bit, *_answer(table))


def _answer(table: Path) -> tuple[Answer, set[str]]:
    opened = set()
    with pytest.MonkeyPatch.context() as patch:
        open_ = Source.open

        @contextmanager
        def noted(source: Source, name: str) -> Iterator[Any]:
            with open_(source, name) as file:
                opened.add(name)
                yield file

        patch.setattr(Source, "open", noted)
        try:
            found = audit(table)
        except InputError as why:
            return Answer(refusal=str(why)), opened
    return Answer(
        tuple((one.grade, one.property, one.why) for one in found.findings), tuple(map(str, found.not_checked))
    ), opened


def _kind(name: str) -> str:
    """A file's kind: its name without what tells it from others of the kind."""
    base = name.rpartition("/")[2]
    for end in (".metadata.json", ".checkpoint.parquet", ".parquet", ".commit", ".replacecommit", ".clean", ".json"):
        if base.endswith(end):
            return end[1:]
    for begin in ("snap-", "manifest-list-", "manifest-", "index-manifest-", "index-", "snapshot-", "schema-"):
        if base.startswith(begin):
            return begin.rstrip("-")
    return "manifest" if base.endswith(".avro") else base if "." not in base else base.rpartition(".")[2]


def main(count: int) -> None:
    for format, make in TABLES.items():
        with tempfile.TemporaryDirectory() as folder:
            sound, some = flips(make, Path(folder) / "t", count)
            table: dict[str, Counter[str]] = defaultdict(Counter)
            refused = Counter[str]()
            for one in some:
                table[one.kind][outcome(sound, one.answer)] += 1
                if one.answer.refusal:
                    refused[f"{one.kind}: {one.answer.refusal}"] += 1
            print(f"{format}:")
            for kind, counts in sorted(table.items()):
                print(f"  {kind}: {', '.join(f'{what} {n}' for what, n in sorted(counts.items()))}")
            for line, n in refused.most_common(40):
                print(f"    {n} refused: {line[:300]}")


def outcome(sound: Answer, answer: Answer) -> str:
    """The kind of an answer: refused, a finding, a remark, or the same as on the sound table."""
    if answer.refusal:
        return "refused"
    new = set(answer.findings) - set(sound.findings)
    if new:
        return next(
            grade for grade in ("damaged", "proved", "suspect", "outside") if any(grade == one[0] for one in new)
        )
    return "same" if answer == sound else "remark"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
