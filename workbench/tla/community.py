"""Operators of the community's modules: SequencesExt, FiniteSetsExt, Functions and Folds."""

COMMUNITY: dict = {}
