"""The meaning of models in any language: values, states, machines, searches and verdicts."""
