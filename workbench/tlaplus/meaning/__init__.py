"""The meaning of TLA+ texts: a plain evaluator of the syntax tree, which shares nothing with the compiled machine.

It is slow, and made to be read: a function per construct, in the order of the tables of "Specifying Systems". What the
compiled machine answers must be what this answers, as engines must agree with ``workbench/kernel/meaning/search.py``.
"""
