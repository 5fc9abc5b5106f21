"""Writes Delta tables with deltalake: that of a kind is FOLDER/KIND."""

import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import DeltaError

from tests.audits.writing import race, write

WRITERS, COMMITS = 4, 8
ODD = ("a b/ü%=c", "x:y", "#1?", "\u3000")


def append(folder: Path, *ids: int, part: str = "p", **how: object) -> None:
    columns = {"p": pa.array([part] * len(ids), pa.string()), "id": pa.array(ids, pa.int64())}
    write_deltalake(str(folder), pa.table(columns), **{"mode": "append", "schema_mode": "merge", **how})


def many(folder: Path, writer: int) -> None:
    """One of several processes that append, and update rows of their own."""
    for i in range(COMMITS):
        while True:
            try:
                if i % 3 == 2:
                    DeltaTable(str(folder)).update({"id": "id + 1000000"}, predicate=f"id = {writer * 1000 + i - 1}")
                else:
                    append(folder, writer * 1000 + i, part=f"p{writer}")
                break
            except DeltaError:
                pass


def races(folder: Path) -> None:
    """Four processes, eight commits of each."""
    append(folder, 1, partition_by=["p"])
    race("tests.protocols.delta.writer", many, folder, WRITERS)


def life(folder: Path, seed: int) -> None:
    """Whatever one writer may do to a table."""
    choice = random.Random(seed)
    settings = {"delta.logRetentionDuration": "interval 0 days"} if seed % 2 else None
    append(folder, 0, part=ODD[0], partition_by=["p"] if seed % 3 else None, configuration=settings)
    for i in range(1, 25):
        table = DeltaTable(str(folder))
        kinds = ["append"] * 4 + ["delete", "update", "overwrite", "optimize", "restore", "vacuum", "point", "clean"]
        match choice.choice([*kinds, "widen", "merge"]):
            case "append":
                append(folder, i, i + 100, part=choice.choice(ODD))
            case "delete":
                table.delete(f"id = {choice.randrange(i)}")
            case "update":
                table.update({"id": "id + 1"}, predicate=f"id < {i // 2}")
            case "overwrite":
                append(folder, i, part=ODD[1], mode="overwrite")
            case "optimize":
                table.optimize.compact()
            case "restore":
                with suppress(DeltaError):  # cleaned up, or vacuumed
                    table.restore(max(0, table.version() - 2))
            case "vacuum":
                table.vacuum(0, enforce_retention_duration=False, dry_run=False)
            case "point":
                table.create_checkpoint()
            case "clean":
                table.create_checkpoint()
                table.cleanup_metadata()
            case "widen":
                more = pa.table({"p": pa.array([ODD[2]]), "id": pa.array([i], pa.int64()), f"c{i}": pa.array([i])})
                write_deltalake(str(folder), more, mode="append", schema_mode="merge")
            case "merge":
                new = pa.table({"p": pa.array([ODD[1]] * 2), "id": pa.array([i - 1, i + 500], pa.int64())})
                made = table.merge(new, "t.id = s.id", source_alias="s", target_alias="t")
                made.when_matched_update({"id": "s.id + 7"}).when_not_matched_insert(
                    {"p": "s.p", "id": "s.id"}
                ).execute()


def changes(folder: Path) -> None:
    """With a change data feed, whose files some operations count as added."""
    append(folder, 1, 2, 3, 4, part=ODD[0], configuration={"delta.enableChangeDataFeed": "true"})
    table = DeltaTable(str(folder))
    table.delete("id = 2")
    table.update({"id": "id + 20"}, predicate="id = 3")
    new = pa.table({"p": pa.array([ODD[1]]), "id": pa.array([4], pa.int64())})
    made = table.merge(new, "t.id = s.id", source_alias="s", target_alias="t")
    made.when_matched_update({"id": "s.id + 7"}).execute()


KINDS: dict[str, Callable[[Path], None]] = {
    "changes": changes,
    **{f"life{seed}": lambda folder, seed=seed: life(folder, seed) for seed in range(6)},  # type: ignore[misc]
}

if __name__ == "__main__":
    write(KINDS, races=races)
