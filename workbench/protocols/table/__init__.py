"""The promise of a table, which all protocols should keep to their users."""

from workbench.registry import Protocol

PROTOCOL = Protocol(
    __name__,
    models={
        "table": "model:VersionedTable",
    },
)
