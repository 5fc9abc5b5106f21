"""What all displays share: HTML and its style sheet, shapes of SVG, and the words and tables of states and steps."""
