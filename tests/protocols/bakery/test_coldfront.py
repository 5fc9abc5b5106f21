"""Logs of ColdFront's bakery, from a real PostgreSQL, held against the model through the mapping ``coldfront``."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from bench.logs import events_of, measure

from tests.places import ROOT
from workbench import get_model
from workbench.checking.following.decoding import merge
from workbench.checking.following.events import Event, read_events
from workbench.checking.following.mapping import get_mapping
from workbench.checking.following.report import Report
from workbench.checking.following.settings import accepted_under
from workbench.checking.following.validate import validate
from workbench.commands import cli
from workbench.kernel import InputError, machine_of
from workbench.protocols.bakery.coldfront.log import read_log
from workbench.protocols.bakery.coldfront.mapping import ColdFront

LOGS = ROOT / "data" / "logs"

Fields = dict[str, Any]


def judge(log: Iterable[Fields], table: str | None = None, **constants: Any) -> Report:
    mapped = ColdFront(table).read([Event(line, fields) for line, fields in enumerate(log, start=1)])
    model = get_model(mapped.model)(**{**mapped.constants, **constants})
    return validate(model, mapped.record(model))


def shipped(name: str) -> list[Fields]:
    return [event.fields for event in read_events(LOGS / f"{name}.jsonl")]


def tickets(log: Iterable[Fields]) -> list[str]:
    return sorted({fields["row"]["ticket"] for fields in log if fields["table"] == "claims"}, key=int)


def swapped(log: list[Fields], one: str, other: str) -> list[Fields]:
    """The log, with two tickets taken for each other everywhere."""
    both = {one: other, other: one}
    return [{**f, "row": {column: both.get(value, value) for column, value in f["row"].items()}} for f in log]


def without_ack(log: list[Fields], ticket: str, node: str, arrived_only: bool = False) -> list[Fields]:
    """The log, in which `node` did not give an ack, or did and it has not arrived."""

    def is_it(fields: Fields) -> bool:
        row = fields["row"]
        is_ack = fields["table"] == "claim_acks" and (row["ticket"], row["ack_from_name"]) == (ticket, node)
        return is_ack and not (arrived_only and fields["node"] == node)

    return [fields for fields in log if not is_it(fields)]


# A real PostgreSQL ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def play(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[Fields]]:
    """Plays the bakery on a PostgreSQL and returns what logical decoding shows of it."""

    def played(*options: str) -> list[Fields]:
        folder = tmp_path_factory.mktemp("coldfront")
        command = [sys.executable, str(ROOT / "scripts" / "coldfront_log.py"), str(folder), *options]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        if done.returncode == os.EX_UNAVAILABLE:
            pytest.skip(done.stderr.strip())
        assert done.returncode == 0, done.stderr
        return merge({path.stem: path.read_text() for path in sorted(folder.iterdir())})

    return played


@pytest.fixture(scope="module")
def three_nodes(play: Callable[..., list[Fields]]) -> list[Fields]:
    return play("--nodes", "3", "--claims", "9", "--seed", "1")


@pytest.mark.slow
def test_a_log_of_a_real_postgresql_is_a_behaviour(three_nodes: list[Fields]) -> None:
    report = judge(three_nodes)
    assert report.holds, report
    assert len(tickets(three_nodes)) == 9
    assert {"INSERT", "DELETE"} == {f["op"] for f in three_nodes if f["table"] == "deferred_acks"}


@pytest.mark.slow
def test_an_ack_is_committed_before_the_row_that_it_answers(three_nodes: list[Fields]) -> None:
    """That is how ColdFront's trigger does it, through a connection of its own; the mapping has to cope with it."""
    seen: set[tuple[str, str]] = set()
    earlier = 0
    for f in three_nodes:
        node, ticket = f["node"], f["row"].get("ticket")
        if f["table"] == "claims":
            seen.add((node, ticket))
        elif f["table"] == "claim_acks" and f["row"]["ack_from_name"] == node:
            earlier += (node, ticket) not in seen
    assert earlier


