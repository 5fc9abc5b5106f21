r"""``x \in S`` part by part has the answer of the whole, errors included; test_tla_machine has TLC's of some."""

import itertools
from typing import Any

import pytest

from tests.tlaplus.test_tla_views import NAMES, NIL, ONE, TWO, A, B, answer, row_of, spread, values_of
from workbench.kernel.meaning.state import Reads
from workbench.tlaplus.compiler.memo import Remembered
from workbench.tlaplus.layout.layout import VariableValues
from workbench.tlaplus.steps.type_invariants import Question, _within
from workbench.tlaplus.values.lazy import isin
from workbench.tlaplus.values.operators import enumerated
from workbench.tlaplus.values.sets import NAT, Functions, Interval, Records, Sequences, Subsets
from workbench.tlaplus.values.values import EvaluationError, text

NUMBERED = Records({ONE: NAT, TWO: Interval(0, 3)})
SETS: list[Any] = [
    *(Functions(keys, results) for keys in (enumerated([A, B]), Interval(1, 2), enumerated([ONE, TWO]))
      for results in (NAT, Interval(0, 2), NUMBERED, enumerated([A, B, NIL]))),
    *(NUMBERED, Functions(enumerated([A, B]), Functions(enumerated([ONE, TWO]), NAT)), Subsets(NAT), Sequences(NAT)),
    Records({text("to"): enumerated([A, B]), text("n"): NAT}),
    Records({text("n"): NAT, text("ok"): enumerated([True])}),
    Functions(enumerated([A, B]), Records({text("to"): enumerated([A]), text("n"): NAT})), Records({}),
]  # fmt: skip


def by_parts(place: Any, value: Any, members: Any) -> Any:
    """The answer as a conjunction of questions gives it, in order."""
    for path, ask in _within(members, place.shape):
        now = VariableValues(Reads(row_of(place, value)), [place])
        said = answer(lambda asked, now=now: asked.answer(now, None), Question(0, path, ask))
        if said is not True:
            return said
    return True


@pytest.mark.parametrize("name", NAMES)
def test_the_parts_say_what_the_whole_says(name):
    place = spread(name)
    for value, members in itertools.product(values_of(name), SETS):
        assert by_parts(place, value, members) is answer(isin, value, members), (value, str(members))


def test_each_part_reads_its_own_cells():
    place = spread("fixed, of functions")
    row = row_of(place, values_of("fixed, of functions")[0])
    read = []
    for path, ask in _within(Functions(enumerated([A, B]), Functions(enumerated([ONE, TWO]), NAT)), place.shape):
        reads = Reads(row)
        assert Question(0, path, ask).answer(VariableValues(reads, [place]), None)
        read.append([place.indices[cell] for cell in reads][1:])
    assert read == [[], [], [(A, ONE)], [(A, TWO)], [], [(B, ONE)], [(B, TWO)]]


def test_an_argument_that_is_part_of_the_state_is_known_by_what_is_asked_of_it():
    place, asked = spread("fixed"), list[Any]()

    def first(_now: Any, _then: Any, function: Any) -> Any:
        asked.append(function)
        return function.at(A)

    remembered = Remembered(first)
    rows = [[None, 1, 2], [None, 1, 7], [None, 5, 2]]
    found = []
    for row in rows:
        now = VariableValues(Reads(row), [place])
        found.append(remembered(now, None, now[0]))
    assert found == [1, 1, 5]
    assert len(asked) == 2
    other = VariableValues(Reads(rows[0]), [place])[0]
    now = VariableValues(Reads([None, 3, 2]), [place])
    assert remembered(now, None, other) == 1
    with pytest.raises(EvaluationError):
        Remembered(lambda *_: now[0].at(NIL))(now, None, now[0])
