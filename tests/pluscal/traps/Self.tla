---- MODULE Self ----
EXTENDS Naturals, Sequences, TLC
(* --algorithm Self {
  variable x = 0;
  procedure p() { P: if (x < 3) { x := x + 1; } else { Q: call p(); return; }; R: return; }
  { m: call p(); }
} *)
\* BEGIN TRANSLATION (chksum(pcal) = "1f1de173" /\ chksum(tla) = "ad255487")
VARIABLES pc, x, stack

vars == << pc, x, stack >>

Init == (* Global variables *)
        /\ x = 0
        /\ stack = << >>
        /\ pc = "m"

P == /\ pc = "P"
     /\ IF x < 3
           THEN /\ x' = x + 1
                /\ pc' = "R"
           ELSE /\ pc' = "Q"
                /\ x' = x
     /\ stack' = stack

Q == /\ pc = "Q"
     /\ 
     /\ pc' = "P"
     /\ UNCHANGED << x, stack >>

R == /\ pc = "R"
     /\ pc' = Head(stack).pc
     /\ stack' = Tail(stack)
     /\ x' = x

p == P \/ Q \/ R

m == /\ pc = "m"
     /\ stack' = << [ procedure |->  "p",
                      pc        |->  "Done" ] >>
                  \o stack
     /\ pc' = "P"
     /\ x' = x

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == pc = "Done" /\ UNCHANGED vars

Next == p \/ m
           \/ Terminating

Spec == Init /\ [][Next]_vars

Termination == <>(pc = "Done")

\* END TRANSLATION 
====
