"""One machine instruction that Numba does not offer: asking for memory before it is needed."""

from functools import cached_property
from typing import Any


class _Prefetch:
    """A kernel's call that does nothing but to ask for an element of an array, which is to be read and written soon."""

    def __call__(self, array: Any, index: Any) -> None:
        """Where kernels are interpreted, nothing is gained by it."""

    @cached_property
    def _numba_type_(self) -> Any:
        """What Numba takes this for."""
        from llvmlite import ir  # these load where kernels are compiled
        from numba import types
        from numba.core import cgutils
        from numba.core.registry import cpu_target
        from numba.extending import intrinsic

        @intrinsic
        def prefetch(typingctx: Any, array: Any, index: Any) -> Any:
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

        cpu_target.typing_context.refresh()  # by now it has looked for what there is
        return cpu_target.typing_context.resolve_value_type(prefetch)


#: Takes an array of one dimension, and an index.
prefetch = _Prefetch()
