---- MODULE Halt ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Up == x < 2 /\ x' = x + 1
Spec == Init /\ [][Up]_x
Ends == <>(x = 2)
====
