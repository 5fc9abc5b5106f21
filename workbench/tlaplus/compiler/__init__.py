"""Expressions and actions as Python functions.

Expressions with their scopes become functions of a state and the next state; actions become functions that call a
continuation for each way in which they can be taken (``compiler.py``). The compiler builds Python's syntax trees, never
its text: ``expressions.py`` compiles constructs, ``calls.py`` names and calls, ``let_bindings.py`` LET, and
``actions.py`` actions. For the parts of a node they call ``writer.py``, which dispatches by the tables in
``compiler.py``; ``environment.py`` records how the code finds a name. Small analyses such as ``guard_pushdown.py`` find
what can be compiled to faster code. ``program.py`` turns trees into functions, ``runtime.py`` is their run-time
support, and ``memo.py`` memoizes answers by the cells that they read.
"""
