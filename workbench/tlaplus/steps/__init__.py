r"""The steps of a specification, and predicates of single states and steps.

Init and Next become actions of the kernel with arguments: the disjuncts of Next under ``\E`` over constants
(``disjuncts.py``, ``steps.py``). ``predicates.py`` has predicates of states and steps. The other modules split these so
that each part depends on little: by the members of a set (``quantifier_memo.py``), by the cells of a type invariant
(``type_invariants.py``), by the cells that a step reads before and after it (``step_memo.py``), and by the values of an
instance's own variables (``mapped_steps.py``).
"""
