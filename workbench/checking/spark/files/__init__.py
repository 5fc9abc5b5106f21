"""The files of a run directory: the manifest, levels of states, transitions, and messages between tasks.

Rows and arrays are written to files whose checksums the manifest records, and checked when they are read back. Nothing
here depends on Spark.
"""
