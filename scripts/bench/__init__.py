"""Measurements of the engines. Every figure is taken in the run that prints it, beside the plain reference search."""
