"""What is read of an Iceberg table, and decoded, grows with what its commits add, not with what they repeat."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.audits.damage import change, records
from tests.audits.expected import agreed
from tests.protocols.iceberg.appended import appended
from workbench.audits.source import Source
from workbench.protocols.iceberg.audit.manifests import Places

COMMITS, FILES = 40, 2


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return appended(tmp_path_factory.mktemp("appended"), COMMITS, FILES)


def test_a_manifest_is_decoded_once(table, monkeypatch):
    """A name is looked up for each record that is decoded: of a manifest list a manifest's, of a manifest a file's."""
    named, opened = Counter[str](), Counter[str]()
    name, open_ = Places.name, Source.open
    monkeypatch.setattr(Places, "name", lambda self, location: (named.update([location]), name(self, location))[1])
    monkeypatch.setattr(Source, "open", lambda self, file: (opened.update([file]), open_(self, file))[1])
    found = agreed(table)
    assert (found.holds, found.versions) == (True, (1, COMMITS))
    lookups = Counter(re.sub(r"\d+", "N", Path(location).name) for location in named.elements())
    assert lookups == {"snap-N-N-x.avro": COMMITS + 1, "N-mN.avro": COMMITS, "N-N.parquet": COMMITS * FILES}
    reads = Counter(re.sub(r"\d+", "N", Path(file).name) for file in opened.elements())
    assert (reads["snap-N-N-x.avro"], reads["N-mN.avro"]) == (COMMITS, COMMITS)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (lambda some: some.pop(), "was not built on the files of its parent"),
        (lambda some: some.pop(5), "was not built on the files of its parent"),
        (lambda some: some.append(some[3]), "twice"),
        (lambda some: some.reverse(), None),
        (lambda some: some[7].update(added_rows_count=5), "is listed otherwise than in the snapshot before"),
    ],
    ids=["the oldest is dropped", "one is dropped", "one is there twice", "the order is another", "a count is another"],
)
def test_a_list_that_ends_otherwise_is_decoded_whole(tmp_path, how, said):
    table = appended(tmp_path, 20)
    newest = json.loads(max(table.glob("metadata/*.json")).read_text())
    lists = [Path(one["manifest-list"].removeprefix("file://")) for one in newest["snapshots"]]
    change(lists[11], how)
    assert len(records(lists[12])) == 13
    found = agreed(table)
    whys = [one.why for one in found.findings]
    assert (said is None) == (whys == [])
    assert all(one.version in (12, 13) for one in found.findings)
    assert said is None or any(said in why for why in whys), whys
