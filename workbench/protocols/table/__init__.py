"""The promise of a table, which all protocols should keep to their users; and what tables of all formats share."""

from workbench.registry import Protocol

PROTOCOL = Protocol(
    __name__,
    models={
        "table": "model:VersionedTable",
        "sink": "sink:Sink",
        "late_sink": "late_sink:LateSink",
        "row_ids": "row_ids:RowIds",
        "several_tables": "several_tables:SeveralTables",
    },
    picture="picture",
    in_sight={"late_sink": ("Landing", "Key", "GiveUp", "Remember", "Records", "MaxCrashes", "MaxGiveUps")},
    stories={
        "sink": {
            "The batch that is there twice": "table/sink_replayed",
            "One id, two batches": "table/sink_replanned",
            "As it should be": "table/sink",
        },
        "late_sink": {
            "Given up, and landed": "table/sink_late",
            "A key that was forgotten": "table/sink_key_expires",
            "Deleted first, landed afterwards": "table/sink_late_deleted",
            "As it should be": "table/sink_in_flight",
        },
        "row_ids": {
            "Ids of the first attempt": "table/row_ids_retried",
            "Restored with its counter": "table/row_ids_restored",
            "Moved, and renumbered": "table/row_ids_compacted",
            "As it should be": "table/row_ids",
        },
        "several_tables": {
            "Swapped one by one": "table/several_tables_each",
            "Loaded one by one": "table/several_tables_loaded",
            "As it should be": "table/several_tables",
        },
    },
)
