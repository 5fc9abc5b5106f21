"""Functions compiled by Numba, and taken from its cache without loading what only compiling needs."""

from collections.abc import Callable
from typing import Any

import numba
from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys


class _Cache(FunctionCache):
    """Numba's cache of one function, but for what it does before it looks.

    It first refreshes all that compiling knows, and imports scipy.linalg for it: a third of a second. Machine code that
    is there needs the runtime alone; where there is none, the compiler refreshes all of it anyway.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        return self._load_overload(sig, target_context)


def compiled(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """What ``numba.njit`` makes of `function`."""
    made = numba.njit(**options)(function)
    if made is not function:  # as for those who have switched Numba off
        made._cache = _Cache(function)
    return made
