---- MODULE BoundAfterAssignment ----
EXTENDS Naturals
(* --algorithm BoundAfterAssignment {
  variables x = 0, y = {};
  { m: x := 1;
       y := {x \in {1, 2} : x > 1};
  }
} *)
\* BEGIN TRANSLATION (chksum(pcal) = "4421e302" /\ chksum(tla) = "59de6469")
VARIABLES pc, x, y

vars == << pc, x, y >>

Init == (* Global variables *)
        /\ x = 0
        /\ y = {}
        /\ pc = "m"

m == /\ pc = "m"
     /\ x' = 1
     /\ y' = {x' \in {1, 2} : x' > 1}
     /\ pc' = "Done"

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == pc = "Done" /\ UNCHANGED vars

Next == m
           \/ Terminating

Spec == Init /\ [][Next]_vars

Termination == <>(pc = "Done")

\* END TRANSLATION 
====
