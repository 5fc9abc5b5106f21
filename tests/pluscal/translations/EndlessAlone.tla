---- MODULE EndlessAlone ----
EXTENDS Naturals
(* --algorithm EndlessAlone {
  variable x = 0;
  process (a = 1) { l: while (TRUE) { x := 1 - x; } }
} *)
\* BEGIN TRANSLATION (chksum(pcal) = "dd331d56" /\ chksum(tla) = "56ff0c7a")
VARIABLE x

vars == << x >>

ProcSet == {1}

Init == (* Global variables *)
        /\ x = 0

a == x' = 1 - x

Next == a

Spec == Init /\ [][Next]_vars

\* END TRANSLATION 
====
