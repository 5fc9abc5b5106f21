"""Drive pypaimon along traces of the Paimon model.

Each writer and compactor of the model is a process that runs ``actor.py`` in the writers' environment. After
each step the table's contents are read from its files, as an audit does.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from workbench.checking.driving.course import Ask, Compared, StepRequest, compared
from workbench.checking.driving.processes import ActorAnswer, ActorError
from workbench.kernel import InputError, Machine, State, Trace
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.trace import Step
from workbench.kernel.meaning.values import show
from workbench.protocols.paimon import PROTOCOL
from workbench.protocols.paimon.model import COMMIT, READY
from workbench.protocols.paimon.rows import COLUMNS, DELETE, INSERT, read
from workbench.registry.programs import needs
from workbench.registry.shipped import MODULES

ACTOR = Path(__file__).with_name("actor.py")
MODELS = tuple(PROTOCOL.models)
#: The version that this driver is tested with.
PYPAIMON = "2.1.0"

#: Constants without a counterpart in pypaimon, which must be FALSE, with the reason.
_FIXED = {
    "USE_LOCK": "pypaimon commits without a lock",
    "AsPublished": "no software has the published text's simplifications",
    "ReadersSkipLevel0": "nothing would be read, since pypaimon cannot compact",
}
#: An audit's findings on commits that are no invariants of the model: a snapshot that was not built on its predecessor,
#: and a successful commit that is missing.
_OF_COMMITS = ("LinearHistory", "AcknowledgedCommitsPresent")

#: The table: pypaimon takes a row's kind from a column that stays in the row; so an update is an insert of the new row,
#: as with most Paimon writers, and rows do not show how they came about.
_KIND = "kind"
_COLUMNS = {"k": "string", **dict.fromkeys(COLUMNS, "string"), _KIND: "string"}
_OPTIONS = {"rowkind.field": _KIND, "commit.max-retries": "1000", "commit.timeout": "1 d"}


def python_of_writers() -> Path:
    """The Python in ``.writers``, made by ``scripts/writers.sh``: in the checkout, or else in the current folder."""
    checkout, here = (folder / ".writers" / "bin" / "python" for folder in (MODULES, Path.cwd()))
    return checkout if checkout.exists() else here


def installed(python: str | Path) -> str:
    """The path `python`, once it is known to exist.

    Raises:
        InputError: If it does not exist, with the commands that install it.
    """
    path = Path(python)
    if not path.is_file():
        folder = path.parent.parent if path.parent.parent.name == ".writers" else Path(".writers")
        raise InputError(
            f"{brief(str(path))} does not exist: `python3 -m venv {folder}` and `{folder}/bin/pip install "
            f"pypaimon=={PYPAIMON}` make it; --python names the Python of another environment with pypaimon"
        )
    return str(path)


class PaimonDriver:
    """Drives pypaimon.

    Args:
        python: The Python of an environment with pypaimon; by default :func:`python_of_writers`.
    """

    name = "pypaimon"

    def __init__(self, python: str | Path | None = None) -> None:
        needs("tables", "driving Paimon")  # to read what it writes
        self._python = installed(python or python_of_writers())

    def place(self, folder: Path) -> Path:
        return folder / "db.db" / "t"

    def command(self) -> Sequence[str]:
        return [self._python, "-I", str(ACTOR)]

    def course(self, trace: Trace, folder: Path) -> "PaimonCourse":
        return PaimonCourse(trace, folder, self.place(folder))


class PaimonCourse:
    """One trace, and the table that is made along it."""

    def __init__(self, trace: Trace, folder: Path, table: Path) -> None:
        self.model: Any = trace.model.author
        _check(trace.model)
        self.actors = list(dict.fromkeys(step.lane for step in trace.steps[1:])) or ["w0"]
        self.warehouse, self.path, self.acks = folder, table, folder / "acks.jsonl"
        self.restores = bool(self.model.constants.get("RestoreSequence", False))
        self.names: dict[str, str] = {}  # from the model's keys to the table's
        self.files: dict[str, str] = {}  # from the table's files to the model's
        self.acknowledged: list[Mapping[str, Any]] = []

    # Requests --------------------------------------------------------------------------------------------------------

    def begin(self, ask: Ask) -> None:
        for actor in self.actors:
            answer = ask(actor, self._opening())
            if answer.verdict != "done":
                raise InputError(f"{actor} cannot open the table: {answer.said}")
            names = _fact(actor, answer, "names", dict)
            self.names = {key: str(names.get(key)) for key in self.model.bucket_of}

    def _opening(self) -> dict[str, Any]:
        partitions = ["p"] if self.model.NUM_PARTITIONS > 1 else []
        return {
            "do": "open",
            "warehouse": str(self.warehouse),
            "columns": {**dict.fromkeys(partitions, "string"), **_COLUMNS},
            "primary": ["k"],
            "partition": partitions,
            "options": {"bucket": str(self.model.NUM_BUCKETS), **_OPTIONS},
            "put_if_absent": self.model.PUT_IF_ABSENT,
            "long_lived": not self.restores,
            "names": [[str(key), *self._place(bucket)] for key, bucket in self.model.bucket_of.items()],
        }

    def _place(self, bucket: str) -> tuple[list[str], int]:
        """The partition and number of one of the model's buckets, such as p0b1."""
        partition, _, number = bucket.partition("b")
        return [partition] if self.model.NUM_PARTITIONS > 1 else [], int(number)

    def request(self, before: State, step: Step) -> StepRequest:
        """The request for a step, by its action."""
        assert step.move is not None
        actor, instance = step.lane, step.instance
        assert instance is not None  # it is no initial state
        after: Any = step.state
        match instance.action.name:
            case "start_update" if not self.model.STREAMING_SINK:
                return StepRequest(actor, {"do": "update", **self._read_and_write(after.write[actor])})
            case "start_insert" | "start_update" | "start_delete":
                return StepRequest(actor, {"do": "start", "row": self._row(after.write[actor])})
            case "start_compaction":
                rewrite = after.rewrite[actor]
                place, bucket = self._place(rewrite.bucket)
                return StepRequest(
                    actor, {"do": "start_compaction", "place": place, "bucket": bucket, "level": rewrite.level}
                )
            case "commit" if after.pc[actor] != READY:
                return StepRequest(actor, {"do": "commit"}, "refused")
            case "write_metadata" if after.pc[actor] == READY:
                return StepRequest(actor, {"do": "write_metadata"}, "refused")
            case name:
                return StepRequest(actor, {"do": name})

    def _where(self, key: str) -> dict[str, str]:
        partition, _ = self._place(self.model.bucket_of[key])
        return {"k": self.names[key], **dict(zip("p", partition, strict=False))}

    def _row(self, write: Any) -> dict[str, str | None]:
        values = dict(zip(COLUMNS, write.columns or (None, None), strict=True))
        return {**self._where(write.key), **values, _KIND: DELETE if write.kind == DELETE else INSERT}

    def _read_and_write(self, write: Any) -> dict[str, Any]:
        row = self._row(write)
        return {"find": self._where(write.key), "sets": {name: row[name] for name in (*write.sets, _KIND)}}

    # Comparisons -----------------------------------------------------------------------------------------------------

    def compare(self, step: Step, answer: ActorAnswer) -> Iterator[Compared]:
        after: Any = step.state
        actor = step.lane
        if "row" in answer.facts:
            row = _fact(actor, answer, "row", dict)
            foretold, stored_row = after.write[actor].columns, tuple(row.get(name) for name in COLUMNS)
            yield compared("the row that it writes", foretold, stored_row)
        if "files" in answer.facts:
            files = _fact(actor, answer, "files", list)
            yield compared("the number of data files that it writes", 1, len(files))
            self.files |= {str(name): after.message[actor].file for name in files[:1]}
        if "ack" in answer.facts:
            self.acknowledged.append(_fact(actor, answer, "ack", dict))
        yield from self._versions(after)

    def _versions(self, state: Any) -> Iterator[Compared]:
        """Compare the snapshots, their files, and the rows that their readers get."""
        from workbench.protocols.paimon.audit.contents import (
            contents,  # pyarrow loads here, and not with the command line
        )

        there = contents(str(self.path))
        yield compared("the newest snapshot", state.latest, max(there, default=0))
        for version in range(1, state.latest + 1):
            if version not in there:
                yield Compared(f"snapshot {version}", "there", "not there", False)
                continue
            live = sorted(self.files.get(name, name) for name in there[version].files)
            files = sorted(state.manifest[state.snapshots[version]])
            yield compared(f"the files of snapshot {version}", tuple(files), tuple(live))
            for key, bucket in self.model.bucket_of.items():
                foretold = read(state, key, version, bucket)
                rows = there[version].rows.get(self.names[key], [None])
                values = {None if row is None else tuple(row[name] for name in COLUMNS) for row in rows}
                spelled = " or ".join(sorted(map(show, values)))
                yield Compared(f"{key} in snapshot {version}", show(foretold), spelled, foretold in values)

    def conclude(self, trace: Trace) -> Iterator[Compared]:
        from workbench.audits import audit

        yield from self._versions(trace.last)
        self.acks.write_text("".join(f"{json.dumps(ack)}\n" for ack in self.acknowledged))
        findings = audit(self.path, format="paimon", acks=self.acks).findings
        grades = {
            name: finding.grade for finding in reversed(findings) for name in (finding.property, finding.violates())
        }
        lost = [name for name in _OF_COMMITS if name in grades]
        for name, violated in {**dict.fromkeys(grades, ""), **foretold(trace)}.items():
            outcome = f"violated ({grades[name]})" if name in grades else "nothing found"
            agrees = bool(violated) == (name in grades) or grades.get(name) == "suspect"
            if name == "ConsistentRead" and lost and not agrees:
                # An audit cannot always tell which rows were lost with a commit.
                outcome, agrees = f"{outcome}, but see {lost[0]}", True
            yield Compared(name, violated or "holds", outcome, agrees)


