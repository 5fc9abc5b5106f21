"""ColdFront's own log as a recording of the bakery."""
