"""The meaning of FizzBee texts: a plain interpreter and a breadth-first search, slow and made to be read.

``values.py`` has values with their equality and their text, ``operators.py`` and ``library.py`` what can be done to
them; ``expressions.py`` evaluates, ``state.py`` says what a state is, and ``threads.py`` runs statements from one yield
point to the next. ``steps.py`` makes a specification of it, ``search.py`` visits its states, and ``liveness.py`` looks
for fair loops.

A state is what a later step can read, so it differs from FizzBee's own in these ways:

- Two variables that hold one list differ from two with equal lists: ``append`` to one is seen in the other.
- The arguments of functions that have been called, and the order of a dict, are part of it. FizzBee has states in one
  that differ there, and takes the first that comes.
- The thread that has just run is no part, nor is what an action returned. Any thread may crash where it yields.
- A set has no order: loops go through its members in the order of their texts, where FizzBee goes by insertion.
- The number of a role's instance is the smallest that is free, where FizzBee counts through the whole search.

Refused, each in one line with its place: ``__id__`` and ``__returns__``, symmetric roles and values, ``next_states``,
channels, composition and refinement, ``invariants:``, ``def`` in a role.
"""
