---- MODULE Mutex ----
EXTENDS Integers, TLC
(*
--fair algorithm Mutex {
  variables flag = [p \in {0, 1} |-> FALSE], turn = 0, inside = {};
  process (P \in {0, 1})
    variables attempts = 0; {
    ncs: while (TRUE) {
        skip;
      set: flag[self] := TRUE;
        attempts := IF attempts = 2 THEN 0
                                    ELSE attempts + 1;
      give: turn := 1 - self;
      wait: await \/ ~flag[1 - self]
                  \/ turn = self;
            inside := inside \union {self};
      cs: assert /\ inside = {self}
                 /\ "inside; do \\* no comment" # "";
          inside := inside \ {self};
      exit: flag[self] := FALSE;
    }
  }
}
*)
\* BEGIN TRANSLATION (chksum(pcal) = "7c28162a" /\ chksum(tla) = "b2fbb005")
VARIABLES pc, flag, turn, inside, attempts

vars == << pc, flag, turn, inside, attempts >>

ProcSet == ({0, 1})

Init == (* Global variables *)
        /\ flag = [p \in {0, 1} |-> FALSE]
        /\ turn = 0
        /\ inside = {}
        (* Process P *)
        /\ attempts = [self \in {0, 1} |-> 0]
        /\ pc = [self \in ProcSet |-> "ncs"]

ncs(self) == /\ pc[self] = "ncs"
             /\ TRUE
             /\ pc' = [pc EXCEPT ![self] = "set"]
             /\ UNCHANGED << flag, turn, inside, attempts >>

set(self) == /\ pc[self] = "set"
             /\ flag' = [flag EXCEPT ![self] = TRUE]
             /\ attempts' = [attempts EXCEPT ![self] = IF attempts[self] = 2 THEN 0
                                                                             ELSE attempts[self] + 1]
             /\ pc' = [pc EXCEPT ![self] = "give"]
             /\ UNCHANGED << turn, inside >>

give(self) == /\ pc[self] = "give"
              /\ turn' = 1 - self
              /\ pc' = [pc EXCEPT ![self] = "wait"]
              /\ UNCHANGED << flag, inside, attempts >>

wait(self) == /\ pc[self] = "wait"
              /\ \/ ~flag[1 - self]
                 \/ turn = self
              /\ inside' = (inside \union {self})
              /\ pc' = [pc EXCEPT ![self] = "cs"]
              /\ UNCHANGED << flag, turn, attempts >>

cs(self) == /\ pc[self] = "cs"
            /\ Assert(/\ inside = {self}
                      /\ "inside; do \\* no comment" # "", 
                      "Failure of assertion at line 17, column 11.")
            /\ inside' = inside \ {self}
            /\ pc' = [pc EXCEPT ![self] = "exit"]
            /\ UNCHANGED << flag, turn, attempts >>

exit(self) == /\ pc[self] = "exit"
              /\ flag' = [flag EXCEPT ![self] = FALSE]
              /\ pc' = [pc EXCEPT ![self] = "ncs"]
              /\ UNCHANGED << turn, inside, attempts >>

P(self) == ncs(self) \/ set(self) \/ give(self) \/ wait(self) \/ cs(self)
              \/ exit(self)

Next == (\E self \in {0, 1}: P(self))

Spec == /\ Init /\ [][Next]_vars
        /\ WF_vars(Next)

\* END TRANSLATION 
====
