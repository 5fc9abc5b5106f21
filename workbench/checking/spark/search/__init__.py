"""The levels of a search, as the driver makes them: the first one, narrow ones by itself, and where a budget cuts.

``spark_run.py`` is what a search on Spark stands on: its run directory, its jobs, and its limits.
"""
