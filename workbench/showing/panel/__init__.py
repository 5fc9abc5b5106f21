"""Panels for notebooks: a workbench around a model, a trace player, a simulator to step by hand, a finding."""

from workbench.registry.programs import needs

needs("lab", "a panel")

from workbench.showing.panel.found import FindingPanel
from workbench.showing.panel.panel import Workbench
from workbench.showing.panel.player import TracePlayer
from workbench.showing.panel.simulator import Simulator

__all__ = ["FindingPanel", "Simulator", "TracePlayer", "Workbench"]
