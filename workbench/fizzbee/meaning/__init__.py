"""The meaning of FizzBee texts: a plain interpreter and a breadth-first search, slow and made to be read.

``values.py`` defines values, their equality and their canonical text; ``operators.py`` and ``library.py`` define the
operations on them. ``expressions.py`` evaluates expressions, ``state.py`` defines states, and ``threads.py`` runs
statements from one yield point to the next. ``steps.py`` puts these together as a specification, ``search.py`` visits
its states, and ``liveness.py`` looks for fair loops.

A state is what a later step can read, so it differs from FizzBee's own in these ways:

- Two variables that hold one list differ from two with equal lists: ``append`` to one is seen in the other.
- The arguments of functions that have been called, and the order of a dict, are part of it. FizzBee merges states that
  differ only there, and keeps the first one.
- Which thread ran last is not part of it, nor is what an action returned. Any thread may crash where it yields.
- A set has no order: loops visit its members in the order of their canonical texts; in FizzBee, in insertion order.
- A dict whose keys are all symmetric values has no order either: loops visit them by their numbers.
- Symmetric values are not exchanged: ``symmetry.py`` says which ones exist, and the kernel says which states are alike.
- Values of an ordered domain are numbered anew in each state (``domains.py``), as nothing can read their numbers.
  FizzBee does so to compare states, and goes on with the numbers of the state that came first. It merges states that
  mirror each other if the domain says ``reflection``, which has no effect here.
- A new instance of a role gets the smallest free number; FizzBee counts on through the whole search.

Refused, each in one line with its place: ``__returns__``, rings that are not materialized, ordered domains that are, a
transition assertion in a text with ordered domains, their values in what a crash sets, the text of a symmetric value,
``next_states``, channels, composition and refinement, ``invariants:``, ``def`` in a role.
"""
