"""Small sound tables, and which of their files are damaged."""

import json
import shutil
from pathlib import Path

from tests.audits.damage import records
from tests.places import ROOT
from tests.protocols.delta.layout import DeltaTable
from tests.protocols.hudi.layout import HudiTable
from tests.protocols.iceberg.tables import unpack

Kinds = dict[str, tuple[str, str | None]]
_REAL = ROOT / "data" / "real"


def paimon(folder: Path) -> tuple[Path, Kinds]:
    """Java's table with deletion vectors, before the snapshot that is wrong."""
    shutil.unpack_archive(_REAL / "java_dangling.tar.xz", folder)
    (table,) = (path.parent for path in folder.rglob("snapshot"))
    said = {n: json.loads((table / f"snapshot/snapshot-{n}").read_text()) for n in range(1, 8)}
    for n in (6, 7):
        for name in (said[n]["baseManifestList"], said[n]["deltaManifestList"]):
            (table / "manifest" / name).unlink()
        (table / f"snapshot/snapshot-{n}").unlink()
    (table / "snapshot/LATEST").write_text("5")
    delta = f"manifest/{said[4]['deltaManifestList']}"
    before = f"manifest/{said[3]['deltaManifestList']}"
    (index,) = records(table / "manifest" / said[5]["indexManifest"])
    files = [
        one["_FILE"]["_FILE_NAME"] for one in records(table / "manifest" / _first(table, delta)) if not one["_KIND"]
    ]
    bases = [f"manifest/{said[n]['baseManifestList']}" for n in (5, 4)]
    return table, {
        "snapshot": ("snapshot/snapshot-5", "snapshot/snapshot-4"),
        "older snapshot": ("snapshot/snapshot-3", "snapshot/snapshot-2"),
        "LATEST": ("snapshot/LATEST", None),
        "schema": ("schema/schema-0", None),
        "manifest list": (delta, before),
        "base manifest list": (bases[0], bases[1]),
        "manifest": (f"manifest/{_first(table, delta)}", f"manifest/{_first(table, before)}"),
        "index manifest": (f"manifest/{said[5]['indexManifest']}", None),
        "deletion vectors": (f"index/{index['_FILE_NAME']}", None),
        "data file": (f"bucket-0/{files[0]}", None),
    }


def _first(table: Path, manifest_list: str) -> str:
    name: str = records(table / manifest_list)[0]["_FILE_NAME"]
    return name


def iceberg(folder: Path) -> tuple[Path, Kinds]:
    """A table of three commits, one of which was refused once."""
    folder.mkdir()
    unpack(folder)
    table = folder / "retried/ns/t"
    metadata = sorted((table / "metadata").glob("*.metadata.json"))
    said = json.loads(metadata[-1].read_text())
    lists = [f"metadata/{Path(one['manifest-list']).name}" for one in said["snapshots"]]
    manifests = [f"metadata/{Path(one['manifest_path']).name}" for one in records(table / lists[-1])]
    data = sorted((table / "data").iterdir())
    return table, {
        "metadata": (f"metadata/{metadata[-1].name}", f"metadata/{metadata[0].name}"),
        "older metadata": (f"metadata/{metadata[1].name}", f"metadata/{metadata[0].name}"),
        "manifest list": (lists[-1], lists[0]),
        "older manifest list": (lists[0], lists[1]),
        "manifest": (manifests[0], manifests[-1]),
        "data file": (f"data/{data[0].name}", None),
    }


def hudi(folder: Path, version: int) -> tuple[Path, Kinds]:
    """A table with an update, a file group that was replaced, and a clean."""
    table = HudiTable(folder / "t", version)
    table.commit("a", "jack=red", "sarah=blue")
    table.commit("a", "jack=green")
    table.commit("c", "bob=red", "tim=red")
    last = table.commit("a", "jack=black", "-sarah")
    replaced = table.commit("CLUSTER", "d", "bob=red", "tim=red", "~c")
    table.clean("3")
    for path in [*table.folder.rglob("*.crc"), *table.timeline.glob("*.requested"), *table.timeline.glob("*.inflight")]:
        path.unlink()
    names = {ts: next(table.timeline.glob(f"{ts}*")).relative_to(table.folder) for ts in table.instants}
    live = sorted(one.path for one in table.live.values())
    return table.folder, {
        "properties": (".hoodie/hoodie.properties", None),
        "commit": (str(names[last]), str(names[table.instants[0]])),
        "older commit": (str(names[table.instants[1]]), str(names[table.instants[0]])),
        "replacecommit": (str(names[replaced]), str(names[last])),
        "clean": (str(names[table.instants[-1]]), None),
        "base file": (live[0], live[1]),
    }


def delta(folder: Path) -> tuple[Path, Kinds]:
    """Five commits, a checkpoint after the fourth, a checksum file, and a deletion vector."""
    table = DeltaTable(folder)
    table.commit("+a", '+b{"stats":"{\\"numRecords\\":9}"}', "isBlindAppend=true")
    table.commit('{"txn":{"appId":"app","version":1}}', "+c")
    table.commit("-a", "+d", "readVersion=1", "isBlindAppend=false")
    table.strike("b", "1,5")
    table.checkpoint()
    table.commit("-c", "+e", "readVersion=3")
    table.write("4.crc", json.dumps({"numFiles": 3, "tableSizeBytes": 30, "numMetadata": 1, "numProtocol": 1}))
    entries = [f"_delta_log/{version:020}.json" for version in range(5)]
    (vector,) = folder.glob("deletion_vector_*.bin")
    return folder, {
        "first entry": (entries[0], entries[1]),
        "entry": (entries[2], entries[1]),
        "newest entry": (entries[4], entries[1]),
        "checkpoint": (f"_delta_log/{3:020}.checkpoint.parquet", None),
        "_last_checkpoint": ("_delta_log/_last_checkpoint", None),
        "checksum": (f"_delta_log/{4:020}.crc", None),
        "deletion vector": (vector.name, None),
        "data file": ("d", "e"),
    }


TABLES = {
    "paimon": paimon,
    "iceberg": iceberg,
    "hudi 6": lambda folder: hudi(folder, 6),
    "hudi 9": lambda folder: hudi(folder, 9),
    "delta": delta,
}
