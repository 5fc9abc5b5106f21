"""Delta tables, as layout.py and deltalake write them, are read and judged; cases are in `audit.txt`."""

import json
import shutil
from pathlib import Path

import pytest

from tests.audits.cases import cases
from tests.audits.expected import agreed
from tests.protocols.delta.layout import DeltaTable


@pytest.mark.parametrize(("case", "kind"), cases(Path(__file__).with_name("audit.txt"), "four"))
def test_case(tmp_path, case, kind):
    table = DeltaTable(tmp_path / "t")
    if kind == "four":
        table.commit("+a", "+b")
        table.commit("+c")
        table.commit("-a", "+d", "readVersion=1", "isBlindAppend=false")
        table.checkpoint()
        table.commit("+e")
    case.play(table)


@pytest.mark.parametrize("kind", ["races", "changes", *(f"life{seed}" for seed in range(6))])
def test_what_deltalake_does_to_a_table_is_clean(writing, all_written, tmp_path, kind):
    if kind == "races":
        folder, process = writing("delta", kind)
        assert process.wait(300) == 0
    else:
        folder = all_written("delta")
    moved = shutil.copytree(folder / kind, tmp_path / "renamed")
    found = agreed(moved)
    assert (found.findings, found.complete) == ((), True)
    assert json.dumps(found.as_dict())
