"""Checks liveness over a complete search: regenerates its transitions, and trims them to fair cycles, part by part.

The input is a run directory with all levels; the output is a lasso for each violation.
"""
