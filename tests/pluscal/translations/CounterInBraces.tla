---- MODULE CounterInBraces ----
EXTENDS Naturals, TLC
(*
--algorithm Counter {
  variables count = 0, seen \in {{1}, {1, 2}};
  { Loop: while (count < 3) {
      count := count + 1;
      if (count = 2) print <<"half", count>>;
      else if (count > 2) skip;
      else { seen := seen \union {count} };
    };
    assert count = 3;
  }
}
*)
\* BEGIN TRANSLATION (chksum(pcal) = "9f122bf6" /\ chksum(tla) = "b88f2546")
VARIABLES pc, count, seen

vars == << pc, count, seen >>

Init == (* Global variables *)
        /\ count = 0
        /\ seen \in {{1}, {1, 2}}
        /\ pc = "Loop"

Loop == /\ pc = "Loop"
        /\ IF count < 3
              THEN /\ count' = count + 1
                   /\ IF count' = 2
                         THEN /\ PrintT(<<"half", count'>>)
                              /\ seen' = seen
                         ELSE /\ IF count' > 2
                                    THEN /\ TRUE
                                         /\ seen' = seen
                                    ELSE /\ seen' = (seen \union {count'})
                   /\ pc' = "Loop"
              ELSE /\ Assert(count = 3, 
                             "Failure of assertion at line 12, column 5.")
                   /\ pc' = "Done"
                   /\ UNCHANGED << count, seen >>

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == pc = "Done" /\ UNCHANGED vars

Next == Loop
           \/ Terminating

Spec == Init /\ [][Next]_vars

Termination == <>(pc = "Done")

\* END TRANSLATION 
====
