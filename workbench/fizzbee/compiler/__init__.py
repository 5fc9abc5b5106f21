"""Bodies of assertions, ``func`` and ``def`` as Python functions, for the machine.

Compiled is what cannot stop half way: no choice, no ``require``, no flow but atomic, and calls of nothing else that is
not compiled too. All the rest is interpreted, and calls what is compiled where the interpreter would run it without a
pause. ``expressions.py`` and ``statements.py`` write code, or refuse; ``runtime.py`` has what code calls, and
``program.py`` makes functions of it. They work on the interpreter's own values, so both can take turns in one step.

Code has no places: when it raises anything, ``meaning.py`` has the interpreter do the whole evaluation again, which
then says what is wrong and where.
"""
