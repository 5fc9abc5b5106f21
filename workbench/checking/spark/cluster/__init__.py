"""Spark itself: sessions, jobs that can be cancelled, what executors have installed, and how arrays get to them.

In come functions and arrays; out go their results, stage by stage (``dataflow.py``), in this process or on a cluster.
"""
