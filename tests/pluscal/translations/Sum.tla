---- MODULE Sum ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm Sum {
  variables total = 0, log = <<>>;
  procedure add(n = 0, by = 1)
    variables before = 0, left; {
    Begin: before := total;
      left := n;
    More: while (left > 0) {
      total := total + by;
      left := left - 1;
    };
    End: log := Append(log, [from |-> before, to |-> total]);
      return;
  }
  procedure twice(n) {
    First: call add(n, 2);
    Second: call add(n, 1);
      return;
  }
  procedure down(n) {
    Down: if (n > 0) { call down(n - 1); return; } else return;
  }
  {
    Start: call add(1, 1);
    Then: either { call twice(2); } or { call down(3); goto Last; };
    Middle: if (total > 1) { goto Last; } else { print total; };
    Last: assert total >= 1;
  }
}
*)
\* BEGIN TRANSLATION (chksum(pcal) = "f38ddb05" /\ chksum(tla) = "e09e683b")
\* Parameter n of procedure add at line 6 col 17 changed to n_
\* Parameter n of procedure twice at line 17 col 19 changed to n_t
CONSTANT defaultInitValue
VARIABLES pc, total, log, stack, n_, by, before, left, n_t, n

vars == << pc, total, log, stack, n_, by, before, left, n_t, n >>

Init == (* Global variables *)
        /\ total = 0
        /\ log = <<>>
        (* Procedure add *)
        /\ n_ = 0
        /\ by = 1
        /\ before = 0
        /\ left = defaultInitValue
        (* Procedure twice *)
        /\ n_t = defaultInitValue
        (* Procedure down *)
        /\ n = defaultInitValue
        /\ stack = << >>
        /\ pc = "Start"

Begin == /\ pc = "Begin"
         /\ before' = total
         /\ left' = n_
         /\ pc' = "More"
         /\ UNCHANGED << total, log, stack, n_, by, n_t, n >>

More == /\ pc = "More"
        /\ IF left > 0
              THEN /\ total' = total + by
                   /\ left' = left - 1
                   /\ pc' = "More"
              ELSE /\ pc' = "End"
                   /\ UNCHANGED << total, left >>
        /\ UNCHANGED << log, stack, n_, by, before, n_t, n >>

End == /\ pc = "End"
       /\ log' = Append(log, [from |-> before, to |-> total])
       /\ pc' = Head(stack).pc
       /\ before' = Head(stack).before
       /\ left' = Head(stack).left
       /\ n_' = Head(stack).n_
       /\ by' = Head(stack).by
       /\ stack' = Tail(stack)
       /\ UNCHANGED << total, n_t, n >>

add == Begin \/ More \/ End

First == /\ pc = "First"
         /\ /\ by' = 2
            /\ n_' = n_t
            /\ stack' = << [ procedure |->  "add",
                             pc        |->  "Second",
                             before    |->  before,
                             left      |->  left,
                             n_        |->  n_,
                             by        |->  by ] >>
                         \o stack
         /\ before' = 0
         /\ left' = defaultInitValue
         /\ pc' = "Begin"
         /\ UNCHANGED << total, log, n_t, n >>

Second == /\ pc = "Second"
          /\ /\ by' = 1
             /\ n_' = n_t
             /\ stack' = << [ procedure |->  "add",
                              pc        |->  Head(stack).pc,
                              before    |->  before,
                              left      |->  left,
                              n_        |->  n_,
                              by        |->  by ] >>
                          \o Tail(stack)
          /\ before' = 0
          /\ left' = defaultInitValue
          /\ pc' = "Begin"
          /\ UNCHANGED << total, log, n_t, n >>

twice == First \/ Second

Down == /\ pc = "Down"
        /\ IF n > 0
              THEN /\ n' = n - 1
                   /\ pc' = "Down"
                   /\ stack' = stack
              ELSE /\ pc' = Head(stack).pc
                   /\ n' = Head(stack).n
                   /\ stack' = Tail(stack)
        /\ UNCHANGED << total, log, n_, by, before, left, n_t >>

down == Down

Start == /\ pc = "Start"
         /\ /\ by' = 1
            /\ n_' = 1
            /\ stack' = << [ procedure |->  "add",
                             pc        |->  "Then",
                             before    |->  before,
                             left      |->  left,
                             n_        |->  n_,
                             by        |->  by ] >>
                         \o stack
         /\ before' = 0
         /\ left' = defaultInitValue
         /\ pc' = "Begin"
         /\ UNCHANGED << total, log, n_t, n >>

Then == /\ pc = "Then"
        /\ \/ /\ /\ n_t' = 2
                 /\ stack' = << [ procedure |->  "twice",
                                  pc        |->  "Middle",
                                  n_t       |->  n_t ] >>
                              \o stack
              /\ pc' = "First"
              /\ n' = n
           \/ /\ /\ n' = 3
                 /\ stack' = << [ procedure |->  "down",
                                  pc        |->  "Last",
                                  n         |->  n ] >>
                              \o stack
              /\ pc' = "Down"
              /\ n_t' = n_t
        /\ UNCHANGED << total, log, n_, by, before, left >>

Middle == /\ pc = "Middle"
          /\ IF total > 1
                THEN /\ pc' = "Last"
                ELSE /\ PrintT(total)
                     /\ pc' = "Last"
          /\ UNCHANGED << total, log, stack, n_, by, before, left, n_t, n >>

Last == /\ pc = "Last"
        /\ Assert(total >= 1, "Failure of assertion at line 29, column 11.")
        /\ pc' = "Done"
        /\ UNCHANGED << total, log, stack, n_, by, before, left, n_t, n >>

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == pc = "Done" /\ UNCHANGED vars

Next == add \/ twice \/ down \/ Start \/ Then \/ Middle \/ Last
           \/ Terminating

Spec == Init /\ [][Next]_vars

Termination == <>(pc = "Done")

\* END TRANSLATION 
====
