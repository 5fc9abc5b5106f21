"""The text of a module as a tree.

In comes the text of one module; out goes a tree of units, definitions and expressions, each with its place, and nothing
is known yet of what a name means. ``source.py`` has the text and its parse by tree-sitter; ``columns.py`` what SANY
makes of tabs and comments; ``expression_parser.py`` and ``parser.py`` make the tree, with ``precedence.py`` and
``literals.py``. ``tree.py`` is to be read first, then ``units.py``; ``visitor.py`` walks over them, and ``unparse.py``
is the way back. PlusCal stands in comments, and has a room of its own. ``cfg_parser.py`` reads the statements of a
.cfg.
"""
