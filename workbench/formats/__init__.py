"""What the field exchanges: traces, configurations, graphs and reports. One module per format; ``docs/formats.md``."""
