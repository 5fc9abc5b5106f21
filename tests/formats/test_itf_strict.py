"""Recordings are read as what the file says, or refused with the place in the file."""

import json
import re
from typing import NamedTuple

import pytest

from tests.toys import Alike, Claim, Line, Row
from workbench.checking.following.validate import validate
from workbench.formats.itf import constants_from_itf, decode_itf, parse_itf, read_itf, to_itf
from workbench.formats.itf_expressions import encode_itf
from workbench.kernel import InputError, Map, Model, Names, Variable, action, replay
from workbench.kernel.meaning.constants import Constant
from workbench.kernel.meaning.state import texts_of
from workbench.kernel.meaning.values import Name, is_same
from workbench.tlaplus.machine.specification import module_of_text


class Point(NamedTuple):
    """A record."""

    x: object
    y: object


class Mixed(Model):
    """A variable of each kind."""

    Boxes = Constant(2, Names("b", range(1, 4)), "boxes")
    flag = Variable(False)
    number = Variable(0)
    point = Variable(Point(1, True))
    map = Variable(Map({1: "one"}))
    box = Variable("empty", per="Boxes")

    @action
    def swap(self, s):
        s.flag = not s.flag
        s.number = 1 - s.number


MODEL = Mixed()


def read(name, expression, **more):
    document = {"vars": [name], "states": [{name: expression}], **more}
    return read_itf(MODEL, parse_itf(json.dumps(document)))


NO_DIGITS = ["2.9", "0_2", " 2 ", "2 ", "+2", "02", "-0", "", "-", "1e3", "0x2", "\u0662", "\uff12", "\u00b2"]


@pytest.mark.parametrize("body", [*NO_DIGITS, True, 2, 2.0, None, ["2"], {"#bigint": "2"}])
def test_integers_are_texts_of_decimal_digits(body):
    with pytest.raises(InputError, match=r"^states\[0\]\.number is .*, which is not an ITF expression$"):
        read("number", {"#bigint": body})


@pytest.mark.parametrize(
    ("name", "expression", "place"),
    [
        ("number", 1.0, "states[0].number is 1.0,"),
        ("number", {"#bigint": "1", "#set": []}, "states[0].number is "),
        ("number", {"#bigint": "1", "x": 2}, "states[0].number is "),
        ("number", {"#unserializable": "f"}, "states[0].number is "),
        ("number", {"#set": [1, {"#tup": [1.5]}]}, "states[0].number.#set[1].#tup[0] is 1.5"),
        ("number", {"#set": "ab"}, "states[0].number is "),
        ("number", {"#tup": {"a": 1}}, "states[0].number is "),
        ("map", {"#map": {"a": 1}}, "states[0].map is "),
        ("map", {"#map": ["ab"]}, 'states[0].map.#map[0] is "ab", which is not a pair'),
        ("map", {"#map": [{"a": 1, "b": 2}]}, "states[0].map.#map[0] is "),
        ("map", {"#map": [[1, 2, 3]]}, "states[0].map.#map[0] is "),
        ("map", {"#map": [[1, 2], [2, 1], [1, 2]]}, "states[0].map.#map[2][0] is 1, a key that the map already has"),
        ("map", {"#map": [[1, 2], [True, 2]]}, "states[0].map.#map[1][0] is true, a key that the map already has"),
        ("box", {"#map": [["b1", 1], ["b1", 1]]}, 'states[0].box.#map[1][0] is "b1", a key that the map already has'),
        ("box", {"b1": {"#set": [1.5]}}, "states[0].box.b1.#set[0] is 1.5"),
        ("box", {"b 1": 1.5}, "states[0].box['b 1'] is 1.5"),
        ("box", {"b1": 1, "#bigint": "1"}, "states[0].box is "),
        ("point", {"x": 1, "z": 2}, 'states[0].point is {"x": 1, "z": 2}, a record with fields that none of mixed has'),
        ("point", {}, "states[0].point is {}, a record"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(name, expression, place):
    with pytest.raises(InputError) as refused:
        read(name, expression)
    assert str(refused.value).startswith(place)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"vars": ["number"], "vars": ["flag"], "states": [{"flag": true}]}', "the key 'vars' stands twice"),
        ('{"vars": ["box"], "states": [{"box": {"b1": 1, "b1": 2}}]}', "the key 'b1' stands twice"),
        ('{"vars": ["number"], "states": [{"number": Infinity}]}', "Infinity is not a number that JSON has"),
        ('{"vars": ["number"], "states": [{"number": -Infinity}]}', "-Infinity is not a number"),
        ('{"vars": ["number"], "states": [{"number": NaN}]}', "NaN is not a number that JSON has"),
        ('{"vars": ["number"], "states": [{"number": 1e999}]}', "the number '1e999' is too large"),
        ('{"vars": ["number"], "states": [{"number": 1}], "params": 5}', "'params' of an ITF document takes a list"),
        ('{"vars": ["number"], "states": [{"number": 1}], "params": [5]}', "'params' of an ITF document takes a list"),
        ('{"vars": ["number"], "states": [{"number": 1}], "params": "N"}', "'params' of an ITF document takes a list"),
        ('{"vars": "number", "states": [{"number": 1}]}', "'vars' of an ITF document takes a list"),
        ('{"vars": ["flag", "flag"], "states": [{"flag": true}]}', "'vars' of an ITF document lists 'flag' twice"),
        ('{"vars": ["flag"], "states": {"flag": true}}', "'states' of an ITF document takes a list"),
        (
            '{"vars": ["flag"], "states": [{"flag": true}], "lop": 0}',
            "unknown key of an ITF document 'lop' (did you mean",
        ),
        ('{"vars": ["flag"], "states": [{"flag": true}], "loop": true}', "loop = True is not accepted"),
        ('{"vars": ["flag"], "states": [{"flag": true}], "loop": 0.0}', "loop = 0.0 is not accepted"),
        ('{"vars": ["flag"], "states": [{"flag": true}], "#meta": 5}', "#meta is 5; it takes an object"),
        ('{"vars": ["flag"], "states": [{"flag": true}], "#meta": {"constants": []}}', "#meta.constants is []"),
        ('{"vars": ["flag"], "states": [{"flag": true, "#meta": 5}]}', "states[0].#meta is 5; it takes an object"),
        ('{"vars": ["flag"], "states": [{"flag": true, "#meta": {"action": 5}}]}', "states[0].#meta.action is 5"),
    ],
)
def test_documents_that_say_two_things_or_none(text, message):
    with pytest.raises(InputError, match=re.escape(message)):
        read_itf(Mixed(**constants_from_itf(document := parse_itf(text))), document)


