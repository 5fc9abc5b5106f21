"""Random walks over a model's states: what is done where no search gets to the end."""
