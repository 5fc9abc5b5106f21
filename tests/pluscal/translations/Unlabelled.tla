---- MODULE Unlabelled ----
EXTENDS Naturals, TLC
(*
--algorithm Unlabelled
variables a = 1, b = 2;
begin
  a := b;
  a := a + 1;
  while a > 0 do
    a := a - 1 || b := a;
  end while;
  b := b + a;
end algorithm
*)
\* BEGIN TRANSLATION (chksum(pcal) = "86223a06" /\ chksum(tla) = "f7f5643e")
VARIABLES pc, a, b

vars == << pc, a, b >>

Init == (* Global variables *)
        /\ a = 1
        /\ b = 2
        /\ pc = "Lbl_1"

Lbl_1 == /\ pc = "Lbl_1"
         /\ a' = b
         /\ pc' = "Lbl_2"
         /\ b' = b

Lbl_2 == /\ pc = "Lbl_2"
         /\ a' = a + 1
         /\ pc' = "Lbl_3"
         /\ b' = b

Lbl_3 == /\ pc = "Lbl_3"
         /\ IF a > 0
               THEN /\ /\ a' = a - 1
                       /\ b' = a
                    /\ pc' = "Lbl_3"
               ELSE /\ b' = b + a
                    /\ pc' = "Done"
                    /\ a' = a

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == pc = "Done" /\ UNCHANGED vars

Next == Lbl_1 \/ Lbl_2 \/ Lbl_3
           \/ Terminating

Spec == Init /\ [][Next]_vars

Termination == <>(pc = "Done")

\* END TRANSLATION 
====
