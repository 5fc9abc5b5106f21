"""Delta Lake: entries of a log, each put if absent."""

from workbench.registry import Protocol

PROTOCOL = Protocol(
    __name__,
    models={
        "delta": "model:Delta",
        "deletion_vectors": "vectors:DeletionVectors",
    },
    picture="picture",
    audit="audit",
    texts={"delta_lake": "text:DELTA"},
    stories={
        "delta": {
            "The entry that was overwritten": "delta/overwritten",
            "The lock that expires": "delta/lock_expires",
            "VACUUM too early": "delta/vacuum",
            "The answer that is lost": "delta/lost_answer",
            "The append that is there twice": "delta/lost_answer_retry",
            "As it should be": "delta/put_if_absent",
        },
        "deletion_vectors": {
            "Two vectors of one file": "delta/vectors_unnoticed",
            "Back after the compaction": "delta/vectors_compacted",
            "As it should be": "delta/vectors",
        },
    },
)
