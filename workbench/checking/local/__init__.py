"""The engine in this process: breadth-first over memoized trees, and liveness over its transitions."""
