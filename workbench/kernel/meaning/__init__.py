"""What a model means: values, states, machines, searches and verdicts. It knows no language."""
