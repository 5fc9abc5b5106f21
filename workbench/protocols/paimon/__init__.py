"""Paimon: primary-key tables of buckets, with compaction and deletion vectors."""

from workbench.registry import Protocol

PROTOCOL = Protocol(
    __name__,
    models={
        "paimon": "extended:PaimonExtended",
        "paimon_published": "published:PaimonPublished",
    },
    picture="picture",
    audit="audit",
    history="recording",
    texts={"paimon": "text:PAIMON"},
    driver="driver:PaimonDriver",
    stories={
        "paimon": {
            "Overwritten snapshot": "paimon/two_buckets_unprotected",
            "The row that returns": "paimon/one_bucket_deletes_dv_published",
            "Dangling vector": "paimon/dangling",
            "A lock held twice": "paimon/two_buckets_lock_as_published",
            "A rename that had succeeded": "paimon/lost_answer",
            "As it should be": "paimon/two_buckets",
        },
    },
    in_sight={
        "paimon": (
            "PUT_IF_ABSENT",
            "USE_LOCK",
            "ONE_WRITER_PER_BUCKET",
            "DV_ENABLED",
            "STREAMING_SINK",
            "AsPublished",
            "NUM_WRITERS",
            "NUM_COMPACTORS",
            "NUM_BUCKETS",
        ),
    },
)
