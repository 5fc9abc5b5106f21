"""Random walks over a model's states, for spaces that no search exhausts."""