@pytest.mark.slow
def test_swapped_tickets_of_a_real_log_are_refused(three_nodes: list[Fields]) -> None:
    """The first claim was released before the last one was made."""
    one, *_, other = tickets(three_nodes)
    report = judge(swapped(three_nodes, one, other))
    assert report.holds is False
    assert "the beginning" in report.why
    assert "begin_claim" in str(report)
    assert "claims[n2] is {Claim(ticket=1, writer=w2)}, recorded as {Claim(ticket=2, writer=w2)}" in str(report)


@pytest.mark.slow
def test_a_dropped_ack_of_a_real_log_is_refused(three_nodes: list[Fields]) -> None:
    """One that was given at once, and not when a claim was released: there the model says which ack is missing."""
    row = next(f["row"] for f in three_nodes if f["table"] == "claim_acks")
    number = 1 + tickets(three_nodes).index(row["ticket"])
    report = judge(without_ack(three_nodes, row["ticket"], row["ack_from_name"]))
    assert report.holds is False
    assert f"waits for the ack of {row['ack_from_name']} for ticket {number}" in str(report)


@pytest.mark.slow
def test_an_ack_that_was_not_given_with_a_release_is_missed_there(three_nodes: list[Fields]) -> None:
    row = next(f["row"] for f in three_nodes if f["table"] == "deferred_acks")
    report = judge(without_ack(three_nodes, row["ack_for_ticket"], three_nodes[0]["node"]))
    assert report.holds is False
    assert "release(w1)" in str(report)
    assert "acks_sent[n1] is" in str(report)


@pytest.mark.slow
def test_two_claims_of_a_node_at_once_need_two_writers_and_no_lock(play: Callable[..., list[Fields]]) -> None:
    log = play("--claims", "8", "--at-once", "2", "--seed", "2")
    mapped = ColdFront().read([Event(line, fields) for line, fields in enumerate(log, start=1)])
    assert mapped.constants["NodeParts"] == [["w1", "w2"], ["w3", "w4"]]
    report = judge(log)
    assert report.holds is False
    assert "another writer of n1 holds a claim" in str(report) or "another writer of n2 holds a claim" in str(report)
    assert judge(log, SameNodeLock=False).holds


# The logs that are shipped -------------------------------------------------------------------------------------------


def test_the_shipped_log_is_a_behaviour_and_shows_how(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["validate", "bakery_v2", str(LOGS / "bakery.jsonl"), "--map", "coldfront", "--trace"]) == 0
    out = capsys.readouterr().out
    assert "a behaviour of the model" in out
    assert "release(w1)" in out


@pytest.mark.slow
def test_tickets_of_a_slow_clock_need_clocks(capsys: pytest.CaptureFixture[str]) -> None:
    """The clock of n2 was five seconds behind; one counter explains nothing of that."""
    log = shipped("bakery_slow_clock")
    assert judge(log).holds is False
    assert judge(log, MaxSkew=1).holds is False
    assert judge(log, MaxSkew=2).holds
    assert judge(log, MaxSkew=2, RaiseClocks=True).holds is False
    arguments = ["validate", "bakery_v2", str(LOGS / "bakery_slow_clock.jsonl"), "--map", "coldfront"]
    assert cli.main(arguments) == 1
    assert "begin_claim(w1" in capsys.readouterr().out


@pytest.mark.slow
def test_swapped_tickets_are_refused_also_where_clocks_may_disagree() -> None:
    """Who acks and who defers follows from the numbers: n2 holds the smaller one, and yet it acks."""
    log = shipped("bakery")
    _, _, one, other, *_ = tickets(log)
    for skew in (0, 1, 5):
        report = judge(swapped(log, one, other), MaxSkew=skew)
        assert report.holds is False
        assert "to line 17: n2 xid 761" in report.why
        assert "deferred[n2] is {Deferral(ticket=4, behind=3)}, recorded as {}" in str(report)


@pytest.mark.slow
@pytest.mark.parametrize("arrived_only", [False, True])
def test_a_dropped_ack_is_refused_where_its_claim_is_released(arrived_only: bool) -> None:
    log = shipped("bakery")
    report = judge(without_ack(log, tickets(log)[2], "n2", arrived_only))
    assert report.holds is False
    assert "w1 waits for the ack of n2 for ticket 3" in str(report)
    assert judge(without_ack(log, tickets(log)[2], "n2", arrived_only), MaxSuspicions=1).holds, "n1 took n2 for dead"


