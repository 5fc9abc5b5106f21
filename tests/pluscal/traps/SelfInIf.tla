---- MODULE SelfInIf ----
EXTENDS Naturals, Sequences
(* --algorithm SelfInIf {
  variables g = 0;
  procedure p() variables w = 0; {
    a: if (g < 2) { g := g + 1; call p(); return } else return
  }
  { b: call p() }
} *)
\* BEGIN TRANSLATION (chksum(pcal) = "e3522e19" /\ chksum(tla) = "7ea12d01")
VARIABLES pc, g, stack, w

vars == << pc, g, stack, w >>

Init == (* Global variables *)
        /\ g = 0
        (* Procedure p *)
        /\ w = 0
        /\ stack = << >>
        /\ pc = "b"

a == /\ pc = "a"
     /\ IF g < 2
           THEN /\ g' = g + 1
                /\ 
                /\ w' = 0
                /\ pc' = "a"
                /\ stack' = stack
           ELSE /\ pc' = Head(stack).pc
                /\ w' = Head(stack).w
                /\ stack' = Tail(stack)
                /\ g' = g

p == a

b == /\ pc = "b"
     /\ stack' = << [ procedure |->  "p",
                      pc        |->  "Done",
                      w         |->  w ] >>
                  \o stack
     /\ w' = 0
     /\ pc' = "a"
     /\ g' = g

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == pc = "Done" /\ UNCHANGED vars

Next == p \/ b
           \/ Terminating

Spec == Init /\ [][Next]_vars

Termination == <>(pc = "Done")

\* END TRANSLATION 
====
