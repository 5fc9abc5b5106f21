---- MODULE Wide ----
EXTENDS Naturals
(*
--algorithm Wide
variables first_of_the_variables = 1, second_of_the_variables = 2, third_of_the_variables = 3,
          fourth_of_the_variables = 4, fifth_of_the_variables = 5;
process Alpha \in 1..2
begin
  a_rather_long_label: first_of_the_variables := 1;
  another_rather_long_label: either second_of_the_variables := 2 || third_of_the_variables := 3; or skip; end either;
  a_third_rather_long_label: fourth_of_the_variables :=
      LET next == fourth_of_the_variables + 1
      IN  IF next > 5
            THEN 0
            ELSE next;
end process;
process Beta = 3
begin
  a_rather_long_label: fifth_of_the_variables := 1;
    if fifth_of_the_variables = 1 /\
       first_of_the_variables = 1 then first_of_the_variables := fifth_of_the_variables end if;
end process;
end algorithm
*)
\* BEGIN TRANSLATION (chksum(pcal) = "34d676df" /\ chksum(tla) = "63adfaa3")
\* Label a_rather_long_label of process Alpha at line 9 col 24 changed to a_rather_long_label_
VARIABLES pc, first_of_the_variables, second_of_the_variables, 
          third_of_the_variables, fourth_of_the_variables, 
          fifth_of_the_variables

vars == << pc, first_of_the_variables, second_of_the_variables, 
           third_of_the_variables, fourth_of_the_variables, 
           fifth_of_the_variables >>

ProcSet == (1..2) \cup {3}

Init == (* Global variables *)
        /\ first_of_the_variables = 1
        /\ second_of_the_variables = 2
        /\ third_of_the_variables = 3
        /\ fourth_of_the_variables = 4
        /\ fifth_of_the_variables = 5
        /\ pc = [self \in ProcSet |-> CASE self \in 1..2 -> "a_rather_long_label_"
                                        [] self = 3 -> "a_rather_long_label"]

a_rather_long_label_(self) == /\ pc[self] = "a_rather_long_label_"
                              /\ first_of_the_variables' = 1
                              /\ pc' = [pc EXCEPT ![self] = "another_rather_long_label"]
                              /\ UNCHANGED << second_of_the_variables, 
                                              third_of_the_variables, 
                                              fourth_of_the_variables, 
                                              fifth_of_the_variables >>

another_rather_long_label(self) == /\ pc[self] = "another_rather_long_label"
                                   /\ \/ /\ /\ second_of_the_variables' = 2
                                            /\ third_of_the_variables' = 3
                                      \/ /\ TRUE
                                         /\ UNCHANGED <<second_of_the_variables, third_of_the_variables>>
                                   /\ pc' = [pc EXCEPT ![self] = "a_third_rather_long_label"]
                                   /\ UNCHANGED << first_of_the_variables, 
                                                   fourth_of_the_variables, 
                                                   fifth_of_the_variables >>

a_third_rather_long_label(self) == /\ pc[self] = "a_third_rather_long_label"
                                   /\ fourth_of_the_variables' = (LET next == fourth_of_the_variables + 1
                                                                  IN  IF next > 5
                                                                        THEN 0
                                                                        ELSE next)
                                   /\ pc' = [pc EXCEPT ![self] = "Done"]
                                   /\ UNCHANGED << first_of_the_variables, 
                                                   second_of_the_variables, 
                                                   third_of_the_variables, 
                                                   fifth_of_the_variables >>

Alpha(self) == a_rather_long_label_(self)
                  \/ another_rather_long_label(self)
                  \/ a_third_rather_long_label(self)

a_rather_long_label == /\ pc[3] = "a_rather_long_label"
                       /\ fifth_of_the_variables' = 1
                       /\ IF fifth_of_the_variables' = 1 /\
                             first_of_the_variables = 1
                             THEN /\ first_of_the_variables' = fifth_of_the_variables'
                             ELSE /\ TRUE
                                  /\ UNCHANGED first_of_the_variables
                       /\ pc' = [pc EXCEPT ![3] = "Done"]
                       /\ UNCHANGED << second_of_the_variables, 
                                       third_of_the_variables, 
                                       fourth_of_the_variables >>

Beta == a_rather_long_label

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == Beta
           \/ (\E self \in 1..2: Alpha(self))
           \/ Terminating

Spec == Init /\ [][Next]_vars

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 
====
