"""Self-contained pages: of a result, of a trace, and of an audit."""
