"""Everything about Spark itself: sessions, cancellable jobs, checks of executors, and the transport of arrays.

Callers pass functions and arrays, and get their results. ``dataflow.py`` runs them in stages, in this process or on a
cluster.
"""
