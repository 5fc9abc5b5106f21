"""The machine of a FizzBee text, as engines see it.

``specification.py`` reads the text, and ``machine.py`` is the kernel machine for it. A state is a row of cells
(``rows.py``) with immutable values (``values.py``). The interpreter, with compiled functions, takes the steps, reading
only those cells of a row that it needs (``steps.py``). Assertions become properties (``properties.py``).
"""
