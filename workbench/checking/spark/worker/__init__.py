"""A worker's part in a level: it expands states, and admits the new states of its buckets.

Its input is parts of a level and messages; its output, messages to other buckets and the files of the next level.
"""
