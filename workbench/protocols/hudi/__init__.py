"""Hudi: copy-on-write writers and their timeline."""

from workbench.registry import Protocol

PROTOCOL = Protocol(
    __name__,
    models={
        "hudi": "extended:HudiExtended",
        "hudi_published": "model:Hudi",
    },
    picture="picture",
    audit="audit",
    texts={"hudi": "text:HUDI"},
    stories={
        "hudi": {
            "Two writers, one file name": "hudi/timestamp_collision",
            "The hidden row": "hudi/no_concurrency_control",
            "One key, two rows": "hudi/duplicate_key",
            "A rollback too eager": "hudi/rollback_eager",
            "A cleaner too eager": "hudi/cleaner",
            "As it should be": "hudi/optimistic",
        },
    },
    in_sight={
        "hudi": (
            "PutIfAbsentSupported",
            "UseSalt",
            "MonotonicTs",
            "PrimaryKeyConflictCheck",
            "ConcurrencyControl",
            "Writers",
            "Keys",
            "OpLimit",
        ),
    },
)
