"""A specification with its configuration.

``config.py`` applies the statements of a .cfg to a specification: it replaces names, and finds what is to be checked.
``constants.py`` has the values of constants, and ``closures.py`` compiles the specification's expressions.
"""
