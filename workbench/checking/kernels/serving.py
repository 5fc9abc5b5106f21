"""The reasons why compiled code returns, and the loop that serves it with whatever it needs from Python."""

from collections.abc import Callable, Mapping

#: The codes. Of several threads or chunks, the largest code counts: making room comes after answering misses.
(
    DONE,
    HIT,
    FOUND,
    PAUSE,
    MISS_ACTION,
    MISS_GROUP,
    MISS_PREDICATE,
    MISS_START,
    MISS_BEGIN,
    MISS_STEP,
    MISS_END,
    MISSED,
    QUEUE_FULL,
    MISS_CONSTRAINT,
    TABLE_FULL,
    EDGES_FULL,
    BLOCK_FULL,
    NODES_FULL,
    STEPS_FULL,
) = range(19)


def serve(
    run: Callable[[], int], servants: Mapping[int, Callable[[], object]], between: Callable[[], object] = lambda: None
) -> int:
    """Run compiled code, which keeps its place, until it returns for a reason that has no server; returns that reason.

    Args:
        run: Calls the code, which goes on where it stopped.
        servants: For the codes that are served what does so.
        between: Called after each service; it may raise to stop.
    """
    while (code := run()) in servants:
        servants[code]()
        between()
    return code