@pytest.mark.parametrize(
    ("name", "expression", "valid"),
    [
        ("flag", False, True),
        ("flag", {"#bigint": "0"}, False),
        ("flag", 0, False),
        ("number", 0, True),
        ("number", {"#bigint": "0"}, True),
        ("number", False, False),
        ("point", {"y": True, "x": 1}, True),
        ("point", {"#tup": [1, True]}, False),
        ("point", {"x": 1, "y": 1}, False),
        ("map", {"#map": [[1, "one"]]}, True),
        ("map", {"#map": [[True, "one"]]}, False),
    ],
)
def test_true_is_not_one_and_a_record_not_a_tuple(name, expression, valid):
    report = validate(MODEL, read(name, expression))
    assert report.holds is valid
    if not valid:
        ((cell, *_),) = report.nearest.differences
        assert cell.variable == name


def test_deep_expressions_are_refused():
    expression = 1
    for _ in range(150):
        expression = {"#tup": [expression]}
    with pytest.raises(InputError, match="nested more than 100 deep"):
        decode_itf(expression, MODEL)
    with pytest.raises(InputError, match=r"^states\[0\]\.number is nested more than 100 deep$"):
        read("number", expression)


class Tagged(NamedTuple):
    tag: str
    value: int


def test_records_of_the_same_fields_need_their_names():
    """A record is of its class: another with equal fields is another value."""

    class Both(Alike):
        kinds = (Row, Line, Claim, Tagged)

    assert is_same(decode_itf({"tag": "Line", "value": {"by": "w1", "number": 1}}, Both()), Line(1, "w1"))
    assert is_same(decode_itf(encode_itf(Tagged("None", 1)), Both()), Tagged("None", 1))
    with pytest.raises(InputError, match=r"both has (Row, Line|Line, Row) with these fields; write .*tag"):
        decode_itf(encode_itf(Row(1, "w1")), Both())


HOLDS = module_of_text(
    """---- MODULE Holds ----
CONSTANTS P, None
VARIABLES f, g
Init == f = [p \\in P |-> [n |-> 0, w |-> "a"]] /\\ g = <<None, "None">>
Next == \\E p \\in P : f' = [f EXCEPT ![p].n = 1] /\\ g' = <<p, "p">>
====""",
    "INIT Init\nNEXT Next\nCONSTANTS P = {a}\nNone = None\nCHECK_DEADLOCK FALSE",
)()


def test_a_modules_values_come_back():
    trace = replay(HOLDS, 0, [(0, 0)])
    recording = read_itf(HOLDS, parse_itf(json.dumps(to_itf(trace))))
    for observation, state in zip(recording.states, trace.states, strict=True):
        assert [*observation.cells.values()] == [value for _, value in state.items()]
        assert [*map(HOLDS.layout.notation.show, observation.cells.values())] == [*texts_of(state).values()]
    name, quoted = recording.states[1].cells[1]
    assert (type(name), type(quoted)) == (Name, str)


def test_other_tools_write_a_modules_values_without_quotes():
    states = [
        {"f": {"#map": [["a", {"n": 0, "w": "a string"}]]}, "g": {"#map": [[1, "None"], [2, "x"]]}},
    ]
    (observation,) = read_itf(HOLDS, parse_itf(json.dumps({"vars": ["f", "g"], "states": states}))).states
    shown = [*map(HOLDS.layout.notation.show, observation.cells.values())]
    assert shown == ['(a :> [n |-> 0, w |-> "a string"])', '<<None, "x">>']
