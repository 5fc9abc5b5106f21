---- MODULE BoundBefore ----
EXTENDS Naturals
(* --algorithm BoundBefore {
  variables x = 0, y = 0;
  { m: y := [x \in {1, 2} |-> x];
  }
} *)
\* BEGIN TRANSLATION (chksum(pcal) = "66b5eeac" /\ chksum(tla) = "aa9dc561")
VARIABLES pc, x, y

vars == << pc, x, y >>

Init == (* Global variables *)
        /\ x = 0
        /\ y = 0
        /\ pc = "m"

m == /\ pc = "m"
     /\ y' = [x \in {1, 2} |-> x]
     /\ pc' = "Done"
     /\ x' = x

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == pc = "Done" /\ UNCHANGED vars

Next == m
           \/ Terminating

Spec == Init /\ [][Next]_vars

Termination == <>(pc = "Done")

\* END TRANSLATION 
====
