------------------------------ MODULE WideCalls ------------------------------
EXTENDS Integers

(*--fair algorithm WideCalls {
  variables total = 0;
  procedure takeFromTheStore() {
    lookWhatIsThere:- await total > 0;
    takeWhatIsThere:- total := total - 1;
    return;
  }
  procedure bringToTheStore() {
    lookWhatIsThere:- await total < 2;
    bringWhatIsThere:- total := total + 1;
    return;
  }
  fair+ process (WorkerOfTheStore \in 1..2) {
    bring: call bringToTheStore();
    take: call takeFromTheStore();
  }
} *)
\* BEGIN TRANSLATION (chksum(pcal) = "7c28162a" /\ chksum(tla) = "a4764ab4")
\* Label lookWhatIsThere of procedure takeFromTheStore at line 7 col 23 changed to lookWhatIsThere_
VARIABLES pc, total, stack

vars == << pc, total, stack >>

ProcSet == (1..2)

Init == (* Global variables *)
        /\ total = 0
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> "bring"]

lookWhatIsThere_(self) == /\ pc[self] = "lookWhatIsThere_"
                          /\ total > 0
                          /\ pc' = [pc EXCEPT ![self] = "takeWhatIsThere"]
                          /\ UNCHANGED << total, stack >>

takeWhatIsThere(self) == /\ pc[self] = "takeWhatIsThere"
                         /\ total' = total - 1
                         /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                         /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]

takeFromTheStore(self) == lookWhatIsThere_(self) \/ takeWhatIsThere(self)

lookWhatIsThere(self) == /\ pc[self] = "lookWhatIsThere"
                         /\ total < 2
                         /\ pc' = [pc EXCEPT ![self] = "bringWhatIsThere"]
                         /\ UNCHANGED << total, stack >>

bringWhatIsThere(self) == /\ pc[self] = "bringWhatIsThere"
                          /\ total' = total + 1
                          /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                          /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]

bringToTheStore(self) == lookWhatIsThere(self) \/ bringWhatIsThere(self)

bring(self) == /\ pc[self] = "bring"
               /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "bringToTheStore",
                                                        pc        |->  "take" ] >>
                                                    \o stack[self]]
               /\ pc' = [pc EXCEPT ![self] = "lookWhatIsThere"]
               /\ total' = total

take(self) == /\ pc[self] = "take"
              /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "takeFromTheStore",
                                                       pc        |->  "Done" ] >>
                                                   \o stack[self]]
              /\ pc' = [pc EXCEPT ![self] = "lookWhatIsThere_"]
              /\ total' = total

WorkerOfTheStore(self) == bring(self) \/ take(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in ProcSet:  \/ takeFromTheStore(self)
                               \/ bringToTheStore(self))
           \/ (\E self \in 1..2: WorkerOfTheStore(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ WF_vars(Next)
        /\ \A self \in 1..2 : /\ SF_vars(WorkerOfTheStore(self))
                              /\ SF_vars((pc[self] \notin {"lookWhatIsThere", "bringWhatIsThere"}) /\ bringToTheStore(self))                              /\ SF_vars((pc[self] \notin {"lookWhatIsThere_", "takeWhatIsThere"}) /\ takeFromTheStore(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 
=============================================================================
