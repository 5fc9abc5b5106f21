"""What a search keeps in its run directory: the manifest, levels of states, transitions, and messages between tasks.

In come rows and arrays; out go files whose sums the manifest has, and what is read back is checked. Nothing here knows
of Spark.
"""
