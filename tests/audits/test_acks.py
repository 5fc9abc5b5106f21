"""The lists of acknowledged commits that docs/audit.md makes, by the software that writes the tables."""

import json
import re
import subprocess

import pytest

from tests.places import ROOT
from workbench.audits import audit

BLOCKS = re.findall(r"^```py\n# (\w+)\n(.*?)^```$", (ROOT / "docs" / "audit.md").read_text(), re.MULTILINE | re.DOTALL)

#: What stands before each block: a new table, and rows for it.
BEFORE = {
    "deltalake": """
from deltalake import DeltaTable, write_deltalake
write_deltalake("t", rows)
table = DeltaTable("t")
""",
    "pyiceberg": """
from pyiceberg.catalog.sql import SqlCatalog
catalog = SqlCatalog("c", uri="sqlite:///c.db", warehouse=".")
catalog.create_namespace("db")
table = catalog.create_table("db.t", rows.schema, location="t")
""",
    "pypaimon": """
from pypaimon import CatalogFactory, Schema
catalog = CatalogFactory.create({"warehouse": "."})
catalog.create_database("db", True)
catalog.create_table("db.t", Schema.from_pyarrow_schema(rows.schema, primary_keys=["k"], options={"bucket": "1"}), True)
table = catalog.get_table("db.t")

def commit(builder, rows):
    write = builder.new_write()
    write.write_arrow(rows)
    builder.new_commit().commit(write.prepare_commit())
""",
}
BEGINNING = """
import json
import pyarrow
rows = pyarrow.table({"k": ["jack"], "v": ["red"]})
acks = open("acks.jsonl", "a", buffering=1)
"""


@pytest.mark.writers
@pytest.mark.parametrize(
    ("writer", "block"), [pair for pair in BLOCKS if pair[0] != "Spark"], ids=lambda text: text[:9]
)
def test_a_list_that_is_made_as_documented_is_what_an_audit_reads(tmp_path, writer, block):
    python = ROOT / ".writers" / "bin" / "python"
    script = BEGINNING + BEFORE[writer] + block * 2
    subprocess.run([python, "-c", script], cwd=tmp_path, check=True, capture_output=True)
    lines = (tmp_path / "acks.jsonl").read_text().splitlines()
    assert len({*lines}) == 2
    table = tmp_path / ("db.db/t" if writer == "pypaimon" else "t")
    found = audit(table, acks=tmp_path / "acks.jsonl")
    assert not found.findings
    assert any("2 acknowledged commits" in line for line in found.looked_at)
    gone = {**json.loads(lines[0]), "version": 99, "snapshot-id": 99, "commitUser": "somebody"}
    (tmp_path / "acks.jsonl").write_text(json.dumps({key: gone[key] for key in json.loads(lines[0])}) + "\n")
    (finding,) = audit(table, acks=tmp_path / "acks.jsonl").findings
    assert finding.property == "AcknowledgedCommitsPresent"
