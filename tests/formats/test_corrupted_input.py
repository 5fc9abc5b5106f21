"""Files from elsewhere, damaged in all ways: each is read as exactly what it says, or refused in one short line."""

import copy
import functools
import json
import tomllib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.places import ROOT
from workbench.checking.following.validate import validate
from workbench.formats.itf import constants_from_itf, parse_itf, read_itf, to_itf
from workbench.formats.permalink import open_permalink, parse_permalink, permalink
from workbench.formats.tlc_cfg import apply_cfg, read_cfg
from workbench.kernel import InputError, Map, machine_of, search
from workbench.protocols.bakery.catalog import Snapshot
from workbench.protocols.bakery.model import Bakery, Claim
from workbench.registry import configurations, get_model

SPECS = sorted((ROOT / "specs").rglob("*.toml"))


@functools.cache
def trace_of(name):
    trace = search(Bakery(Writers=2), [name])[name].trace
    assert trace is not None
    return trace


def lasso():
    return trace_of("EventualProgress")


def itf():
    return json.dumps(to_itf(lasso())).encode()


CFG = rb"""\* The race (* of two *) writers.
CONSTANTS
  w1 = w1  w2 = w2
  Writers = {w1, w2}  MaxCrashes = 1
  NodeParts = {{w1, w2}}
  AsyncParquet = TRUE
  StepGranularity = "split"
SPECIFICATION Spec (* with fairness *)
SYMMETRY WriterSymmetry
INVARIANTS NoLakekeeperConflict RollbackNoIceberg
CHECK_DEADLOCK FALSE
"""

#: What takes the place of a part of a document, or is put into a text.
NOISE = st.one_of(
    st.binary(min_size=1, max_size=6),
    st.sampled_from(
        [b"\x00", b"\x1b[2J", b"\xff", b"\xed\xa0\x80", "\u0663".encode(), b"\r", b"\n", b'"', b"'", b"\\", b"{", b"}"]
        + [b"[", b"]", b"=", b",", b"#", b"(*", b"*)", b"-1", b"1e999", b"NaN", b"inf", b"true", b"null", b"9" * 5000]
        + [b"[" * 3000, b"{" * 3000, b"a." * 3000 + b"a=1\n", b'"""', b"'''", b"\xef\xbb\xbf", b"x" * 5000]
        + [b"1979-05-27T07:32:00Z", b"0x_1", b"1_000", b"\\ud800", b"[[constants]]\n", b"[expect.verdicts]\n"]
    ),
)


@st.composite
def damaged(draw, original):
    """Bytes after a few bits are flipped, or pieces are cut out, doubled, exchanged or put in."""
    text = original
    for _ in range(draw(st.integers(1, 3))):
        one, other = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        how = draw(st.sampled_from(["flip", "truncate", "delete", "double", "swap", "insert", "replace"]))
        if how == "flip" and one < len(text):
            text = text[:one] + bytes([text[one] ^ 1 << draw(st.integers(0, 7))]) + text[one + 1 :]
        elif how == "truncate":
            text = text[:other]
        elif how == "delete":
            text = text[:one] + text[min(other, one + 9) :]
        elif how == "double":
            text = text[:other] + text[one:]
        elif how == "swap":
            middle = (one + other) // 2
            text = text[:one] + text[middle:other] + text[one:middle] + text[other:]
        elif how == "insert":
            text = text[:one] + draw(NOISE) + text[one:]
        else:
            text = text[:one] + draw(NOISE) + text[min(other, one + 9) :]
    return text


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 4),
    st.sampled_from([2**200, -(2**63), 1.0, 1e300, "", " 2 ", "w1", "\x1b[2J", "2.9", "#bigint", "x" * 3000]),
    st.text(max_size=4),
)
KEYS = st.sampled_from(["#bigint", "#set", "#tup", "#map", "#meta", "w1", "tag", "value"])
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=2),
    max_leaves=6,
)


def places(document, path=()):
    """The place of each part of a document."""
    yield path
    if isinstance(document, (dict, list)):
        for key in document if isinstance(document, dict) else range(len(document)):
            yield from places(document[key], (*path, key))


