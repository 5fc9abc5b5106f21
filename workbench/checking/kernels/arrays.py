"""Numpy arrays that grow by appending."""

from typing import Any

import numpy as np


class Growing:
    """A numpy array with room to grow; ``array`` is the used part of it.

    Args:
        width: The length of each row; 0 for a one-dimensional array.

    Attributes:
        items (memoryview): The whole room, number by number: Python reads and writes single numbers twice as fast here.
            Growing replaces it.

    Examples:
        >>> numbers = Growing(np.int32)
        >>> numbers.append(7), numbers.extend([8, 9]), numbers.array.tolist(), numbers.items[2]
        (0, 1, [7, 8, 9], 9)
    """

    def __init__(self, dtype: Any, width: int = 0) -> None:
        self.size, self._width = 0, width
        self._hold(np.zeros((64, width) if width else 64, dtype))

    def _hold(self, data: np.ndarray) -> None:
        self._data, self._room, self.items = data, len(data), data.reshape(-1).data

    @property
    def array(self) -> np.ndarray:
        return self._data[: self.size]

    @property
    def nbytes(self) -> int:
        return self._data.nbytes

    def append(self, value: Any) -> int:
        """Append one value (or row) and return its position."""
        at = self.size
        if at == self._room:
            self._grow(at + 1)
        if self._width:
            self._data[at] = value
        else:
            self.items[at] = value
        self.size = at + 1
        return at

    def extend(self, values: Any) -> int:
        """Append `values` and return the position of the first."""
        at = self.reserve(len(values))
        self._data[at : self.size] = values
        return at

    def reserve(self, count: int) -> int:
        """Append `count` zeros and return the position of the first."""
        at, need = self.size, self.size + count
        if need > self._room:
            self._grow(need)
        self.size = need
        return at

    def _grow(self, need: int) -> None:
        grown = np.zeros((max(need, 2 * self._room), *self._data.shape[1:]), self._data.dtype)
        grown[: self.size] = self._data[: self.size]
        self._hold(grown)

    def clear(self) -> None:
        """Forget all values but keep the room."""
        self._data[: self.size] = 0
        self.size = 0

    def __getitem__(self, at: Any) -> Any:
        return self._data[at]

    def __setitem__(self, at: Any, value: Any) -> None:
        self._data[at] = value
