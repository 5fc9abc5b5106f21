---- MODULE SumOfMany ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm SumOfMany
variables total = 0;
procedure add(n = 0)
variables before = 0;
begin
  Begin: before := total;
  End: total := before + n;
    return;
end procedure;
procedure last(n)
begin
  Only: call add(n + 1);
    return;
end procedure;
fair process Adder \in {"a", "b"}
variable x = 1;
begin
  Begin: call add(x);
  Then: x := x + 1;
    if x < 3 then goto Begin end if;
end process;
process Single = "c"
variable x = 2;
begin
  Begin: call add(x);
    goto End;
  End: call last(x);
end process;
end algorithm
*)
\* BEGIN TRANSLATION (chksum(pcal) = "c82e2e17" /\ chksum(tla) = "56865f0")
\* Label Begin of procedure add at line 9 col 10 changed to Begin_
\* Label End of procedure add at line 10 col 8 changed to End_
\* Label Begin of process Adder at line 21 col 10 changed to Begin_A
\* Process variable x of process Adder at line 19 col 10 changed to x_
\* Parameter n of procedure add at line 6 col 15 changed to n_
CONSTANT defaultInitValue
VARIABLES pc, total, stack, n_, before, n, x_, x

vars == << pc, total, stack, n_, before, n, x_, x >>

ProcSet == ({"a", "b"}) \cup {"c"}

Init == (* Global variables *)
        /\ total = 0
        (* Procedure add *)
        /\ n_ = [ self \in ProcSet |-> 0]
        /\ before = [ self \in ProcSet |-> 0]
        (* Procedure last *)
        /\ n = [ self \in ProcSet |-> defaultInitValue]
        (* Process Adder *)
        /\ x_ = [self \in {"a", "b"} |-> 1]
        (* Process Single *)
        /\ x = 2
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> CASE self \in {"a", "b"} -> "Begin_A"
                                        [] self = "c" -> "Begin"]

Begin_(self) == /\ pc[self] = "Begin_"
                /\ before' = [before EXCEPT ![self] = total]
                /\ pc' = [pc EXCEPT ![self] = "End_"]
                /\ UNCHANGED << total, stack, n_, n, x_, x >>

End_(self) == /\ pc[self] = "End_"
              /\ total' = before[self] + n_[self]
              /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
              /\ before' = [before EXCEPT ![self] = Head(stack[self]).before]
              /\ n_' = [n_ EXCEPT ![self] = Head(stack[self]).n_]
              /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
              /\ UNCHANGED << n, x_, x >>

add(self) == Begin_(self) \/ End_(self)

Only(self) == /\ pc[self] = "Only"
              /\ /\ n_' = [n_ EXCEPT ![self] = n[self] + 1]
                 /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "add",
                                                          pc        |->  Head(stack[self]).pc,
                                                          before    |->  before[self],
                                                          n_        |->  n_[self] ] >>
                                                      \o Tail(stack[self])]
              /\ before' = [before EXCEPT ![self] = 0]
              /\ pc' = [pc EXCEPT ![self] = "Begin_"]
              /\ UNCHANGED << total, n, x_, x >>

last(self) == Only(self)

Begin_A(self) == /\ pc[self] = "Begin_A"
                 /\ /\ n_' = [n_ EXCEPT ![self] = x_[self]]
                    /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "add",
                                                             pc        |->  "Then",
                                                             before    |->  before[self],
                                                             n_        |->  n_[self] ] >>
                                                         \o stack[self]]
                 /\ before' = [before EXCEPT ![self] = 0]
                 /\ pc' = [pc EXCEPT ![self] = "Begin_"]
                 /\ UNCHANGED << total, n, x_, x >>

Then(self) == /\ pc[self] = "Then"
              /\ x_' = [x_ EXCEPT ![self] = x_[self] + 1]
              /\ IF x_'[self] < 3
                    THEN /\ pc' = [pc EXCEPT ![self] = "Begin_A"]
                    ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
              /\ UNCHANGED << total, stack, n_, before, n, x >>

Adder(self) == Begin_A(self) \/ Then(self)

Begin == /\ pc["c"] = "Begin"
         /\ /\ n_' = [n_ EXCEPT !["c"] = x]
            /\ stack' = [stack EXCEPT !["c"] = << [ procedure |->  "add",
                                                    pc        |->  "End",
                                                    before    |->  before["c"],
                                                    n_        |->  n_["c"] ] >>
                                                \o stack["c"]]
         /\ before' = [before EXCEPT !["c"] = 0]
         /\ pc' = [pc EXCEPT !["c"] = "Begin_"]
         /\ UNCHANGED << total, n, x_, x >>

End == /\ pc["c"] = "End"
       /\ /\ n' = [n EXCEPT !["c"] = x]
          /\ stack' = [stack EXCEPT !["c"] = << [ procedure |->  "last",
                                                  pc        |->  "Done",
                                                  n         |->  n["c"] ] >>
                                              \o stack["c"]]
       /\ pc' = [pc EXCEPT !["c"] = "Only"]
       /\ UNCHANGED << total, n_, before, x_, x >>

Single == Begin \/ End

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == Single
           \/ (\E self \in ProcSet: add(self) \/ last(self))
           \/ (\E self \in {"a", "b"}: Adder(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in {"a", "b"} : WF_vars(Adder(self)) /\ WF_vars(add(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 
====
