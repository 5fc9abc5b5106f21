"""The machine that engines ask.

In comes the path of a module with its configuration (``specification.py``); out goes a machine of the kernel
(``machine.py``) with properties (``properties.py``), permutations (``symmetry.py``) and aliases (``trace_alias.py``).
"""
