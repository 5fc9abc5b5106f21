"""The engine: level by level until nothing is new, then liveness, and the verdicts.

It starts from a plan and limits, or from a search in process that has outgrown its room (``handover.py``), and returns
a result.
"""
