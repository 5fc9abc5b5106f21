"""One state space across a cluster: Spark schedules and shuffles, workers expand and admit, levels are durable."""

from workbench.registry.programs import needs

needs("spark")
