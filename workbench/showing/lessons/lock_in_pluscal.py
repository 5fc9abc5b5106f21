"""A lock in PlusCal whose first step is left to the reader: the algorithm of notebook 11."""

#: What an exercise replaces: the steps that take the lock.
IN_TWO_STEPS = """test: await ~lock;
      set: lock := TRUE;"""

MODULE = rf"""---- MODULE Commit ----
EXTENDS Naturals
CONSTANT Writers
(* --algorithm Commit {{
    variables lock = FALSE, version = 0, commits = 0;
    fair process (writer \in Writers)
      variable base = 0;
    {{
      {IN_TWO_STEPS}
      read: base := version;
      put: version := base + 1; commits := commits + 1;
      give: lock := FALSE;
    }}
}} *)
NothingLost == version = commits
====
"""

CONFIGURATION = """
CONSTANT Writers = {w1, w2}
SPECIFICATION Spec
INVARIANT NothingLost
PROPERTY Termination
"""
