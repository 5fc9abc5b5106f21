"""Published TLA+ modules, run as TLC runs them: docs/tlaplus.md leads through the rooms in reading order."""
