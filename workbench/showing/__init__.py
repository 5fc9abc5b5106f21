"""Everything that people see: pictures of states, results as text and HTML, the panel, lessons."""
