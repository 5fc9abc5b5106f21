"""Where a look-up in a visited table begins, and asking for that memory before it is needed.

The latter is a machine instruction that Numba does not offer.
"""

from functools import cached_property
from typing import Any

import numpy as np

from workbench.engines.compiled import njit

#: How many look-ups ahead their memory is asked for.
ASKED_AHEAD = 12


@njit(cache=True, nogil=True)
def home(low: Any, slots: Any) -> Any:
    """The first slot to look at: a mix of the fingerprint scaled to the table's size.

    The smallest of several fingerprints is not evenly distributed, hence the multiplication (by 2**64 over the golden
    ratio) before the upper half is taken.
    """
    mixed = (low * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)
    return np.int64((mixed * np.uint64(slots)) >> np.uint64(32))


class _Prefetch:
    """A kernel that asks for the slot of a visited table that will be looked at first for a fingerprint."""

    def __call__(self, low: Any, fingerprint: Any) -> None:
        """Where kernels are interpreted, nothing is gained by it."""

    @cached_property
    def _numba_type_(self) -> Any:
        """What Numba takes this for."""
        from llvmlite import ir  # these load where kernels are compiled
        from numba import njit as compiled
        from numba import types
        from numba.core import cgutils
        from numba.core.registry import cpu_target
        from numba.extending import intrinsic

        def asking_for(typingctx: Any, array: Any, index: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                kind = signature.args[0]
                view = context.make_array(kind)(context, builder, arguments[0])
                element = cgutils.get_item_pointer(context, builder, kind, view, [arguments[1]], wraparound=False)
                byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
                shape = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
                asking = builder.module.declare_intrinsic("llvm.prefetch", [byte], shape)
                builder.call(asking, [builder.bitcast(element, byte), word(1), word(3), word(1)])
                return context.get_dummy_value()

            return types.void(array, types.intp), generate

        ask_for: Any = intrinsic(asking_for)

        @compiled
        def prefetch(low: Any, fingerprint: Any) -> None:
            ask_for(low, home(fingerprint, low.shape[0]))

        cpu_target.typing_context.refresh()  # by now it has looked for what there is
        self._compiled = prefetch  # its type does not keep it
        return prefetch._numba_type_


#: Takes the low words of a table's fingerprints, and that of the one which is to be looked up.
prefetch = _Prefetch()
