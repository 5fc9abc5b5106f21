"""The compiled phases of an expansion: a pass takes states of a block, in chunks, and adds the new ones behind them.

Expand: each chunk queues its successors, in the order of their sources. Admit: the queued fingerprints are looked up,
and new ones are marked. Write back: each chunk's new states are written back with their numbers, rows, predecessors and
steps. Link: the transitions, if kept, get the numbers of their targets. Within a phase no chunk touches another's data,
so threads may divide them; numbers follow from the order of the sources alone.
"""
