"""Numpy arrays that grow by appending."""

from typing import Any

import numpy as np


class Growing:
    """A numpy array with room to grow; ``array`` is the used part of it.

    Parameters
    ----------
    dtype
    width : int, optional
        The length of each row; 0 for a one-dimensional array.

    Examples
    --------
    >>> numbers = Growing(np.int32)
    >>> numbers.append(7), numbers.extend([8, 9]), numbers.array.tolist()
    (0, 1, [7, 8, 9])
    """

    def __init__(self, dtype: Any, width: int = 0) -> None:
        self._data = np.zeros((64, width) if width else 64, dtype)
        self.size = 0

    @property
    def array(self) -> np.ndarray:
        return self._data[: self.size]

    @property
    def nbytes(self) -> int:
        return self._data.nbytes

    def append(self, value: Any) -> int:
        """Append one value (or row) and return its position."""
        at = self.reserve(1)
        self._data[at] = value
        return at

    def extend(self, values: Any) -> int:
        """Append `values` and return the position of the first."""
        at = self.reserve(len(values))
        self._data[at : self.size] = values
        return at

    def reserve(self, count: int) -> int:
        """Append `count` zeros and return the position of the first."""
        at, need = self.size, self.size + count
        if need > len(self._data):
            grown = np.zeros((max(need, 2 * len(self._data)), *self._data.shape[1:]), self._data.dtype)
            grown[:at] = self._data[:at]
            self._data = grown
        self.size = need
        return at

    def __getitem__(self, at: Any) -> Any:
        return self._data[at]

    def __setitem__(self, at: Any, value: Any) -> None:
        self._data[at] = value
