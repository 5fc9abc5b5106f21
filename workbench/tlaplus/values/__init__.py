"""Values of TLA+, and the operators of the language itself on them.

In come values of the kernel's states; out go others, or an :class:`~workbench.tlaplus.values.values.EvaluationError`
with TLC's words in one line. ``values.py`` says how values are represented and ordered; ``signatures.py`` numbers their
kinds, and ``interning.py`` keeps one object for equal ones; ``equality.py`` compares listed ones, ``lazy.py`` has those
that nobody lists, ``sets.py`` the sets among these, and ``operators.py`` what expressions call. A long evaluation looks
up (``cancellation.py``), and notes what it met (``notes.py``).
"""
