"""The engine: level by level until nothing is new, then liveness, and the verdicts.

In come a plan and limits, or a search in process that has outgrown its room (``handover.py``); out goes a result.
"""
