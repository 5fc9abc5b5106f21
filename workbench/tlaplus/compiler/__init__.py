"""Expressions and actions as Python functions.

In come expressions with their scopes; out go functions of a state and the next state, and actions that call on for each
way in which they can be taken (``compiler.py``). Python's trees are built, never its text: constructs by
``expressions.py``, names and calls by ``calls.py``, LET by ``let_bindings.py``, actions by ``actions.py``; what all of
them know is in ``context.py``, and what a name is in the code, in ``environment.py``. Small analyses say what may be
written in a faster way, such as ``guard_pushdown.py``. ``program.py`` makes functions of it, ``runtime.py`` is what
they run in, and ``memo.py`` remembers answers by the cells that they read.
"""