def foretold(trace: Trace) -> dict[str, str]:
    """The model's verdict, at the end of a trace, on each property that an audit judges: "" or the violation."""
    s, model = trace.last, trace.model
    violated = {
        declared.name: any(not predicate.holds(s) for predicate in model.predicates(declared.name))
        for declared in model.select()
        if declared.kind == "invariant"
    }
    commits = [s.snapshots[version] for version in range(1, s.latest + 1)]
    linear, present = _OF_COMMITS
    violated[linear] = any(s.manifest[after][:-1] != s.manifest[before] for before, after in pairwise(commits))
    violated[present] = any(file not in commits for file in _committed(trace))
    says = {name: "violated" if is_violated else "" for name, is_violated in violated.items()}
    if not says["ConsistentRead"] and _reads_another_row(s, model.author):
        says["ConsistentRead"] = "violated by rows, not by columns"
    return says


def _reads_another_row(s: Any, model: Any) -> bool:
    """Whether some version reads as another row than the last committed one, which is how an audit judges.

    The model judges by columns: after two updates of different columns the row may have both values, although each
    update overwrote the other's row.
    """
    for key, bucket in model.bucket_of.items():
        last = None
        for version in range(1, s.latest + 1):
            file = s.snapshots[version]
            if (file, key) in s.kind and s.kind[file, key] is not None:
                last = s.columns[file, key]
            if read(s, key, version, bucket) != last:
                return True
    return False


def _committed(trace: Trace) -> Iterator[str]:
    """The files whose commits succeeded, overwritten since or not."""
    for before, step in pairwise(trace.steps):
        actor, was, now = step.lane, before.state.pc[step.lane], step.state.pc[step.lane]
        if was == COMMIT and now == READY:
            yield before.state.message[actor].file


def _check(model: Machine) -> None:
    if model.name not in MODELS:
        raise InputError(f"a trace of {model.name} is not accepted; pypaimon takes one of {' or '.join(MODELS)}")
    for name, reason in _FIXED.items():
        if model.constants.get(name):
            raise InputError(f"{name} = {show(model.constants[name])} is not accepted; it takes FALSE, since {reason}")


def _fact(actor: str, answer: ActorAnswer, name: str, kind: type) -> Any:
    fact = answer.facts.get(name)
    if not isinstance(fact, kind):
        raise ActorError(f"{actor} says {brief(fact)} as {name!r}; it takes a JSON {kind.__name__}")
    return fact