@pytest.mark.slow
def test_it_is_said_how_far_the_clocks_were_apart(capsys: pytest.CaptureFixture[str]) -> None:
    """Two claims, which is more than the next larger value that is tried of any number."""
    arguments = ["validate", "bakery_v2", str(LOGS / "bakery_slow_clock.jsonl"), "--map", "coldfront", "--settings"]
    assert cli.main(arguments) == 1
    assert capsys.readouterr().out.endswith("\naccepted with MaxSkew=2 (it is 0)\n")


def test_a_missing_ack_has_two_possible_reasons() -> None:
    log = shipped("bakery")
    lines = enumerate(without_ack(log, tickets(log)[2], "n2"), start=1)
    mapped = ColdFront().read([Event(line, fields) for line, fields in lines])
    model = get_model(mapped.model)(**mapped.constants)
    reasons = [("MaxSuspicions", 1), ("ClaimTimeout", True)]
    settings = accepted_under(model, mapped.record, changes=[*reasons, ("SafeAcks", False), ("MaxSkew", 1)])
    assert settings.accepted == [dict([reason]) for reason in reasons]


@pytest.mark.parametrize("line", [1, 2, 4])
def test_an_insert_that_is_missing_is_noticed_at_the_delete(line: int) -> None:
    log = shipped("bakery")
    assert log.pop(line - 1)["op"] == "INSERT"
    with pytest.raises(InputError, match=r"does not have: .*; rows that were there before the log come first"):
        judge(log)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "why"),
    [
        (8, "release(w1), but claims[n1] is {Claim(ticket=2, writer=w3)}, recorded as {Claim(ticket=1, writer=w1)"),
        (10, "release(w1), but deferred[n1] is {}, recorded as {Deferral(ticket=2, behind=1)}"),
        (13, "begin_claim(w3, witness=-), but it cannot be taken: another writer of n2 holds a claim"),
    ],
)
def test_a_delete_that_is_missing_is_refused(line: int, why: str) -> None:
    log = shipped("bakery")
    assert log.pop(line - 1)["op"] == "DELETE"
    report = judge(log)
    assert report.holds is False
    assert str(report.nearest).startswith(why)


def test_the_published_release_is_not_what_happens() -> None:
    """There all views forget a claim at once."""
    report = judge(shipped("bakery"), ReleaseTransaction=False)
    assert report.holds is False


def cut(log: list[Fields], at: int) -> list[Fields] | None:
    """The log from a line on, after the rows that were there; None where that line is within a transaction."""
    if (log[at]["node"], log[at]["xid"]) == (log[at - 1]["node"], log[at - 1]["xid"]):
        return None
    rows: dict[str, Fields] = {}
    for fields in log[:at]:
        key = {column: value for column, value in fields["row"].items() if column != "iceberg_table"}
        place = json.dumps([fields["node"], fields["table"], key])
        if fields["op"] == "INSERT":
            rows[place] = {**fields, "op": "READ", "xid": "0", "lsn": "0/0"}
        else:
            del rows[place]
    return [*sorted(rows.values(), key=lambda fields: str(fields["node"])), *log[at:]]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "skew"), [("bakery", 0), ("bakery_slow_clock", 4)])
def test_a_log_may_begin_while_claims_are_held(name: str, skew: int) -> None:
    """What was there is told by rows that were read."""
    log, held = shipped(name), 0
    for at in range(1, len(log) - 1):
        rest = cut(log, at)
        if rest is not None:
            held += any(fields["table"] == "claims" and fields["op"] == "READ" for fields in rest)
            report = judge(rest, MaxSkew=skew)
            assert report.holds, (at, str(report))
    assert held > 10


def test_the_page_reads_a_slot_as_the_test_does() -> None:
    """The SQL of docs/recordings.md is what the script runs, but for the name of the slot."""
    page, script = (ROOT / name for name in ("docs/recordings.md", "scripts/coldfront_log.py"))
    sql = page.read_text().partition("<<'SQL'\n")[2].partition("SQL\n")[0]
    assert "claim_acks" in sql
    assert sql in script.read_text().replace("workbench_{name}", "workbench")


