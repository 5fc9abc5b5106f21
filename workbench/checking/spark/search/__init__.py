"""The driver's share of a search: it makes the first level and narrow ones, and cuts levels short at a budget.

``spark_run.py`` has what every search on Spark needs: its run directory, its jobs, and its limits.
"""
