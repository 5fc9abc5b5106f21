"""Asking for memory before it is needed, where kernels are compiled; Python has no use for that."""

from functools import cached_property
from typing import Any

import numpy as np

from workbench.engines.compiled import Kernel


class _Prefetch(Kernel):
    """Compiled it is a machine instruction."""

    @cached_property
    def _compiled(self) -> Any:
        from workbench.engines.phases import instructions  # numba loads here

        return instructions.prefetch


def _nothing(array: np.ndarray, index: int) -> None:
    """Ask for ``array[index]``, which is to be read and perhaps written soon."""


prefetch = _Prefetch(_nothing, {})