@st.composite
def changed(draw, original):
    """A document of which one part is another value, is left out, or stands where another does."""
    document = copy.deepcopy(original)
    for _ in range(draw(st.integers(1, 2))):
        *way, last = draw(st.sampled_from([place for place in places(document) if place]))
        part = document
        for key in way:
            part = part[key]
        how = draw(st.sampled_from(["change", "change", "delete", "add"]))
        if how == "delete":
            del part[last]
        elif how == "add" and isinstance(part, dict):
            part[draw(st.text(max_size=4) | st.sampled_from(["#meta", "loop", "params"]))] = draw(DOCUMENTS)
        else:
            part[last] = draw(DOCUMENTS)
        if not isinstance(document, dict) or not document:
            break
    return document


def check_line(error, most):
    line = str(error)
    assert len(line) <= most, line
    assert "\n" not in line


def examples(cases):
    return settings(max_examples=cases, suppress_health_check=list(HealthCheck), database=None)


# Configurations ------------------------------------------------------------------------------------------------------


def read_toml(folder, text):
    """The configuration is what the file says, or there is an error."""
    path = folder / "one.toml"
    path.write_bytes(text)
    try:
        one = configurations.configuration(path)
    except InputError as error:
        check_line(error, len(str(path)) + 600)
        return
    table = tomllib.loads(text.decode())
    assert (one.title, one.source) == (table.get("title", "one"), table.get("source", ""))
    assert isinstance(one.model.author, get_model(table["model"]))
    assert (list(one.symmetry), one.properties) == (table.get("symmetry", []), table.get("properties"))
    assert one.expect == table.get("expect", {})
    given = table.get("constants", {})
    assert one.model.constants == type(one.model.author)(**given).constants
    for name, value in given.items():
        if type(value) in (bool, int, str) and not isinstance(one.model.constants[name], tuple):
            assert (one.model.constants[name], type(one.model.constants[name])) == (value, type(value))


def fuzz_toml(folder, cases):
    @examples(cases)
    @given(st.sampled_from(SPECS).flatmap(lambda path: damaged(path.read_bytes())))
    def fuzz(text):
        read_toml(folder, text)

    fuzz()


def fuzz_toml_values(folder, cases):
    tables = {path: tomllib.loads(path.read_text()) for path in SPECS[::7]}

    @examples(cases)
    @given(st.sampled_from(list(tables)).flatmap(lambda path: changed(tables[path])))
    def fuzz(table):
        text = "\n".join(f"{json.dumps(key)} = {as_toml(value)}" for key, value in table.items())
        read_toml(folder, text.encode("utf-8", "surrogatepass"))

    fuzz()


def as_toml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {as_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(as_toml, value)) + "]"
    if isinstance(value, int) and abs(value) > 10**4000:
        return "9" * 5000
    return '"none"' if value is None else json.dumps(value)


# Recordings ----------------------------------------------------------------------------------------------------------


def read_recording(text):
    """The recording has what the file says, and is not taken for a behaviour unless it says the same as the trace."""
    try:
        document = parse_itf(text.decode("utf-8-sig"))
        model = machine_of(Bakery(**constants_from_itf(document)))
        recording = read_itf(model, document)
        report = validate(model, recording)
    except UnicodeDecodeError:
        return
    except InputError as error:
        check_line(error, 600)
        return
    assert document == json.loads(text.decode("utf-8-sig"))
    assert len(recording.states) == len(document["states"])
    assert recording.loop == document.get("loop")
    for observation, state in zip(recording.states, document["states"], strict=True):
        for cell, value in observation.cells.items():
            assert says(state, model.layout.cells[cell], value)
    if report.holds:
        for observation, state in zip(recording.states, report.trace.states, strict=True):
            assert all(state.values[cell] == value for cell, value in observation.cells.items())


def says(state, cell, value):
    expression = state[cell.variable]
    if cell.index is not None:
        pairs = expression["#map"] if "#map" in expression else expression.items()
        ((_, expression),) = [(index, item) for index, item in pairs if plain(index) == cell.index]
    return plain(expression) == value and (type(plain(expression)) is bool) == (type(value) is bool)


