"""The meaning of models, whatever their language: values, states, machines, searches and verdicts."""
