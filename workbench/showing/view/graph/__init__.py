"""State graphs: which states to draw, and how Graphviz draws them."""
