"""The home slot of a fingerprint in a visited table, and an instruction that Numba lacks: prefetching it."""

from functools import cached_property
from typing import Any

import numpy as np

from workbench.checking.kernels.compiled import njit

#: Look-ups between a prefetch and its use.
ASKED_AHEAD = 12


@njit(cache=True, nogil=True)
def home(low: Any, slots: Any) -> Any:
    """The first slot to look at: a mix of the fingerprint, scaled to the table's size.

    The smallest of several fingerprints is not evenly distributed, so it is multiplied by 2**64 over the golden ratio
    before the upper half is taken.
    """
    mixed = (low * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)
    return np.int64((mixed * np.uint64(slots)) >> np.uint64(32))


class _Prefetch:
    """A kernel that prefetches a fingerprint's home slot."""

    def __call__(self, low: Any, fingerprint: Any) -> None:
        """Do nothing: interpreted kernels would gain nothing."""

    @cached_property
    def _numba_type_(self) -> Any:
        """Its type for Numba."""
        from llvmlite import ir  # loads only where kernels are compiled
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

        cpu_target.typing_context.refresh()  # or it would not find the new intrinsic
        self._compiled = prefetch  # its type does not keep it
        return prefetch._numba_type_


#: Takes the low words of a table's fingerprints, and the low word to look up.
prefetch = _Prefetch()
