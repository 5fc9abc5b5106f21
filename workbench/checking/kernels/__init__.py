"""Loops in Numba and NumPy that know no model; and the means to compile them, or to interpret them until then."""
