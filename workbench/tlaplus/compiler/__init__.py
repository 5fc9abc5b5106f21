"""Expressions and actions as Python functions.

In come expressions with their scopes; out go functions of a state and the next state, and actions that call on for each
way in which they can be taken (``compiler.py``). Python's trees are built, never its text: constructs by
``expressions.py``, names and calls by ``calls.py``, LET by ``let_bindings.py``, actions by ``actions.py``. They ask
``writer.py`` for the parts of a node, which looks up by the tables in ``compiler.py`` what writes them; how the code
finds a name is in ``environment.py``. Small analyses say what may be written in a faster way, such as
``guard_pushdown.py``. ``program.py`` makes functions of it, ``runtime.py`` is what they run in, and ``memo.py``
remembers answers by the cells that they read.
"""
