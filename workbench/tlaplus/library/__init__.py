"""The modules that come with TLC, and the community's: their operators as Python functions over values.

In comes the name of a module; out go its operators, by name (``standard.py``). All else here is a module of TLA+ each.
"""
