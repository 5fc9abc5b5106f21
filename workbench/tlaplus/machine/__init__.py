"""The kernel machine of a module, through which engines run it.

``specification.py`` opens a module with its configuration. ``machine.py`` is the machine, with properties
(``properties.py``), permutations (``symmetry.py``) and aliases (``trace_alias.py``).
"""
