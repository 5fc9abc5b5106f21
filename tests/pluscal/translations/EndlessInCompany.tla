---- MODULE EndlessInCompany ----
EXTENDS Naturals
(* --algorithm EndlessInCompany {
  variable x = 0;
  process (a = 1) { l: while (TRUE) { x := 1 - x; } }
  process (b = 2) { m: x := 5; }
} *)
\* BEGIN TRANSLATION (chksum(pcal) = "9c26227f" /\ chksum(tla) = "787237c6")
VARIABLES pc, x

vars == << pc, x >>

ProcSet == {1} \cup {2}

Init == (* Global variables *)
        /\ x = 0
        /\ pc = [self \in ProcSet |-> CASE self = 1 -> "l"
                                        [] self = 2 -> "m"]

l == /\ pc[1] = "l"
     /\ x' = 1 - x
     /\ pc' = [pc EXCEPT ![1] = "l"]

a == l

m == /\ pc[2] = "m"
     /\ x' = 5
     /\ pc' = [pc EXCEPT ![2] = "Done"]

b == m

Next == a \/ b

Spec == Init /\ [][Next]_vars

\* END TRANSLATION 
====
