"""Behaviours of a model that pass through what was seen, in a recording, or told, in a scenario."""
