"""JSON is read strictly, sealed files say what was written, and documents are what a dataclass declares."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.kernel import InputError
from workbench.storage.schema import from_json
from workbench.storage.sealed import read_sealed, write_sealed
from workbench.storage.strict_json import MOST_NESTED, read_json

DOCUMENTS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.slow
@given(DOCUMENTS)
def test_json_is_read(document: Any) -> None:
    for text in (json.dumps(document), json.dumps(document, ensure_ascii=False)):
        assert read_json(text, "it") == document
        assert read_json(text.encode(), "it") == document


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1, "b": {"c": 1, "c": 1}}', "the key 'c' stands twice"),
        ("[NaN]", "NaN is not a number"),
        ("[-Infinity]", "-Infinity is not a number"),
        ("1e999", "'1e999' is too large"),
        ("9" * 4301, "has 4,301 digits"),
        ("-" + "9" * 10**6, "has 1,000,001 digits"),
        ("[" * (MOST_NESTED + 1) + "]" * (MOST_NESTED + 1), "nested too deeply"),
        ("[" * 10**6, "nested too deeply"),
        ('{"a":' * 10**5, "nested too deeply"),
        ('["\\ud800"]', "not UTF-8"),
        ('{"\\udfff": 1}', "not UTF-8"),
        ("\ud800", "not UTF-8"),
        (b"\xff", "not UTF-8"),
        ("", "line 1 column 1"),
        ("[1,]", "line 1 column"),
        ("{'a': 1}", "line 1 column 2"),
        ("[1] 2", "Extra data"),
        ("\ufeff[]", "not JSON"),
    ],
)
def test_what_is_not_json_is_said_in_a_line(text: str | bytes, why: str) -> None:
    with pytest.raises(InputError) as error:
        read_json(text, "the trace 'x.json'")
    said = str(error.value)
    assert said.startswith("the trace 'x.json' is not ")
    assert why in said
    assert "\n" not in said
    assert len(said) < 200


@given(st.binary(max_size=60) | st.text(max_size=60))
def test_any_bytes_are_read_or_refused_in_a_line(text: bytes | str) -> None:
    try:
        document = read_json(text, "it")
    except InputError as error:
        refusal = str(error)
        assert "\n" not in refusal
    else:
        assert document == json.loads(text)


# Sealed files --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(content=DOCUMENTS)
def test_a_sealed_file_says_what_was_written(tmp_path_factory: pytest.TempPathFactory, content: Any) -> None:
    path = tmp_path_factory.mktemp("sealed") / "record.json"
    write_sealed(path, content)
    assert repr(read_sealed(path, "record")) == repr(content)
    assert json.loads(path.read_text())["content"] == content


RECORD = {"verdicts": {"Safe": ["violated", 7]}, "seconds": 0.5, "final": True, "é": None}


@pytest.mark.slow
@given(data=st.data())
def test_a_damaged_one_says_the_same_or_nothing(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.mktemp("sealed") / "record.json"
    write_sealed(path, RECORD)
    path.write_bytes(damaged(path.read_bytes(), data))
    try:
        assert repr(read_sealed(path, "record")) == repr(RECORD)
    except InputError as error:
        refusal = str(error)
        assert "\n" not in refusal
        assert "record.json" in refusal


def damaged(content: bytes, data: st.DataObject) -> bytes:
    at = data.draw(st.integers(0, len(content) - 1))
    return data.draw(
        st.sampled_from(
            [
                content[:at] + bytes([content[at] ^ 1 << data.draw(st.integers(0, 7))]) + content[at + 1 :],
                content[:at],
                content[at:],
                content + content[at:],
                content[:at] + content[at + 1 :],
                b"",
            ]
        )
    )


@pytest.mark.parametrize(
    "text", ["{}", "[]", "null", '{"content": {}}', '{"checksum": 1, "content": {}}', '{"a": 1, "a": 1}']
)
def test_what_has_no_seal_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "record.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"^record '.*record.json' is "):
        read_sealed(path, "record")


def test_a_missing_one_is_not_an_error_of_the_user(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_sealed(tmp_path / "record.json", "record")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_sealed(tmp_path, "record")


# Schemas -------------------------------------------------------------------------------------------------------------


@dataclass
class Part:
    path: str
    rows: int


@dataclass
class Whole:
    parts: list[Part]
    counts: list[list[int]]
    decided: dict[str, tuple[int, ...]]
    seconds: float
    complete: bool
    stopped: str | None
    rest: Any


WHOLE = Whole([Part("a", 1), Part("b", 2)], [[1, 2], []], {"Safe": (1, 2)}, 1.0, True, None, {"x": [1]})


def test_a_document_is_what_was_written() -> None:
    assert from_json(Whole, json.loads(json.dumps(asdict(WHOLE))), "run") == WHOLE


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"parts": [{"path": "a"}]}, "run.parts[0] lacks 'rows'"),
        ({"parts": [{"path": "a", "rows": 1, "x": 2}]}, "run.parts[0] has 'x', which is not known there"),
        ({"parts": [{"path": "a", "rows": True}]}, "run.parts[0].rows is True; it takes a value of type int"),
        ({"parts": [{"path": "a", "rows": 1.0}]}, "run.parts[0].rows is 1.0; it takes a value of type int"),
        ({"parts": {}}, "run.parts is {}; it takes a list"),
        ({"parts": [7]}, "run.parts[0] is 7; it takes an object"),
        ({"counts": [[1], 2]}, "run.counts[1] is 2; it takes a list"),
        ({"decided": {"Safe": "12"}}, "run.decided.Safe is '12'; it takes a list"),
        ({"decided": []}, "run.decided is []; it takes an object"),
        ({"seconds": "1"}, "run.seconds is '1'; it takes a value of type float"),
        ({"complete": 1}, "run.complete is 1; it takes a value of type bool"),
        ({"stopped": 1}, "run.stopped is 1; it takes a value of type str"),
    ],
)
def test_a_document_that_is_not_says_where(change: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError) as error:
        from_json(Whole, {**json.loads(json.dumps(asdict(WHOLE))), **change}, "run")
    assert str(error.value).startswith(why)
