"""A specification with its configuration.

In come the statements of a .cfg and a specification; out goes the specification with replaced
names, the values of its constants (``constants.py``), what is to be checked (``config.py``), and the compiler behind
its expressions (``closures.py``).
"""
