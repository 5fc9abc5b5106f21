"""The tasks of the exercises, a module per notebook."""
