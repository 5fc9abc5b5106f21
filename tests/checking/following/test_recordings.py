"""Event logs and mappings: read strictly, and judged on the command line."""

import json
import re
from pathlib import Path

import pytest

from tests.places import ROOT
from workbench.checking.following import events
from workbench.checking.following.events import Event, parse_events, read_events
from workbench.checking.following.mapping import Mapping, get_mapping
from workbench.commands import cli
from workbench.kernel import InputError
from workbench.registry import protocols

PAGE = ROOT / "docs" / "recordings.md"

LINES = [
    {"clerk": "ann", "what": "ticket", "number": 1},
    {"clerk": "bob", "what": "ticket", "number": 2},
    {"clerk": "ann", "what": "sold"},
    {"clerk": "bob", "what": "sold"},
]


@pytest.fixture
def shop(tmp_path, monkeypatch, capsys):
    """The mapping of the documentation in a file; runs ``workbench validate`` on a log of it."""
    monkeypatch.chdir(tmp_path)
    mapping = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL).group(1)
    Path("shop.py").write_text(mapping)

    def replay(lines, *more, model="bakery_v2", mapping="shop.py:Shop"):
        Path("log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        status = cli.main(["validate", model, "log.jsonl", "--map", mapping, *map(str, more)])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return replay


# Events --------------------------------------------------------------------------------------------------------------


def test_events_have_their_line_numbers(tmp_path):
    text = '\ufeff{"a": 1}\r\n\n  \n{"b": "ü"}'
    (tmp_path / "log").write_bytes(text.encode())
    wanted = [Event(1, {"a": 1}), Event(4, {"b": "ü"})]
    assert parse_events(text) == wanted
    assert read_events(tmp_path / "log") == wanted


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "line 2 is not JSON: "),
        (b"[1]", "line 2 is [1]; it takes a JSON object"),
        (b'{"a": NaN}', "line 2 is not accepted: NaN is not a number that JSON has"),
        (b'{"a": 1, "a": 2}', "line 2 is not accepted: the key 'a' stands twice in one object"),
        (b'"\xff"', "line 2 is not UTF-8 text"),
        (b"[" * 5000 + b"]" * 5000, "line 2 is not accepted: it is nested too deeply"),
        (b'{"a": "' + b"x" * events.MOST_BYTES + b'"}', "line 2 is longer than 1,048,576 bytes"),
    ],
)
def test_what_is_no_event_is_refused_with_its_line(tmp_path, line, message):
    (tmp_path / "log").write_bytes(b"{}\n" + line + b"\n{}\n")
    with pytest.raises(InputError, match="^" + re.escape(f"{tmp_path / 'log'}: {message}")):
        read_events(tmp_path / "log")


def test_there_is_a_bound_on_lines(monkeypatch):
    monkeypatch.setattr(events, "MOST_LINES", 2)
    assert len(parse_events("{}\n{}\n")) == 2
    with pytest.raises(InputError, match="there are more than 2 lines, which is the limit"):
        parse_events("{}\n{}\n{}\n")


def test_a_field_is_what_it_should_be():
    event = Event(7, {"n": True, "row": {"ticket": "1"}})
    assert event.take("row", dict) == {"ticket": "1"}
    with pytest.raises(InputError, match="line 7: n = True is not accepted; it takes an integer"):
        event.take("n", int)
    with pytest.raises(InputError, match="line 7 lacks 'lsn'; it has n, row"):
        event.take("lsn", str)


# Mappings ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for protocol in protocols().values() for name in protocol.logs])
def test_a_mapping_that_comes_with_the_workbench_is_one(name):
    mapping = get_mapping(name)
    assert isinstance(mapping, Mapping)
    assert mapping.name == name