# Orders --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seconds", [-0.02, -0.002, 0.002, 0.02])
def test_clocks_that_disagree_about_commits_do_not_matter(seconds: float) -> None:
    """Nothing arrives before it was sent, whatever the times say."""
    log = shipped("bakery")

    def when(fields: Fields) -> float:
        clock = fields["t"].partition("+")[0].rpartition(":")[2]
        return float(clock) + seconds * (fields["node"] == "n2")

    moved = sorted(log, key=when)
    assert moved != log
    assert judge(moved).holds


def test_a_row_may_come_long_before_its_answer() -> None:
    """Where the trigger answers in a transaction of its own, and each node at its own pace."""
    rows = [
        ("n1", "claims", "INSERT", {"ticket": "10"}),
        ("n2", "claims", "INSERT", {"ticket": "20"}),
        ("n1", "claims", "INSERT", {"ticket": "20"}),
        ("n2", "claims", "INSERT", {"ticket": "10"}),
        ("n1", "deferred_acks", "INSERT", {"pending_ticket": "10", "ack_for_ticket": "20"}),
        ("n2", "claim_acks", "INSERT", {"ticket": "10", "ack_from_name": "n2"}),
        ("n1", "claim_acks", "INSERT", {"ticket": "10", "ack_from_name": "n2"}),
    ]
    log = [
        {"t": "", "node": node, "lsn": f"0/{at}", "xid": str(at), "table": table, "op": op, "row": row}
        for at, (node, table, op, row) in enumerate(rows)
    ]
    for fields in log:
        if fields["table"] == "claims":
            fields["row"]["iceberg_table"] = "events"
    assert judge(log).holds


def test_nodes_come_in_the_order_of_their_names() -> None:
    log = json.loads(json.dumps(shipped("bakery")).replace('"n1"', '"db10"').replace('"n2"', '"db2"'))
    events = [Event(line, fields) for line, fields in enumerate(log, start=1)]
    assert read_log(events).nodes == ["db2", "db10"]
    assert judge(log).holds


def test_of_several_iceberg_tables_one_is_chosen(tmp_path: Path) -> None:
    one, other = shipped("bakery"), json.loads(json.dumps(shipped("bakery")).replace("default.events", "sales.orders"))
    for fields in other:
        fields["row"] = {k: str(int(v) + 5) if v.isdecimal() else v for k, v in fields["row"].items()}
        fields["xid"] = f"1{fields['xid']}"
    both = [fields for pair in zip(one, other, strict=True) for fields in pair]
    both.sort(key=lambda fields: (fields["node"], int(fields["lsn"][2:], 16), fields["xid"]))
    with pytest.raises(
        InputError, match=r"claims for 2 Iceberg tables; choose one: ice.default.events, ice.sales.orders"
    ):
        judge(both)
    assert judge(both, "ice.sales.orders").states == judge(one).states
    with pytest.raises(InputError, match=r"'ice\.default\.event'"):
        judge(both, "ice.default.event")
    file = tmp_path / "both.jsonl"
    file.write_text("".join(json.dumps(fields) + "\n" for fields in both))
    assert cli.main(["validate", "bakery_v2", str(file), "--map", "coldfront:ice.sales.orders"]) == 0
    assert get_mapping("coldfront").name == "coldfront"


# Long logs -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("parts", [[["a"], ["b"]], [["a", "b"], ["c"]], [["a"], ["b"], ["c"]]])
def test_random_behaviours_are_behaviours(parts: list[list[str]], seed: int) -> None:
    """What the model does, told as PostgreSQL would tell it, is something that the model does."""
    writers = [writer for part in parts for writer in part]
    built = {"ReleaseTransaction": True, "Witness": False}
    model = get_model("bakery_v2")(Writers=writers, NodeParts=parts, MaxRounds=4, **built)
    report = judge(events_of(machine_of(model), 60, seed))
    assert report.holds, report
    assert report.states > 30


@pytest.mark.slow
def test_a_thousand_observations() -> None:
    model = get_model("bakery_v2")(Writers=3, MaxRounds=70, ReleaseTransaction=True, Witness=False)
    assert judge(events_of(machine_of(model), 1000)).states == 1001


