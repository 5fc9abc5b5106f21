"""Iceberg: snapshots in metadata files, which a catalog swaps."""

from workbench.registry import Protocol

PROTOCOL = Protocol(
    __name__,
    models={
        "iceberg": "model:Iceberg",
    },
    picture="picture",
    audit="audit",
    stories={
        "iceberg": {
            "The row that stays": "iceberg/update_and_delete",
            "A blind swap": "iceberg/blind_swap",
            "The answer that is lost": "iceberg/lost_answer",
            "The rows that are there twice": "iceberg/lost_answer_retry",
            "Orphans that are none": "iceberg/orphans",
            "As it should be": "iceberg/compaction",
        },
    },
    in_sight={
        "iceberg": (
            "CatalogSwap",
            "DeleteChecksDeletes",
            "Validate",
            "Isolation",
            "UpdateMode",
            "DeleteMode",
            "LostAnswer",
            "Remember",
            "CleanUp",
            "Writers",
            "MaxWriteOps",
            "MaxCompactions",
        ),
    },
)
