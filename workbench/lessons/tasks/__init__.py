"""The tasks of the exercises, a module for each notebook."""
