#!/usr/bin/env python3
"""Run ColdFront's bakery on a real PostgreSQL, and record the output of logical decoding.

    coldfront_log.py FOLDER --nodes 2 --claims 12 --seed 1

Each node is a database of one temporary server, with the three tables of the bakery and the triggers that answer a
claim and serve deferred acks. Writers claim, wait until every other node has acked, and release. Rows travel from node
to node as transactions, in commit order and with random delays. FOLDER gets one file per node, `n1.csv` and so on: the
changes as `test_decoding` prints them.

With `--slow n2=5` the tickets of n2 come from a clock that is five seconds behind.

It needs PostgreSQL's server programs, 12 or newer, with the contrib modules `test_decoding` and `dblink`.
"""

import argparse
import contextlib
import os
import pwd
import random
import shutil
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

TABLE = "ice.default.events"

#: What a node runs. The ack goes through a connection of its own, as in ColdFront: what the session that applies
#: replicated rows writes itself would not be replicated further. So the ack is committed before the claim's row is.
NODE = """
CREATE EXTENSION dblink;
CREATE SCHEMA coldfront;
CREATE TABLE coldfront.claims (iceberg_table text NOT NULL, ticket bigint PRIMARY KEY);
CREATE TABLE coldfront.claim_acks (
    ticket bigint, ack_from_name name, iceberg_table text NOT NULL, PRIMARY KEY (ticket, ack_from_name));
CREATE TABLE coldfront.deferred_acks (
    pending_ticket bigint, ack_for_ticket bigint, iceberg_table text NOT NULL,
    PRIMARY KEY (pending_ticket, ack_for_ticket));

-- A ticket is a time in microseconds and the number of its node.
CREATE FUNCTION coldfront.next_ticket() RETURNS bigint LANGUAGE sql VOLATILE AS $$
    SELECT (extract(epoch FROM clock_timestamp() - interval '{slow} seconds') * 1000000)::bigint * 1024 + {number}
$$;

CREATE FUNCTION coldfront.answer_claim() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    own bigint := (SELECT ticket FROM coldfront.claims
                   WHERE ticket % 1024 = {number} AND iceberg_table = NEW.iceberg_table AND ticket < NEW.ticket
                   ORDER BY ticket LIMIT 1 FOR UPDATE);
BEGIN
    IF own IS NULL THEN
        PERFORM dblink_exec('host={socket} user=postgres dbname={name}', format(
            'INSERT INTO coldfront.claim_acks VALUES (%s, %L, %L)', NEW.ticket, '{name}', NEW.iceberg_table));
    ELSE
        INSERT INTO coldfront.deferred_acks VALUES (own, NEW.ticket, NEW.iceberg_table);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER answer_claim AFTER INSERT ON coldfront.claims
    FOR EACH ROW EXECUTE FUNCTION coldfront.answer_claim();
ALTER TABLE coldfront.claims ENABLE REPLICA TRIGGER answer_claim;

CREATE FUNCTION coldfront.serve_deferred() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO coldfront.claim_acks
        SELECT ack_for_ticket, '{name}', iceberg_table FROM coldfront.deferred_acks WHERE pending_ticket = OLD.ticket;
    DELETE FROM coldfront.deferred_acks WHERE pending_ticket = OLD.ticket;
    RETURN NULL;
END $$;
CREATE TRIGGER serve_deferred AFTER DELETE ON coldfront.claims
    FOR EACH ROW EXECUTE FUNCTION coldfront.serve_deferred();

SELECT pg_create_logical_replication_slot('workbench_{name}', 'test_decoding');
"""

#: Fails if a module is missing.
NEEDED = "CREATE EXTENSION dblink; SELECT pg_create_logical_replication_slot('try', 'test_decoding', true)"

#: As in docs/recordings.md.
CHANGES = r"""
SELECT lsn, xid, data FROM pg_logical_slot_get_changes('workbench_{name}', NULL, NULL, 'include-timestamp', 'on')
WHERE data ~ '^(BEGIN|COMMIT|table coldfront\.(claims|claim_acks|deferred_acks):)'
"""


def programs() -> Path | None:
    """The folder of PostgreSQL's server programs: on the PATH, or Debian's newest."""
    initdb = shutil.which("initdb")
    beside = [Path(initdb).resolve().parent] if initdb else []
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    return next((path for path in [*beside, *debian] if (path / "initdb").exists()), None)


def give_up(reason: str) -> NoReturn:
    print(reason, file=sys.stderr)
    sys.exit(os.EX_UNAVAILABLE)


#: User nobody must reach the programs and the folder even if the root folder, say of a chroot, is closed to others.
_WITH_REACH = ("--inh-caps=+dac_override", "--ambient-caps=+dac_override", "--securebits=+no_setuid_fixup")


