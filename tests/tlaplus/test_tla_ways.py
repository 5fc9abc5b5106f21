"""Small behaviours as TLC has them: those in the files of ``behaviours``, whose heads say what they are about."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tlaplus.exploring import answer


def behaviours() -> Iterator[object]:
    for file in sorted((Path(__file__).parent / "behaviours").iterdir()):
        head, *blocks = file.read_text().rstrip().split("\n\n")
        for block in blocks:
            text, printed = block.split("\n--> ")
            lines, _, instantiated = text.partition("\n---- MODULE N ----\n")
            name = text.partition("\n")[0].removeprefix("\\* ")
            yield pytest.param(f"{head}\n{lines}", instantiated, printed, id=f"{file.stem}: {name}")


@pytest.mark.parametrize(("lines", "instantiated", "printed"), list(behaviours()))
def test_the_states_are_those_of_tlc(lines: str, instantiated: str, printed: str) -> None:
    assert answer(lines, instantiated) == printed
