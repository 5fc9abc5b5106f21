"""Published FizzBee specifications, run unchanged.

``syntax`` reads a text into a tree, and ``meaning`` interprets the tree: the initial states, the steps of a state, and
its assertions. Nothing in a text can run or reach Python: expressions are trees of our own, names are looked up in
tables, and a name that begins with ``__`` is refused. ``compiler`` makes Python functions of some of these
trees, in which a text decides no name.

``machine`` is what engines ask. It builds on :class:`~workbench.fizzbee.meaning.steps.Meaning` alone:
``variables`` names what a state has, ``initial()`` and ``steps(state)`` yield states with canonical keys,
``holds(assertion, state)`` judges one, and ``text`` has options, actions, roles and assertions with their places.
"""