def test_a_mapping_in_a_file_may_be_an_object_or_a_class(tmp_path):
    path = tmp_path / "own.py"
    path.write_text("class One:\n    name = 'one'\n    def read(self, events): ...\n\ntwo = One()\n")
    assert get_mapping(f"{path}:One").name == get_mapping(f"{path}:two").name == "one"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere", "unknown mapping 'nowhere'"),
        ("none.py:One", "mapping file 'none.py' cannot be read; give an existing file as path/to/file.py:NAME"),
        ("own.py:Two", r"unknown mapping in own.py 'Two'; known: One"),
        ("own.py", "unknown mapping in own.py ''; known: One"),
        ("broken.py:One", "mapping file broken.py cannot be imported: ZeroDivisionError"),
    ],
)
def test_what_is_no_mapping_is_refused(tmp_path, monkeypatch, name, message):
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text("class One:\n    name = 'one'\n    def read(self, events): ...\n\nother = 1\n")
    Path("broken.py").write_text("1 / 0")
    with pytest.raises(InputError, match="^" + message):
        get_mapping(name)


# On the command line -------------------------------------------------------------------------------------------------


def test_an_honest_log_is_accepted(shop):
    status, out, _ = shop(LINES, "--trace", "-o", "shop.html")
    assert status == 0
    assert out.startswith("a behaviour of the model: 5 states\n")
    assert "commit(bob)" in out
    assert "<html" in Path("shop.html").read_text()


def test_a_log_that_cannot_be_is_refused_with_the_reason(shop):
    swapped = [LINES[0], LINES[1], LINES[3]]
    status, out, _ = shop(swapped)
    assert status == 1
    assert out.startswith("not a behaviour of the model: no step leads from line 2 to line 3\n")
    assert (
        "nearest: wait_acks(bob) (then prepare(bob), commit(bob)), but\n"
        "    it cannot be taken: bob waits for the ack of n1 for ticket 2\n"
    ) in out


@pytest.mark.slow
def test_other_settings_are_tried_if_one_asks_for_it(shop):
    hasty = [*LINES[:2], LINES[3]]
    status, out, _ = shop(hasty, "--settings")
    assert status == 1
    # ann is dead, or taken for dead, and bob need not wait
    assert out.endswith("\naccepted with MaxCrashes=1 (it is 0)\naccepted with MaxSuspicions=1 (it is 0)\n")
    assert "accepted" not in shop(LINES, "--settings")[1]


def test_a_budget_leaves_the_question_open(shop):
    status, out, _ = shop(LINES, "--max-states", 3)
    assert status == 3
    assert out.startswith("not decided: the budget of 3 states is used up, at line 1")
    assert "other settings" not in out
    assert "other settings" in shop(LINES, "--max-states", 3, "--settings")[1], "one may do with fewer states"


def test_a_recording_may_begin_in_the_middle(shop):
    late = {"vars": ["next_ticket"], "states": [{"next_ticket": 3}]}
    Path("late.itf.json").write_text(json.dumps(late))
    assert cli.main(["validate", "bakery", "late.itf.json"]) == 1
    assert cli.main(["validate", "bakery", "late.itf.json", "--begin", "reachable"]) == 0


@pytest.mark.parametrize(
    ("line", "more", "message"),
    [
        (
            {"clerk": "ann", "what": "left"},
            [],
            "log.jsonl: line 5: what = 'left' is not accepted; it takes ticket or sold",
        ),
        ({"what": "sold"}, [], "log.jsonl: line 5 lacks 'clerk'; it has what"),
        ([], [], "log.jsonl: line 5 is []; it takes a JSON object"),
        (LINES[0], ["--set", "MaxCrashes=9"], "MaxCrashes = 9 is not accepted"),
        (LINES[0], ["--begin", "late"], "argument --begin: invalid choice: 'late'"),
    ],
)
def test_bad_input_is_one_line_and_status_2(shop, line, more, message):
    status, out, err = shop([*LINES, line], *more)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_a_mapping_is_of_one_model(shop):
    status, _, err = shop(LINES, model="hudi")
    assert (status, err) == (2, "workbench: --map shop.py:Shop reads events of bakery_v2, not of hudi\n")


def test_a_mapping_that_fails_is_one_line(shop):
    Path("bad.py").write_text("class Bad:\n    name = 'bad'\n    def read(self, events):\n        return events[9]\n")
    status, _, err = shop(LINES, mapping="bad.py:Bad")
    assert (status, err.count("\n")) == (2, 1)
    assert "IndexError" in err
