---- MODULE TailCall ----
EXTENDS Naturals, Sequences, TLC
(* --algorithm TailCall {
  variable sum = 0;
  procedure p() { P: return; }
  procedure q(n = 0) {
    a: if (n > 0) {
         call q(n - 1);
      b: sum := sum + n;
         return;
       } else {
      c: call p();
         return;
       }
  }
  { m: call q(2);
    z: print sum;
  }
} *)
\* BEGIN TRANSLATION (chksum(pcal) = "bf203631" /\ chksum(tla) = "5c7b0fc0")
VARIABLES pc, sum, stack, n

vars == << pc, sum, stack, n >>

Init == (* Global variables *)
        /\ sum = 0
        (* Procedure q *)
        /\ n = 0
        /\ stack = << >>
        /\ pc = "m"

P == /\ pc = "P"
     /\ pc' = Head(stack).pc
     /\ stack' = Tail(stack)
     /\ UNCHANGED << sum, n >>

p == P

a == /\ pc = "a"
     /\ IF n > 0
           THEN /\ /\ n' = n - 1
                   /\ stack' = << [ procedure |->  "q",
                                    pc        |->  "b",
                                    n         |->  n ] >>
                                \o stack
                /\ pc' = "a"
           ELSE /\ pc' = "c"
                /\ UNCHANGED << stack, n >>
     /\ sum' = sum

b == /\ pc = "b"
     /\ sum' = sum + n
     /\ pc' = Head(stack).pc
     /\ n' = Head(stack).n
     /\ stack' = Tail(stack)

c == /\ pc = "c"
     /\ stack' = << [ procedure |->  "p",
                      pc        |->  Head(stack).pc ] >>
                  \o Tail(stack)
     /\ pc' = "P"
     /\ UNCHANGED << sum, n >>

q == a \/ b \/ c

m == /\ pc = "m"
     /\ /\ n' = 2
        /\ stack' = << [ procedure |->  "q",
                         pc        |->  "z",
                         n         |->  n ] >>
                     \o stack
     /\ pc' = "a"
     /\ sum' = sum

z == /\ pc = "z"
     /\ PrintT(sum)
     /\ pc' = "Done"
     /\ UNCHANGED << sum, stack, n >>

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == pc = "Done" /\ UNCHANGED vars

Next == p \/ q \/ m \/ z
           \/ Terminating

Spec == Init /\ [][Next]_vars

Termination == <>(pc = "Done")

\* END TRANSLATION 
Right == pc = "Done" => sum = 3
====
