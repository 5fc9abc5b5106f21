"""Temporal formulas: which behaviours a specification has, and which of them a property forbids.

In comes a formula; out go its parts: Init, Next and fairness of a specification (``temporal.py``), searches for lassos
that violate a property (``negation.py``), and the steps that WF and SF count (``fairness.py``).
"""
