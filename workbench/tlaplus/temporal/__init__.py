"""Temporal formulas: which behaviours a specification has, and which of them a property forbids.

``temporal.py`` splits a specification into Init, Next and fairness, and a property into its parts. ``negation.py``
turns liveness into searches for lassos that violate it, and ``fairness.py`` finds the steps that WF and SF count.
"""
