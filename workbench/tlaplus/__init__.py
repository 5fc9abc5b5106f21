"""Published TLA+ modules, run as TLC runs them."""
