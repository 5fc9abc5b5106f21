"""Panels for notebooks: a workbench around a model, a trace player, and a simulator to step by hand."""

from workbench.widgets.panel import Workbench
from workbench.widgets.player import TracePlayer
from workbench.widgets.simulator import Simulator

__all__ = ["Simulator", "TracePlayer", "Workbench"]
