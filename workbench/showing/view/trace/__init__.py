"""Views of behaviours: as lanes, as states with the changes of each step, next to another behaviour, and animated."""
