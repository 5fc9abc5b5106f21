"""Name resolution, and the analyses that need resolved names.

``loader.py`` loads a module with all that it extends and instantiates. The result is a specification
(``specification.py``), whose scope maps each name to its meaning (``symbols.py``), checked as SANY checks it
(``name_check.py``, ``level_checks.py``). The analyses work definition by definition, with a common fixpoint
(``fixpoint.py``): the level of an expression, the arguments that an operator primes or assigns to, and the arguments
that it always needs. ``string_order.py`` finds the order in which TLC meets strings.
"""
