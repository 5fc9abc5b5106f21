---- MODULE Options ----
EXTENDS Integers, TLC, Sequences
(*
--algorithm Options {
  variables x = 0, y = [a |-> 0, b |-> <<0>>];
  process (One = 1) {
    x := x + 1;
    x := x * 2;
    with (new = x + 1; z \in {new, new + 1}) {
      if (z > 2) y.a := z;
      else { y.b[1] := z || y.a := 0 };
    };
  }
  process (Two \in 2..3) {
    x := -x;
    y := [y EXCEPT !.a = x];
  }
}
PlusCal options (-sf -label -labelRoot Step_ -noDoneDisjunct)
*)
\* BEGIN TRANSLATION (chksum(pcal) = "4bff4799" /\ chksum(tla) = "2dedfca9")
VARIABLES pc, x, y

vars == << pc, x, y >>

ProcSet == {1} \cup (2..3)

Init == (* Global variables *)
        /\ x = 0
        /\ y = [a |-> 0, b |-> <<0>>]
        /\ pc = [self \in ProcSet |-> CASE self = 1 -> "Step_1"
                                        [] self \in 2..3 -> "Step_3"]

Step_1 == /\ pc[1] = "Step_1"
          /\ x' = x + 1
          /\ pc' = [pc EXCEPT ![1] = "Step_2"]
          /\ y' = y

Step_2 == /\ pc[1] = "Step_2"
          /\ x' = x * 2
          /\ LET new == x' + 1 IN
               \E z \in {new, new + 1}:
                 IF z > 2
                    THEN /\ y' = [y EXCEPT !.a = z]
                    ELSE /\ y' = [y EXCEPT !.b[1] = z,
                                           !.a = 0]
          /\ pc' = [pc EXCEPT ![1] = "Done"]

One == Step_1 \/ Step_2

Step_3(self) == /\ pc[self] = "Step_3"
                /\ x' = -x
                /\ y' = [y EXCEPT !.a = x']
                /\ pc' = [pc EXCEPT ![self] = "Done"]

Two(self) == Step_3(self)

Next == One
           \/ (\E self \in 2..3: Two(self))

Spec == /\ Init /\ [][Next]_vars
        /\ SF_vars(One)
        /\ \A self \in 2..3 : SF_vars(Two(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 
====
