"""Search guided by a recording or a scenario: behaviours of a model that pass through it."""
