"""A model's Python, memoized: states as rows of integers, and actions and predicates as trees over their cells."""
