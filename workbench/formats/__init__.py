"""The field's exchange formats: traces, configurations, graphs, reports. One module per format; ``docs/formats.md``."""
