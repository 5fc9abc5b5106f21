"""The text of a specification as a tree.

In comes a text; out goes a :class:`~workbench.fizzbee.syntax.tree.Specification`, every node with its place; names have
no meaning yet. Read ``tree.py`` first. ``tokens.py`` has words and layout, ``expressions.py`` and ``parser.py`` the
grammar, ``front_matter.py`` the options at the top. No part of a text ever becomes Python code: its trees are these,
and a name that begins with ``__`` is refused.
"""
