"""One machine instruction that Numba does not offer: asking for memory before it is needed."""

from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic


def _ask_for(typingctx: Any, array: Any, index: Any) -> Any:
    """Ask for the element of a one-dimensional `array` at `index`, which is to be read and perhaps written soon."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        view = context.make_array(kind)(context, builder, arguments[0])
        element = cgutils.get_item_pointer(context, builder, kind, view, [arguments[1]], wraparound=False)
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        asking = builder.module.declare_intrinsic(
            "llvm.prefetch", [byte], ir.FunctionType(ir.VoidType(), [byte] + [word] * 3)
        )
        builder.call(asking, [builder.bitcast(element, byte), word(1), word(3), word(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


_asked: Any = intrinsic(_ask_for)


@njit(cache=True, nogil=True)
def prefetch(array, index):
    """Ask for ``array[index]``."""
    _asked(array, index)
