---- MODULE Clock ----
EXTENDS Naturals
(*
--algorithm Clock {
  variable hour = 1;
  process (Tick = 1) { tick: while (TRUE) { hour := (hour % 12) + 1; } }
  process (Set \in {2, 3}) { set: while (TRUE) { with (to \in 1..12) hour := to; } }
}
*)
\* BEGIN TRANSLATION (chksum(pcal) = "d96e5175" /\ chksum(tla) = "9df5c117")
VARIABLE hour

vars == << hour >>

ProcSet == {1} \cup ({2, 3})

Init == (* Global variables *)
        /\ hour = 1

Tick == hour' = (hour % 12) + 1

Set(self) == \E to \in 1..12:
               hour' = to

Next == Tick
           \/ (\E self \in {2, 3}: Set(self))

Spec == Init /\ [][Next]_vars

\* END TRANSLATION 
====
