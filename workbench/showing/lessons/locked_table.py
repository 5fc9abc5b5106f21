"""A table on a store that renames over what is there, for exercises: the table of notebook 10, with room for a lock."""

#: What the exercises leave to the reader: who takes the lock, and who gives it back.
WITHOUT_A_LOCK = r"""Take(w) == UNCHANGED lock
Give(w) == UNCHANGED lock
"""

TABLE = rf"""---- MODULE Table ----
EXTENDS Naturals, Sequences
CONSTANTS Writers, Readers
VARIABLES log, version, acked, seen, lock

Init == /\ log = <<>>
        /\ version = [w \in Writers |-> 0]
        /\ acked = {{}}
        /\ seen = [r \in Readers |-> <<>>]
        /\ lock = {{}}

{WITHOUT_A_LOCK}
Look(w) == /\ version[w] = 0
           /\ Take(w)
           /\ version' = [version EXCEPT ![w] = Len(log) + 1]
           /\ UNCHANGED <<log, acked, seen>>

Put(w) == /\ version[w] > 0 /\ w \notin acked
          /\ Give(w)
          /\ log' = [v \in DOMAIN log \cup {{version[w]}} |-> IF v = version[w] THEN w ELSE log[v]]
          /\ acked' = acked \cup {{w}}
          /\ UNCHANGED <<version, seen>>

Read(r) == /\ seen[r] # log
           /\ seen' = [seen EXCEPT ![r] = log]
           /\ UNCHANGED <<log, version, acked, lock>>

Next == (\E w \in Writers : Look(w) \/ Put(w)) \/ (\E r \in Readers : Read(r))
Spec == Init /\ [][Next]_<<log, version, acked, seen, lock>> /\ WF_<<log, version, acked, seen, lock>>(Next)

NothingLost == \A w \in acked : \E v \in DOMAIN log : log[v] = w
WhatWasReadStays == \A r \in Readers : \A v \in DOMAIN seen[r] : log[v] = seen[r][v]
EachCommits == \A w \in Writers : <>(w \in acked)
====
"""

CONFIGURATION = """
CONSTANTS Writers = {w1, w2}
          Readers = {r1}
SPECIFICATION Spec
INVARIANTS NothingLost WhatWasReadStays
PROPERTY EachCommits
CHECK_DEADLOCK FALSE
"""
