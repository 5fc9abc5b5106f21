"""The stories of the models that come with the package, and what a panel keeps in sight of each.

A story is a named configuration worth telling: something breaks in it, or, in the last one of a model, nothing does.
"""

from functools import cache
from pathlib import Path
from typing import Any

from workbench import configurations
from workbench.kernel import Model
from workbench.models import MODELS
from workbench.session.settings import Settings
from workbench.session.start import start_from

#: By the model's name, titles and the names of configurations. The first one opens with the panel.
STORIES: dict[str, dict[str, str]] = {
    "delta": {
        "The entry that was overwritten": "delta/overwritten",
        "The lock that expires": "delta/lock_expires",
        "As it should be": "delta/put_if_absent",
    },
    "hudi": {
        "Two writers, one file name": "hudi/timestamp_collision",
        "The hidden row": "hudi/no_concurrency_control",
        "One key, two rows": "hudi/duplicate_key",
        "A rollback too eager": "hudi/rollback_eager",
        "As it should be": "hudi/optimistic",
    },
    "iceberg": {
        "The row that stays": "iceberg/update_and_delete",
        "A blind swap": "iceberg/blind_swap",
        "The answer that is lost": "iceberg/lost_answer",
        "Orphans that are none": "iceberg/orphans",
        "As it should be": "iceberg/compaction",
    },
    "paimon": {
        "Overwritten snapshot": "paimon/two_buckets_unprotected",
        "The row that returns": "paimon/one_bucket_deletes_dv_published",
        "Dangling vector": "paimon/dangling",
        "A lock held twice": "paimon/two_buckets_lock_as_published",
        "As it should be": "paimon/two_buckets",
    },
    "bakery": {
        "Behind an orphan": "bakery/v1_no_reaping",
        "Back without cleaning up": "bakery/v1_restart_no_startup",
        "As it should be": "bakery/v1_survivor_liveness",
    },
    "bakery_v2": {
        "Stale files": "bakery/v2_race",
        "The ack that never comes": "bakery/v2_two_writers_wedge",
        "Clocks that disagree": "bakery/clocks_skewed",
        "Taken for dead": "bakery/suspicion",
        "As it should be": "bakery/v2",
    },
    "two_phase_commit": {
        "Out of patience": "classics/two_phase_commit_impatient",
        "The coordinator crashes": "classics/two_phase_commit_blocks",
        "A majority decides": "classics/two_phase_commit_majority",
        "As it should be": "classics/two_phase_commit",
    },
    "paxos": {
        "Quorums that never meet": "classics/paxos_quorums",
        "A broken promise": "classics/paxos_promises",
        "Votes ignored": "classics/paxos_votes",
        "As it should be": "classics/paxos",
    },
    "raft_election": {
        "A vote forgotten": "classics/raft_election_vote",
        "A term forgotten": "classics/raft_election_term",
        "Split votes": "classics/raft_election_split",
        "As it should be": "classics/raft_election",
    },
    "chang_roberts": {
        "Twins": "classics/chang_roberts_twins",
        "The smallest gets through": "classics/chang_roberts_smaller",
        "As it should be": "classics/chang_roberts",
    },
    "ewd998": {
        "A message nobody counted": "classics/ewd998_uncounted",
        "Woken behind the token": "classics/ewd998_white",
        "As it should be": "classics/ewd998",
    },
    "peterson": {
        "A level too few": "classics/peterson_level_less",
        "Two lines exchanged": "classics/peterson_last_first",
        "A level never left": "classics/peterson_stays",
        "As it should be": "classics/peterson",
    },
    "readers_writers": {
        "Together in the room": "classics/readers_writers_together",
        "The writer starves": "classics/readers_writers_starve",
        "As it should be": "classics/readers_writers",
    },
    "allocator": {
        "Deadlock": "classics/allocator_deadlock",
        "Some wait for ever": "classics/allocator_simple",
        "As it should be": "classics/allocator",
    },
}

#: What a panel keeps in sight where that is not what the rule of :func:`in_sight` says.
_IN_SIGHT = {
    "hudi": (
        "PutIfAbsentSupported", "UseSalt", "MonotonicTs", "PrimaryKeyConflictCheck",
        "ConcurrencyControl", "Writers", "Keys", "OpLimit",
    ),
    "iceberg": (
        "CatalogSwap", "DeleteChecksDeletes", "Validate", "Isolation", "UpdateMode", "DeleteMode",
        "CleanUpOnUnknown", "RemoveOrphans", "Writers", "MaxWriteOps", "MaxCompactions",
    ),
    "paimon": (
        "PUT_IF_ABSENT", "USE_LOCK", "ONE_WRITER_PER_BUCKET", "DV_ENABLED", "STREAMING_SINK", "AsPublished",
        "NUM_WRITERS", "NUM_COMPACTORS", "NUM_BUCKETS",
    ),
    "bakery": ("LazyReap", "NodeStartup", "Writers", "MaxCrashes", "MaxRestarts"),
    "bakery_v2": ("SafeAcks", "AsyncParquet", "RestampPatch", "RaiseClocks", "Writers", "MaxCrashes", "MaxSkew"),
}  # fmt: skip
#: How many switches and sizes of other models.
_MOST_SWITCHES, _MOST_SIZES = 6, 3


def stories(model: type[Model]) -> dict[str, Path]:
    """The files of a model's stories, by title; empty for a model that has none."""
    files = configurations.shipped()
    return {title: files[name] for title, name in STORIES.get(model.name, {}).items() if name in files}


def named(settings: Settings) -> Path | None:
    """The file of the configuration that these settings are: the one they came from, or a story they came back to.

    Examples:
        >>> told = opening("bakery_v2", {})
        >>> back = told.with_constants({"SafeAcks": False}).with_constants({"SafeAcks": True})
        >>> back.configuration, named(back) == named(told)
        (None, True)
    """
    if settings.configuration is not None:
        return settings.configuration.path
    return next((path for path in stories(settings.model_class).values() if settings.asks_as(_told(path))), None)


@cache
def _told(path: Path) -> Settings:
    """A story's settings: a panel asks for those of all of them at each flip."""
    return start_from(path)


def opening(what: Any, constants: dict[str, Any]) -> Settings:
    """What a panel opens on: the first story of a model that is only named, and otherwise what it is given.

    Raises:
        InputError: For what :func:`start_from` or a constant does not accept.
    """
    settings = start_from(what)
    named = isinstance(what, str) and what in MODELS
    told = stories(settings.model_class) if named and not constants else {}
    return start_from(next(iter(told.values()))) if told else settings.with_constants(constants)


def in_sight(model: type[Model]) -> list[str]:
    """The constants that a panel keeps in sight: for most models the first switches, and a few sizes.

    Examples:
        >>> from workbench.models.classics.peterson import Peterson
        >>> in_sight(Peterson)
        ['LevelFirst', 'LeavesLevels', 'Processes', 'LevelsLeftOut']
    """
    declared = model.declared_constants
    known = [name for name in _IN_SIGHT.get(model.name, ()) if name in declared]
    switches = [name for name, constant in declared.items() if constant.kind in ("switch", "choice")]
    sizes = [name for name, constant in declared.items() if constant.kind in ("names", "integer")]
    return known or [*switches[:_MOST_SWITCHES], *sizes[:_MOST_SIZES]]