def plain(expression):
    """A second, shorter reading of expressions, for those that are accepted."""
    if isinstance(expression, list):
        return tuple(map(plain, expression))
    if not isinstance(expression, dict):
        return expression
    ((kind, body),) = expression.items() if len(expression) == 1 else [("", expression)]
    if kind == "#bigint":
        assert str(int(body)) == body
        return int(body)
    if kind in ("#tup", "#set"):
        return (tuple if kind == "#tup" else frozenset)(map(plain, body))
    if kind == "#map":
        assert len({plain(key) for key, _ in body}) == len(body)
        return Map((plain(key), plain(value)) for key, value in body)
    if expression.get("tag") == "None":
        return None
    (record,) = [record for record in (Claim, Snapshot) if set(record._fields) == set(body)]
    return record(**{name: plain(value) for name, value in body.items()})


def fuzz_itf(cases):
    @examples(cases)
    @given(damaged(itf()))
    def fuzz(text):
        read_recording(text)

    fuzz()


def fuzz_itf_values(cases):
    document = json.loads(itf())

    @examples(cases)
    @given(changed(document))
    def fuzz(other):
        try:
            text = json.dumps(other)
        except ValueError:  # Python does not write integers of thousands of digits
            return
        read_recording(text.encode())

    fuzz()


# TLC configurations and permalinks -----------------------------------------------------------------------------------


def fuzz_cfg(cases):
    model = get_model("bakery_v2")

    @examples(cases)
    @given(damaged(CFG))
    def fuzz(text):
        try:
            applied = apply_cfg(read_cfg(text.decode()), model)
        except UnicodeDecodeError:
            return
        except InputError as error:
            check_line(error, 199)
            return
        for name in applied.constants:
            assert name in text.decode()
        assert all(name in text.decode() for name in applied.properties)

    fuzz()


def fuzz_permalink(cases):
    link = "workbench:bakery_published?Writers=%5B%22a%22%2C%22b%22%5D&MaxCrashes=1#0/0.0,3.0,0.0@1&watch=s.pc"
    links = [link, permalink(trace_of("SomeoneCommits")), permalink(lasso())]

    @examples(cases)
    @given(st.sampled_from(links).flatmap(lambda one: damaged(one.encode())))
    def fuzz(text):
        line = text.decode("utf-8", "surrogateescape")
        try:
            parsed = parse_permalink(line)
            assert parse_permalink(str(parsed)) == parsed
            trace = open_permalink(line, get_model)
        except InputError as error:
            check_line(error, 600)
            return
        again = parse_permalink(permalink(trace))
        assert (again.start, again.moves, again.loop) == (parsed.start, parsed.moves, parsed.loop)

    fuzz()


CASES = {
    "toml": lambda folder, cases: fuzz_toml(folder, cases),
    "toml values": lambda folder, cases: fuzz_toml_values(folder, cases),
    "itf": lambda _, cases: fuzz_itf(cases),
    "itf values": lambda _, cases: fuzz_itf_values(cases),
    "cfg": lambda _, cases: fuzz_cfg(cases),
    "permalink": lambda _, cases: fuzz_permalink(cases),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", CASES)
def test_damaged_files_are_read_exactly_or_refused(tmp_path, kind):
    CASES[kind](tmp_path, 170)


@pytest.mark.parametrize(
    "text",
    [
        "CONSTANT " + "x" * 5000 + " = 1",
        "CONSTANT " + "x" * 5000 + " <- " + "y" * 5000,
        "CONSTANT Writers " + "x" * 5000,
        "CONSTANT Writers = {" + ", ".join(f"w{i}" for i in range(2000)) + "}",
        "CONSTANT MaxCrashes = \u0663",
        "INVARIANT " + "x" * 5000,
        "SYMMETRY " + "x" * 5000 + " SYMMETRY y",
        "CHECK_DEADLOCK " + "x" * 5000,
        "x" * 5000,
        "CONSTANT Writers = " + "{" * 5000 + "}" * 5000,
    ],
)
def test_messages_about_tlc_configurations_are_short(text):
    with pytest.raises(InputError, match=r"^line 1: ") as refused:
        apply_cfg(read_cfg(text), get_model("bakery_v2"))
    check_line(refused.value, 199)
