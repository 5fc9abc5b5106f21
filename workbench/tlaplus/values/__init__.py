"""Values of TLA+, and the operators of the language itself on them.

In come values of the kernel's states; out go others, or an :class:`~workbench.tlaplus.values.values.EvaluationError`
with TLC's words in one line. ``values.py`` says how values are represented and ordered; ``equality.py`` compares listed
ones, ``lazy.py`` has those that nobody lists, ``sets.py`` the sets among these, and ``operators.py`` what expressions
call. An evaluation that takes long looks up (``cancellation.py``), and notes what it met (``notes.py``).
"""
