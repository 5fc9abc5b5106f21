"""The one entry point: phases of a pass, one after the other, until something needs Python."""

from workbench.engines.compiled import njit
from workbench.engines.phases.admit import admit
from workbench.engines.phases.expand import expand
from workbench.engines.phases.layout import (
    ADDED,
    ADMIT,
    ADMIT_REST,
    ADMIT_SHARDS,
    BEFORE,
    BEGIN,
    BLOCK_FULL,
    COUNTED,
    CUT,
    DONE,
    EDGE,
    EDGES_FULL,
    END,
    EXPAND,
    LAST,
    LINK,
    NEXT,
    PHASE,
    QUEUED,
    SETTLE,
    SHARDS,
    STOP,
    THREAD,
    USED,
)
from workbench.engines.phases.settle import link, number, settle
from workbench.engines.phases.shards import admit_rest, admit_shard, gather, sort


@njit(cache=True, nogil=True)
def advance(
    share, trees, dispatch, cells, source, out, table, edges, queue, by_shard, chunks, figures, counts, bounds, scratch
):
    """Go on with a pass over states of the block `source`, as far as `share` says.

    Args:
        trees, dispatch: See :mod:`workbench.engines.trees`.
        cells (tuple of arrays): ``hash_base`` and ``hashes`` of :class:`workbench.engines.cells.Cells`.
        source, out (Frontier): Where states are taken from, and where new ones are appended.
        by_shard (ByShard): For many threads.
        edges (Edges): Where the pass's transitions go.
        bounds (int32 array): The roots of the constraints' trees: a successor of which one is false is outside.
        scratch (int32 array (cells)): Holds the successor of which a constraint is not known.
    """
    begin, end = share[BEGIN], share[END]
    if share[PHASE] == EXPAND:
        worst = DONE
        for c in range(begin, end):
            if chunks[c, NEXT] < chunks[c, STOP]:
                worst = max(worst, expand(trees, dispatch, cells, source, queue, chunks, c))
        if worst == DONE and figures[SHARDS] > 0 and share[COUNTED] == 0:
            sort(queue, by_shard, chunks, begin, end, share[THREAD], figures[SHARDS])
            share[COUNTED] = 1
        if worst != DONE or share[LAST] == EXPAND:
            return worst
        share[PHASE] = ADMIT
    if share[PHASE] == ADMIT_SHARDS:
        for s in range(begin, end):
            admit_shard(table, by_shard, chunks, figures, s)
        return DONE
    if share[PHASE] == ADMIT or share[PHASE] == ADMIT_REST:
        if share[PHASE] == ADMIT_REST:
            admit_rest(table, by_shard, chunks, figures)
        else:
            why = admit(trees, source, table, queue, chunks, figures, bounds, scratch)
            if why != DONE:
                return why
        if figures[CUT] >= 0:
            end = min(end, figures[CUT] + 1)
            share[END] = end
            for c in range(end, figures[USED]):
                chunks[c, QUEUED] = 0
        number(chunks, figures)
        share[PHASE] = SETTLE
        if share[LAST] != LINK:
            return DONE
        if queue.number.shape[0] > 0 and edges.target.shape[0] < chunks[end - 1, EDGE] + chunks[end - 1, QUEUED]:
            return EDGES_FULL
    if share[PHASE] == SETTLE:
        if figures[SHARDS] > 0 and share[COUNTED] == 0:
            gather(queue, by_shard, share[THREAD], figures[SHARDS])
        for c in range(begin, end):
            settle(trees, cells, source, out, queue, chunks, c, figures[BEFORE], counts, share[COUNTED] == 0)
        share[COUNTED] = 1
        if figures[BEFORE] + figures[ADDED] > out.base + out.rows.shape[0]:
            return BLOCK_FULL
        if share[LAST] == SETTLE:
            return DONE
        share[PHASE] = LINK
    if queue.number.shape[0] > 0:
        for c in range(begin, end):
            link(table, edges, queue, chunks, c, figures[BEFORE])
    return DONE
