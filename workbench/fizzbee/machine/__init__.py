"""The machine that engines ask.

In comes a text (``specification.py``); out goes a machine of the kernel (``machine.py``). States are rows of cells
(``rows.py``) with immutable values (``values.py``), steps are the interpreter's, run on what they read of a row
(``steps.py``), and assertions are properties (``properties.py``).
"""
