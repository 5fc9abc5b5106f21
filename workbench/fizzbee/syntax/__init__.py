"""The text of a specification as a tree.

A text comes in; a :class:`~workbench.fizzbee.syntax.tree.Specification` goes out. Every node has its place, and names
are not resolved yet. Read ``tree.py`` first. ``tokens.py`` handles words and layout, ``expressions.py`` and
``parser.py`` the grammar, ``front_matter.py`` the options at the top. No part of a text ever becomes Python code: the
trees are our own, and a name that begins with ``__`` is refused.
"""
