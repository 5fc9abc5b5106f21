"""Loops in Numba and NumPy, which know no model; and how they are compiled, or interpreted until they are."""
