"""Charts: the data that each shows, and one description from which its SVG and its plotly figure are made."""
