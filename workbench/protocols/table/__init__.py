"""The promise of a table, which all protocols should keep to their users; and a sink that relies on it."""

from workbench.registry import Protocol

PROTOCOL = Protocol(
    __name__,
    models={
        "table": "model:VersionedTable",
        "sink": "sink:Sink",
    },
    stories={
        "sink": {
            "The batch that is there twice": "table/sink_replayed",
            "One id, two batches": "table/sink_replanned",
            "As it should be": "table/sink",
        },
    },
)
