r"""The steps of a specification, and what is asked of single states and steps.

In come Init and Next; out go actions of the kernel with arguments: disjuncts of Next under ``\E`` over constants
(``disjuncts.py``, ``steps.py``), and predicates of states and steps (``predicates.py``). The rest asks less of a state
than all of it: member by member (``quantifier_memo.py``), cell by cell (``type_invariants.py``), of a step by
the cells that are read before and after it (``step_memo.py``), and of an instance's steps by the values of its own
variables (``mapped_steps.py``).
"""
