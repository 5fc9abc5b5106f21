"""The compiled phases of an expansion: a pass takes states of a block, in chunks, and adds what is new behind them.

Expand: each chunk queues its successors, in the order of their sources. Admit: the queued fingerprints are looked up,
and what is new is marked. Settle: each chunk's new states get their numbers, rows, predecessors and steps. Link: the
transitions get the numbers of their targets, where transitions are kept. Within a phase no chunk touches another's
data, so threads may share them out; numbers follow from the order of the sources alone.
"""
