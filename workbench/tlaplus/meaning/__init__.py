"""The meaning of TLA+ texts: a plain evaluator of the syntax tree, which shares nothing with the compiled machine.

It is slow, and made to be read: one function per construct, in the order of the tables of "Specifying Systems". The
compiled machine must give the same answers, just as engines must agree with ``workbench/kernel/meaning/search.py``.
"""
