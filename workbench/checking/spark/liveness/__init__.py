"""Liveness over a complete search: its transitions are found again, and trimmed to fair cycles, part by part.

In comes a run directory with all its levels; out go lassos, or that there are none.
"""
