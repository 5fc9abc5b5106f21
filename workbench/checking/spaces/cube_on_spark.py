"""The cube of :mod:`workbench.checking.spaces.cube` over a table of states, counted by Spark; only tuples travel."""

from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.checking.spaces.cube import (
    MOST_MULTISETS,
    MOST_TUPLES,
    MOST_VALUES,
    Cube,
    Lens,
    information_gain,
    multiset,
)
from workbench.checking.spark.cluster.fetching_without_port import to_pandas

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: Between the values of a multiset while Spark groups by it.
_BETWEEN = "\x1f"


def cube_of_table(
    states: "DataFrame",
    columns: Mapping[str, str],
    indexed: Mapping[str, Sequence[str]],
    fault: str | None,
    reads: Set[str],
    most: int = MOST_TUPLES,
) -> Cube:
    """The cube of a dataset's states.

    Values are the texts that Spark makes of the columns. Samples are the lowest ``id``; no state has its tuple noted.

    Args:
        columns: For each variable the name of its column.
        indexed: For each variable with a cell per index the names of its cells, in the order of its map.
        fault: The invariant that is violated where its distance is 0.
        reads: The cells that it reads.
        most: The most tuples.
    """
    from pyspark.sql import functions as sql

    seen = _expressions(states, columns, indexed)
    wrong = sql.lit(0) if fault is None else sql.coalesce((states[f"distance_{fault}"] == 0).cast("int"), sql.lit(0))
    narrow = states.select(
        "id",
        states["level"].alias("depth"),
        wrong.alias("wrong"),
        *(expression.alias(f"lens{at}") for at, (_, _, expression) in enumerate(seen)),
    ).persist()
    try:
        sizes = _values(narrow, len(seen))
        lenses = _lenses(seen, sizes, indexed, reads)
        group, others = ["depth"], []
        for at, lens in lenses:
            if narrow.select(*group, f"lens{at}").distinct().limit(most + 1).count() > most:
                others.append(lens)
            else:
                group.append(f"lens{at}")
        sample = sql.coalesce(sql.min(sql.when(sql.col("wrong") == 1, sql.col("id"))), sql.min("id"))
        counted = narrow.groupBy(*group).agg(
            sql.count("*").alias("counts"), sql.sum("wrong").alias("wrong"), sample.alias("samples")
        )
        tuples = to_pandas(counted.orderBy(*group))
    finally:
        narrow.unpersist()
    taken = [(at, lens) for at, lens in lenses if f"lens{at}" in group]
    numbers = {at: {text: number for number, text in enumerate(sizes[at])} for at, _ in taken}
    return Cube(
        fault,
        tuple(lens for _, lens in taken),
        tuple(others),
        tuples["depth"].to_numpy(np.int64),
        tuple(tuples[f"lens{at}"].map(numbers[at]).to_numpy(np.int64) for at, _ in taken),
        tuples["counts"].to_numpy(np.int64),
        tuples["wrong"].to_numpy(np.int64),
        tuples["samples"].to_numpy(np.int64),
        np.zeros(0, np.int64),
    )


#: What a lens sees: its name, the most values that it may have, and an expression of its value as a text.
_Expression = tuple[str, int, "Column"]


def _expressions(
    states: "DataFrame", columns: Mapping[str, str], indexed: Mapping[str, Sequence[str]]
) -> list[_Expression]:
    """All that may become lenses, in the order of the variables: a multiset stands before its cells."""
    from pyspark.sql import functions as sql

    def text(value: "Column", kind: Any) -> "Column":
        plain = kind.typeName() not in ("array", "map", "struct")
        return sql.coalesce(value.cast("string") if plain else sql.to_json(value), sql.lit("-"))

    seen: list[_Expression] = []
    for variable, column in columns.items():
        kind: Any = states.schema[column].dataType
        if variable not in indexed:
            seen.append((variable, MOST_VALUES, text(states[f"`{column}`"], kind)))
            continue
        held = sql.map_values(states[f"`{column}`"])
        cells = [text(sql.get(held, sql.lit(at)), kind.valueType) for at in range(len(indexed[variable]))]
        if len(cells) > 1:
            seen.append((variable, MOST_MULTISETS, sql.array_join(sql.array_sort(sql.array(*cells)), _BETWEEN)))
        seen += [(name, MOST_VALUES, cell) for name, cell in zip(indexed[variable], cells, strict=True)]
    return seen


def _values(narrow: "DataFrame", lenses: int) -> dict[int, dict[str, tuple[int, int]]]:
    """For each lens with few enough values, by value the number of states and of violating ones; {} for others."""
    from pyspark.sql import functions as sql

    each = sql.posexplode(sql.array(*(sql.col(f"lens{at}") for at in range(lenses)))).alias("lens", "value")
    counted = (
        narrow.select("wrong", each)
        .groupBy("lens", "value")
        .agg(sql.count("*").alias("counts"), sql.sum("wrong").alias("wrong"))
        .persist()
    )
    try:
        few = to_pandas(counted.groupBy("lens").count().where(sql.col("count") <= max(MOST_VALUES, MOST_MULTISETS)))[
            "lens"
        ].tolist()
        rows = to_pandas(counted.where(sql.col("lens").isin(few)).orderBy("lens", "value")) if few else None
    finally:
        counted.unpersist()
    by_lens: dict[int, dict[str, tuple[int, int]]] = {at: {} for at in range(lenses)}
    for at, value, counts, wrong in [] if rows is None else rows.to_numpy().tolist():
        by_lens[at][value] = (counts, wrong)
    return by_lens


def _lenses(
    seen: Sequence[_Expression],
    sizes: Mapping[int, Mapping[str, tuple[int, int]]],
    indexed: Mapping[str, Sequence[str]],
    reads: Set[str],
) -> list[tuple[int, Lens]]:
    """The lenses, the most telling one first: as in memory, a multiset takes the place of its cells."""
    few = {name for at, (name, most, _) in enumerate(seen) if 0 < len(sizes[at]) <= most}
    varying = {name for at, (name, _, _) in enumerate(seen) if name in few and len(sizes[at]) > 1}
    whole = {variable for variable, cells in indexed.items() if variable in varying and few.issuperset(cells)}
    lenses = []
    for at, (name, _, _) in enumerate(seen):
        variable = next((candidate for candidate, cells in indexed.items() if name == candidate or name in cells), None)
        multisets = variable is not None and name == variable
        if name not in varying or (variable is not None and multisets != (variable in whole)):
            continue
        counts, wrong = np.array(list(sizes[at].values())).T
        words = sizes[at] if not multisets else [multiset(text.split(_BETWEEN)) for text in sizes[at]]
        read = reads & set(indexed[name] if multisets else [name])
        lenses.append((at, Lens(name, tuple(words), information_gain(counts, wrong), bool(read))))
    return sorted(lenses, key=lambda pair: -pair[1].gain)
