"""The entry point: phases of a pass, one after the other, until something needs Python."""

from workbench.checking.kernels.compiled import njit
from workbench.checking.kernels.phases import layout
from workbench.checking.kernels.phases.admit import admit
from workbench.checking.kernels.phases.expand import expand_all
from workbench.checking.kernels.phases.shards import admit_rest, admit_shard, gather_found, sort
from workbench.checking.kernels.phases.write_back import link_all, number_new, write_back_all
from workbench.checking.kernels.serving import BLOCK_FULL, DONE, EDGES_FULL


@njit(cache=True, nogil=True)
def advance(
    share, trees, dispatch, cells, source, out, table, edges, queue, by_shard, chunks, figures, counts, bounds, scratch
):
    """Continue a pass over states of the block `source`, as far as `share` says.

    Args:
        trees, dispatch: See :mod:`workbench.checking.kernels.tree_columns`.
        cells (tuple of arrays): ``hash_base`` and ``hashes`` of :class:`workbench.checking.trees.cells.Interner`.
        source, out (Frontier): Where states are taken from, and where new ones are appended.
        by_shard (ByShard): For many threads.
        edges (EdgeArrays): Where the pass's transitions go.
        bounds (int32 array): The roots of the constraints' trees; a false one prunes the successor.
        scratch (int32 array (cells)): Holds the successor of a constraint's miss.
    """
    begin, end = share[layout.BEGIN], share[layout.END]
    if share[layout.PHASE] == layout.EXPAND:
        worst = expand_all(trees, dispatch, cells, source, queue, chunks, begin, end)
        if worst == DONE and figures[layout.SHARDS] > 0 and share[layout.COUNTED] == 0:
            sort(queue, by_shard, chunks, begin, end, share[layout.THREAD], figures[layout.SHARDS])
            share[layout.COUNTED] = 1
        if worst != DONE or share[layout.LAST] == layout.EXPAND:
            return worst
        share[layout.PHASE] = layout.ADMIT
    if share[layout.PHASE] == layout.ADMIT_SHARDS:
        for s in range(begin, end):
            admit_shard(table, by_shard, chunks, figures, s)
        return DONE
    if share[layout.PHASE] == layout.ADMIT or share[layout.PHASE] == layout.ADMIT_REST:
        if share[layout.PHASE] == layout.ADMIT_REST:
            admit_rest(table, by_shard, chunks, figures)
        else:
            code = admit(trees, source, table, queue, chunks, figures, bounds, scratch)
            if code != DONE:
                return code
        if figures[layout.CUT] >= 0:
            end = min(end, figures[layout.CUT] + 1)
            share[layout.END] = end
            for c in range(end, figures[layout.USED]):
                chunks.queued[c] = 0
        number_new(chunks, figures)
        share[layout.PHASE] = layout.WRITE_BACK
        if share[layout.LAST] != layout.LINK:
            return DONE
        if queue.number.shape[0] > 0 and edges.target.shape[0] < chunks.edge[end - 1] + chunks.queued[end - 1]:
            return EDGES_FULL
    if share[layout.PHASE] == layout.WRITE_BACK:
        if figures[layout.SHARDS] > 0 and share[layout.COUNTED] == 0:
            gather_found(queue, by_shard, share[layout.THREAD], figures[layout.SHARDS])
        first_time = share[layout.COUNTED] == 0
        write_back_all(trees, cells, source, out, queue, chunks, figures[layout.BEFORE], counts, first_time, begin, end)
        share[layout.COUNTED] = 1
        if figures[layout.BEFORE] + figures[layout.ADDED] > out.base + out.rows.shape[0]:
            return BLOCK_FULL
        if share[layout.LAST] == layout.WRITE_BACK:
            return DONE
        share[layout.PHASE] = layout.LINK
    if queue.number.shape[0] > 0:
        link_all(table, edges, queue, chunks, figures[layout.BEFORE], begin, end)
    return DONE
