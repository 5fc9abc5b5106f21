"""Published FizzBee specifications: their text as a tree (``syntax``), and what it means (``meaning``)."""
