"""Pages that stand on their own: of a result, of a trace, and of an audit."""