def test_what_is_measured_is_accepted() -> None:
    row = measure(60, 2)
    assert (row["observations"], row["verdict"]) == (61, "accepted")


# Bad input -----------------------------------------------------------------------------------------------------------


def event(
    node: str = "n1", lsn: str = "0/A", xid: str = "7", table: str = "claims", op: str = "INSERT", **row: Any
) -> Fields:
    return {"t": "", "node": node, "lsn": lsn, "xid": xid, "table": table, "op": op, "row": row}


def ack(node: str, ticket: str, name: str) -> Fields:
    return event(node, xid="8", table="claim_acks", ticket=ticket, ack_from_name=name)


def claim(node: str = "n1", **other: Any) -> Fields:
    return event(node, **{"ticket": "702", "iceberg_table": "events", **other})


@pytest.mark.parametrize(
    ("log", "why"),
    [
        ([], "the log has no claim"),
        ([claim(table="claim")], "line 1: table = 'claim' is not accepted; the bakery's are claims, claim_acks"),
        ([claim(op="UPDATE")], "line 1: op = 'UPDATE' is not accepted; only INSERT and DELETE change a row of claims"),
        ([{**claim(), "row": None}], "line 1: row = None is not accepted; it takes an object"),
        ([{k: v for k, v in claim().items() if k != "lsn"}], "line 1 lacks 'lsn'"),
        ([claim(lsn="12")], "line 1: lsn = '12' is not accepted; it takes a place"),
        ([event(iceberg_table="e")], "line 1: a row of claims needs a column ticket; this one has iceberg_table"),
        ([claim(ticket="7x")], "line 1: ticket = '7x' is not accepted; a ticket is a number above 0"),
        ([claim(ticket="0")], "line 1: ticket = '0' is not accepted"),
        ([claim(ticket=True)], "line 1: ticket = True is not accepted"),
        ([claim(ticket="9" * 30)], "line 1: ticket = '9999"),
        ([claim(iceberg_table=5)], "line 1: iceberg_table = 5 is not accepted; it takes a name"),
        ([claim(), ack("n1", "702", "")], "line 2: ack_from_name = '' is not accepted"),
        (
            [claim(), claim(xid="8", op="DELETE", ticket="703")],
            "line 2: n1 deletes a row of claims that it does not have",
        ),
        ([claim(), claim(xid="8")], "line 2: n1 has had this row of claims since line 1: ticket 702"),
        ([claim(), claim(lsn="0/9", xid="8", op="DELETE")], "line 2: lsn = '0/9' is not accepted.*line 1"),
        ([claim(), claim(xid="8", op="DELETE"), claim()], "line 3: n1 continues xid 7 of line 1"),
        ([claim(), ack("n1", "702", "n3")], "line 2: an ack of n3, which the log does not mention elsewhere"),
        (
            [claim(), event("n2", table="deferred_acks", pending_ticket="5", ack_for_ticket="702")],
            "line 2: ack_for_ticket 702, pending_ticket 5, but no claim in the log has ticket 5",
        ),
        (
            [claim("n2"), ack("n2", "702", "n2")],
            "line 1: every node answers the claim with ticket 702; the log of the node",
        ),
        ([claim(), claim(xid="8", op="READ", ticket="703")], "line 2: READ comes after the first change of n1"),
    ],
)
def test_bad_input_is_said_with_its_line(log: list[Fields], why: str) -> None:
    with pytest.raises(InputError, match=why):
        judge(log)


@pytest.mark.parametrize(
    ("constants", "why"),
    [
        ({"MaxRounds": 1}, "the log has 6 tickets; with these constants there are 2"),
        ({"NodeParts": [["w1", "w2"]]}, "Writers and NodeParts are not those of the log: w1 on n1 and w2 on n2"),
    ],
)
def test_constants_that_have_no_place_for_the_log(constants: Fields, why: str) -> None:
    with pytest.raises(InputError, match=why):
        judge(shipped("bakery"), **constants)


def test_another_model_is_refused() -> None:
    mapped = ColdFront().read([Event(1, claim())])
    with pytest.raises(InputError, match="belong to bakery_v2, not to hudi"):
        mapped.record(get_model("hudi")())
