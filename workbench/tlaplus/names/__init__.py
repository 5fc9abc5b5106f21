"""What the names of a specification mean.

In come the trees of a module and of those that it extends and instantiates (``loader.py``); out goes a specification
(``specification.py``), whose scope gives each name its meaning (``symbols.py``), checked as SANY checks it:
``name_check.py``, ``level_checks.py``. Upon meanings stand analyses that all ask the same way, definition by definition
(``fixpoint.py``): the level of an expression, the arguments that an operator primes or assigns to, those that it needs
whatever happens; and the order in which TLC meets strings.
"""