@contextlib.contextmanager
def server() -> Iterator[str]:
    """Run a private server in a temporary folder, which also has its socket; yields the folder's name."""
    folder_of_programs = programs()
    if folder_of_programs is None:
        give_up("PostgreSQL's server programs are missing: install the package postgresql")
    folder = tempfile.mkdtemp(prefix="coldfront_")
    become: list[str] = []
    if os.geteuid() == 0:  # as which the server refuses to run
        nobody = pwd.getpwnam("nobody")
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        become = ["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups", *_WITH_REACH]

    def run(program: str, *arguments: str) -> None:
        command = [*become, str(folder_of_programs / program), "-D", f"{folder}/data", *arguments]
        with open(f"{folder}/out", "w+") as out:  # pg_ctl leaves it open in the server: no pipe, which would never end
            done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
            if done.returncode:
                out.seek(0)
                give_up(f"PostgreSQL does not run here: {program}: {' '.join(out.read().split()[-40:])}")

    settings = f"-c wal_level=logical -c fsync=off -c listen_addresses='' -c unix_socket_directories={folder}"
    try:
        run("initdb", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-sync")
        run("pg_ctl", "start", "--wait", "--silent", f"--log={folder}/log", f"--options={settings}")
        try:
            yield folder
        finally:
            run("pg_ctl", "stop", "--wait", "--silent", "--mode=immediate")
    finally:
        shutil.rmtree(folder)


def psql(socket: str, database: str, sql: str) -> str:
    """The output of psql for some statements."""
    command = [
        "psql",
        "-h",
        socket,
        "-U",
        "postgres",
        "-X",
        "--csv",
        "--tuples-only",
        "-v",
        "ON_ERROR_STOP=1",
        database,
    ]
    return subprocess.run(command, input=sql, stdout=subprocess.PIPE, text=True, check=True).stdout


class Session:
    """A connection to one database, kept open by psql."""

    def __init__(self, socket: str, database: str) -> None:
        command = ["psql", "-h", socket, "-U", "postgres", "-XAtq", "-v", "ON_ERROR_STOP=1", database]
        self.psql = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, sql: str) -> list[str]:
        """The lines that a statement, or several, print."""
        assert self.psql.stdin
        assert self.psql.stdout
        self.psql.stdin.write(f"{sql.strip()};\n\\echo .\n")
        self.psql.stdin.flush()
        lines = []
        for line in self.psql.stdout:
            if line == ".\n":
                return lines
            lines.append(line.rstrip("\n"))
        sys.exit(f"psql gave up on: {sql}")

    def close(self) -> None:
        self.psql.communicate()


class Node:
    """A database with the bakery's tables; the tickets that it holds, and what it has still to send to each peer."""

    def __init__(self, name: str, number: int, socket: str, peers: list[str], slow: float) -> None:
        self.name, self.session = name, Session(socket, name)
        self.session.run(NODE.format(name=name, number=number, socket=socket, slow=slow))
        self.tickets: list[str] = []
        self.to_send: dict[str, deque[str]] = {peer: deque() for peer in peers if peer != name}
        self.sent: set[str] = set()

    def claim(self) -> None:
        into = "INSERT INTO coldfront.claims VALUES"
        (ticket,) = self.session.run(f"{into} ('{TABLE}', coldfront.next_ticket()) RETURNING ticket")
        self.tickets.append(ticket)
        self.send(f"{into} ('{TABLE}', {ticket})")

    def may_release(self) -> bool:
        if not self.tickets:
            return False
        (acks,) = self.session.run(f"SELECT count(*) FROM coldfront.claim_acks WHERE ticket = {self.tickets[0]}")
        return int(acks) == len(self.to_send)

    def release(self) -> None:
        sql = f"DELETE FROM coldfront.claims WHERE ticket = {self.tickets.pop(0)}"
        self.session.run(sql)
        self.send("; ".join([sql, *self.new_acks()]))

    def receive(self, sql: str) -> None:
        """Apply a transaction of another node, and send on the ack that may follow from it."""
        self.session.run(f"BEGIN; SET LOCAL session_replication_role = replica; {sql}; COMMIT")
        for ack in self.new_acks():
            self.send(ack)

    def new_acks(self) -> list[str]:
        """The acks of this node that were not sent yet, as what the others are to do."""
        mine = self.session.run(f"SELECT ticket FROM coldfront.claim_acks WHERE ack_from_name = '{self.name}'")
        new = [ticket for ticket in mine if ticket not in self.sent]
        self.sent.update(new)
        return [f"INSERT INTO coldfront.claim_acks VALUES ({ticket}, '{self.name}', '{TABLE}')" for ticket in new]

    def send(self, sql: str) -> None:
        for queue in self.to_send.values():
            queue.append(sql)


def play(nodes: dict[str, Node], claims: int, at_once: int, chance: random.Random) -> None:
    """Let things happen, one after the other, until that many claims are released and everything has arrived."""
    while True:
        steps = [("claim", node, "") for node in nodes.values() if claims and len(node.tickets) < at_once]
        steps += [("release", node, "") for node in nodes.values() if node.may_release()]
        steps += [("send", node, peer) for node in nodes.values() for peer, queue in node.to_send.items() if queue]
        if not steps:
            return
        action, node, peer = chance.choice(steps)
        if action == "claim":
            claims -= 1
            node.claim()
        elif action == "release":
            node.release()
        else:
            nodes[peer].receive(node.to_send[peer].popleft())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--claims", type=int, default=12, help="in all")
    parser.add_argument("--at-once", type=int, default=1, help="claims that a node may hold at once; ColdFront: 1")
    parser.add_argument("--slow", action="append", default=[], metavar="NODE=SECONDS", help="whose clock is behind")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    behind = {name: float(seconds) for name, _, seconds in (text.partition("=") for text in arguments.slow)}
    names = [f"n{number + 1}" for number in range(arguments.nodes)]
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with server() as socket:
        try:
            psql(socket, "postgres", NEEDED)
        except (OSError, subprocess.CalledProcessError):
            give_up("PostgreSQL has no psql, no test_decoding or no dblink here: install its contrib modules")
        psql(socket, "postgres", ";".join(f"CREATE DATABASE {name}" for name in names))
        nodes = {
            name: Node(name, number, socket, names, behind.get(name, 0)) for number, name in enumerate(names, start=1)
        }
        play(nodes, arguments.claims, arguments.at_once, random.Random(arguments.seed))
        for name, node in nodes.items():
            node.session.close()
            changes = psql(socket, name, CHANGES.format(name=name))
            (arguments.folder / f"{name}.csv").write_text(changes)


if __name__ == "__main__":
    main()
