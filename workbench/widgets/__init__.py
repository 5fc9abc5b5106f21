"""Panels for notebooks: a workbench around a model, a trace player, a simulator to step by hand, a finding."""

from workbench.programs import needs

needs("lab", "a panel")

from workbench.widgets.found import FindingPanel
from workbench.widgets.panel import Workbench
from workbench.widgets.player import TracePlayer
from workbench.widgets.simulator import Simulator

__all__ = ["FindingPanel", "Simulator", "TracePlayer", "Workbench"]
