"""`workbench export`: what PostgreSQL's test_decoding prints, as events."""

import json
import re
from pathlib import Path

import pytest

from workbench.checking.following.decoding import merge, read_changes
from workbench.commands import cli
from workbench.kernel import InputError

CLAIM = "table coldfront.claims: INSERT: iceberg_table[text]:'ice.default.events' ticket[bigint]:702"
COMMIT = "0/2F8,741,COMMIT 741 (at 2026-02-01 10:00:00.25+00)"


def changes(*data: str) -> str:
    """A transaction as psql prints it."""
    quoted = [f'0/2A0,741,"{text.replace(chr(34), 2 * chr(34))}"' for text in data]
    return "\n".join(["0/2A0,741,BEGIN 741", *quoted, COMMIT]) + "\n"


def only_row(data: str) -> dict[str, str | None]:
    [event] = read_changes(changes(data), "n1")
    row = event["row"]
    assert isinstance(row, dict)
    return row


def test_a_change_is_an_event_with_the_time_and_place_of_its_commit() -> None:
    assert list(read_changes(changes(CLAIM), "n1")) == [
        {
            "t": "2026-02-01T10:00:00.250000+00:00",
            "node": "n1",
            "lsn": "0/2F8",
            "xid": "741",
            "table": "claims",
            "op": "INSERT",
            "row": {"iceberg_table": "ice.default.events", "ticket": "702"},
        }
    ]


@pytest.mark.parametrize(
    ("columns", "row"),
    [
        ("a[text]:'it''s ''b[text]:''' b[integer]:-5", {"a": "it's 'b[text]:'", "b": "-5"}),
        ('"Mixed ""Case"" [x]:"[text]:null "null"[text]:\'null\'', {'Mixed "Case" [x]:': None, "null": "null"}),
        ("a[text]:'two\nlines, \"quoted\"' b[boolean]:true", {"a": 'two\nlines, "quoted"', "b": "true"}),
        ("a[integer[]]:'{1,2}' b[timestamp with time zone]:'2026-02-01 10:00:00+00'", None),
        ("a[text]:unchanged-toast-datum b[text]:''", {"a": "unchanged-toast-datum", "b": ""}),
    ],
)
def test_values_are_read_as_postgresql_writes_them(columns: str, row: dict[str, str | None] | None) -> None:
    expected = row or {"a": "{1,2}", "b": "2026-02-01 10:00:00+00"}
    assert only_row(f"table public.t: INSERT: {columns}") == expected


def test_of_an_update_the_new_row_counts() -> None:
    data = "table public.t: UPDATE: old-key: id[integer]:1 new-tuple: id[integer]:2 a[text]:'new-tuple: '"
    assert only_row(data) == {"id": "2", "a": "new-tuple: "}


def test_nodes_are_merged_by_time_and_a_node_keeps_its_order() -> None:
    def commit(second: int, ticket: int) -> str:
        return changes(CLAIM.replace("702", str(ticket))).replace("10:00:00.25", f"10:00:{second:02}")

    logs = {"n1": commit(5, 1) + commit(3, 2) + commit(8, 3), "n2": commit(4, 4) + commit(6, 5)}
    assert [event["row"]["ticket"] for event in merge(logs)] == ["4", "1", "2", "5", "3"]


def test_times_are_compared_and_not_their_texts() -> None:
    summer = changes(CLAIM).replace("10:00:00.25+00", "12:00:00.3+02")
    winter = changes(CLAIM).replace("10:00:00.25+00", "10:00:00.29+00")
    assert [event["node"] for event in merge({"summer": summer, "winter": winter})] == ["winter", "summer"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (changes("table coldfront.deferred_acks: DELETE: (no-tuple-data)"), "n1, line 2: .* nothing says which"),
        (changes("table coldfront.claims: INSERT: ticket[bigint] 7"), "line 2 has no column of a row at 'ticket"),
        (
            changes("index coldfront.claims: INSERT: ticket[bigint]:7"),
            "line 2 is not a change as test_decoding prints it",
        ),
        (f"0/2A0,741,{CLAIM}\n0/2F8,741,COMMIT 741\n", "line 2 says 'COMMIT 741', but not when.*include-timestamp"),
        ("0/2A0,741,COMMIT 741 (at noon)\n", "line 1 says .*but not when"),
        (f"0/2A0,741,{CLAIM}\n", "n1 ends within a transaction: n1, line 1"),
        ("0/2A0,741\n", "line 1 has 2 columns"),
        ('0/2A0,741,"BEGIN\n', "line 1 is not CSV"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        list(read_changes(text, "n1"))


def test_the_command_writes_json_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "n1.csv").write_text("lsn,xid,data\n" + changes(CLAIM))
    (tmp_path / "n2.csv").write_text("")
    out = tmp_path / "events.jsonl"
    assert cli.main(["export", f"n1={tmp_path}/n1.csv", f"n2={tmp_path}/n2.csv", "-o", str(out)]) == 0
    assert [json.loads(line)["row"]["ticket"] for line in out.read_text().splitlines()] == ["702"]
    assert cli.main(["export", f"n1={tmp_path}/n1.csv", "-o", ".jsonl"]) == 0
    assert capsys.readouterr().out == out.read_text()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["n1.csv"], "-o FILE.jsonl takes NODE=FILE, such as n1=n1.csv"),
        (["n1=a.csv", "n2"], "'n2' is not accepted; it takes NODE=FILE"),
        (["n1=a", "n1=b"], "node 'n1' is given twice"),
        (["n1=missing.csv"], "the changes of n1 'missing.csv' cannot be read: No such file"),
    ],
)
def test_bad_arguments(arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["export", *arguments, "-o", ".jsonl"]) == 2
    assert re.search(re.escape(why), capsys.readouterr().err)
