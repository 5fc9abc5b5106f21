---- MODULE Mail ----
EXTENDS Naturals
CONSTANT P
VARIABLES count, sent, last
vars == <<count, sent, last>>
Init == count = [p \in P |-> 0] /\ sent = {} /\ last = <<"no \"one\"", 0>>
Send(p) == /\ count[p] < 2
           /\ count' = [count EXCEPT ![p] = @ + 1]
           /\ sent' = sent \cup {[from |-> p, number |-> count[p], text |-> "a letter"]}
           /\ last' = <<p, count[p]>>
Drop == sent # {} /\ count' = [p \in P |-> 1] /\ sent' = {} /\ UNCHANGED last
Next == (\E p \in P : Send(p)) \/ (\E m \in sent : m.number = 1 /\ Drop)
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
Rests == <>(sent = {} /\ count[CHOOSE p \in P : TRUE] = 3)
====
