"""Exercises on real tables."""

import shutil
import tempfile
from pathlib import Path

from workbench.registry import get_model
from workbench.registry.shipped import folder
from workbench.showing.lessons.exercise import CONSTANTS, TEXT, Wrong, task
from workbench.showing.lessons.judging import expect, with_constants


@task("07_real_tables", CONSTANTS, "Which constant lets only one writer at a time near the snapshot?")
def one_process(answer):
    """One process.

    Within a process pypaimon holds a lock around the commit, so two threads lose nothing. Which constant of `paimon`
    is this lock? Find constants under which no commit is lost although the store overwrites (`PUT_IF_ABSENT` stays
    off): `AllOperationsCommitted` and `ConsistentRead` hold.
    """
    model = with_constants(get_model("paimon"), answer, {"PUT_IF_ABSENT": False})
    result = expect(model, {"AllOperationsCommitted": "holds", "ConsistentRead": "holds"})
    return f"It holds in all {result.distinct:,} states. Two processes do not share such a lock."


@task("07_real_tables", TEXT, "List the table's files. Which of them are numbered, with no number left out?")
def gap(answer):
    """A gap.

    Break a table: which file of `seq` must be deleted for an audit to prove that `SequentialSnapshots` is violated?
    Give its name within the table, such as `schema/schema-0`.
    """
    from workbench.audits import audit  # pyarrow loads here

    with tempfile.TemporaryDirectory() as place:
        shutil.unpack_archive(folder("data") / "real" / "seq.tar.xz", place)
        table = Path(place, "seq", "db.db", "t")
        files = {str(file.relative_to(table)): file for file in table.rglob("*") if file.is_file()}
        if answer not in files:
            raise Wrong(f"The table has no file `{answer}`.")
        files[answer].unlink()
        gaps = [finding for finding in audit(table).findings if finding.property == "SequentialSnapshots"]
    if not gaps:
        raise Wrong(f"Without `{answer}` an audit finds no gap.")
    return f"{gaps[0].grade.capitalize()}: {gaps[0].why}."
