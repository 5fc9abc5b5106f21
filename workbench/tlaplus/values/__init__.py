"""Values of TLA+, and the operators of the language itself on them.

Operators take values of the kernel's states and return new ones, or raise an
:class:`~workbench.tlaplus.values.values.EvaluationError` with TLC's message in one line. ``values.py`` defines how
values are represented and ordered; ``signatures.py`` numbers their kinds, and ``interning.py`` keeps one object for
equal values. ``equality.py`` compares concrete values, ``lazy.py`` has lazy values, ``sets.py`` the sets among these,
and ``operators.py`` the operators that expressions call. Long evaluations can be cancelled (``cancellation.py``), and
``notes.py`` collects notes on what they met.
"""
