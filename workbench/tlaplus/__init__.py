"""Published TLA+ modules, run as TLC runs them: docs/inside.md leads through the rooms in reading order."""
