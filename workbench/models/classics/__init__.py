"""Protocols that every textbook has, in small models to learn from; ``specs/classics/README.md`` has the lessons."""
