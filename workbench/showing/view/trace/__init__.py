"""Behaviours: in lanes, as states with what each step changes, beside another one, and as an animated picture."""
