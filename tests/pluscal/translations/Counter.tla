---- MODULE Counter ----
EXTENDS Naturals, TLC
(*
--algorithm Counter
variables count = 0, seen \in {{1}, {1, 2}};
begin
  Loop: while count < 3 do
      count := count + 1;
      if count = 2 then
        print <<"half", count>>;
      elsif count > 2 then
        skip;
      else
        seen := seen \union {count};
      end if;
    end while;
    assert count = 3;
end algorithm
*)
\* BEGIN TRANSLATION (chksum(pcal) = "9f122bf6" /\ chksum(tla) = "40fe9a8a")
VARIABLES pc, count, seen

vars == << pc, count, seen >>

Init == (* Global variables *)
        /\ count = 0
        /\ seen \in {{1}, {1, 2}}
        /\ pc = "Loop"

Loop == /\ pc = "Loop"
        /\ IF count < 3
              THEN /\ count' = count + 1
                   /\ IF count' = 2
                         THEN /\ PrintT(<<"half", count'>>)
                              /\ seen' = seen
                         ELSE /\ IF count' > 2
                                    THEN /\ TRUE
                                         /\ seen' = seen
                                    ELSE /\ seen' = (seen \union {count'})
                   /\ pc' = "Loop"
              ELSE /\ Assert(count = 3, 
                             "Failure of assertion at line 17, column 5.")
                   /\ pc' = "Done"
                   /\ UNCHANGED << count, seen >>

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == pc = "Done" /\ UNCHANGED vars

Next == Loop
           \/ Terminating

Spec == Init /\ [][Next]_vars

Termination == <>(pc = "Done")

\* END TRANSLATION 
====
