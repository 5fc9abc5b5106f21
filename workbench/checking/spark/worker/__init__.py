"""What a worker does with a level: it expands states, and admits the new ones of its buckets.

In come parts of a level and messages; out go messages to other buckets, and the next level's files.
"""
