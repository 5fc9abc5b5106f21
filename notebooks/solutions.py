"""The solutions of the notebooks' exercises, each under the exercise's name.

For teachers, and for learners who want to compare. ``exercise("one_group").check(one_group)`` runs one; tests run them
all. Other answers may be right as well: what counts is what the checker finds.
"""

from workbench import action, get_model, refines
from workbench.protocols.table.model import Table
from workbench.showing.lessons.lossy_log import LossyLog

# 00_tour

nobody_is_at_fault = {"MaxCrashes": 1}

another_race = {"MaxSkew": 1}  # or MaxSuspicions

# 01_bakery

one_step = {"StepGranularity": "atomic"}

been_away = {"MaxCrashes": 1, "MaxRestarts": 1}

# 02_hudi

one_group = {"FileGroupCount": 1}

locked_collision = {"UseSalt": True}  # or PutIfAbsentSupported

lock_that_stays = {"FailInAnyPhase": True, "LocksExpire": False}

# 03_paimon

nothing_to_strike = {"ALLOW_UPDATES": False}

refused = """
s.prepared["w0"] == 1 and s.prepared["w1"] == 1
commit(w0)
commit(w1)
"""

# 04_what_if


def rule(*, PUT_IF_ABSENT, USE_LOCK, ONE_WRITER_PER_BUCKET, AsPublished):
    return ONE_WRITER_PER_BUCKET and (PUT_IF_ABSENT or (USE_LOCK and not AsPublished))


one_change_breaks = {"PrimaryKeyConflictCheck": False}

# 05_state_space_as_data
#
# Rows by phase, the bin "2 Ready" at depth 16: any of its eight wrong states.

worst_bin = 4119

# SELECT count(*) FROM states WHERE exists(map_values(index), g -> g IS NOT NULL
#     AND NOT exists(map_values(completed), c -> c <=> g))

loose_index = 2286

# SELECT count(*) FROM states WHERE distance_SomeOperationAborts IS NULL

no_way_to_abort = 2730

# 06_your_own_model

told_twice = """
write_unanswered(w1)
write(w1)
"""


class written_once(LossyLog):
    @action(LossyLog.writer)
    def read(self, s, w):
        s.seen[w] = s.log
        if w in s.log:
            s.pc[w] = "Done"


# 07_real_tables

one_process = {"USE_LOCK": True}

gap = "snapshot/snapshot-2"

# 08_real_logs

second_try = """
s.decision["w1"] == "lk_409"
s.decision["w1"] == "committed"
"""

unnoticed = 41

# 09_one_promise

# The configuration `dangling`: two compactors share a bucket, and no row is ever deleted.
nobody_notices = {
    "NUM_WRITERS": 1,
    "NUM_BUCKETS": 1,
    "MAX_LEVEL": 3,
    "ONE_WRITER_PER_BUCKET": False,
    "ALLOW_DELETES": False,
    "MAX_COMPACTIONS": 3,
    "MAX_COMPACTIONS_PER_COMPACTOR": 2,
    "PkCol1Values": ["jack"],
    "Col2Values": ["red"],
}


class early_reader(get_model("hudi")):
    @refines(Table, Keys="Keys", Values="Values", by_default=False)
    def OneTable(self, s):
        written = [rows for rows in s.slices.values() if rows is not None]
        rows = {key: tuple(sorted({(rows[key],) for rows in written if key in rows})) for key in self.Keys}
        return {**self.as_table(s), "rows": rows}


# 10_published

read_and_gone = """
Look(w1)
Look(w2)
Put(w1)
Read(r1)
Put(w2)
"""

one_at_a_time = r"""
Take(w) == lock = {} /\ lock' = {w}
Give(w) == lock' = {}
"""


# 11_pluscal

commit_lost = """
test(w1)
test(w2)
s.commits == 2 and s.version == 1
"""

no_await = """take: if (lock) { goto take } else { lock := TRUE };"""
