"""The text of a module as a tree.

The text of one module becomes a tree of units, definitions and expressions, each with its place. Names are not resolved
yet. Read ``tree.py`` first, then ``units.py``. ``source.py`` holds the text and its parse by tree-sitter, and
``columns.py`` counts columns as SANY does, with tabs and comments. ``expression_parser.py`` and ``parser.py`` build the
tree, with ``precedence.py`` and ``literals.py``. ``visitor.py`` visits a tree, and ``unparse.py`` turns it back into
text. PlusCal is inside comments, and has its own room. ``cfg_parser.py`` parses the statements of a .cfg.
"""
