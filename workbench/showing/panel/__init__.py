"""Panels for notebooks: a workbench around a model, its parts as widgets, a simulator to step by hand, a finding."""

from workbench.registry.programs import needs

needs("lab", "a panel")

from workbench.showing.panel.finding import FindingPanel
from workbench.showing.panel.panel import Workbench
from workbench.showing.panel.simulator import Simulator
from workbench.showing.panel.widgets import Compare, Density, StateGraph, Switches, TracePlayer, VerdictMap, Verdicts

__all__ = [
    "Compare",
    "Density",
    "FindingPanel",
    "Simulator",
    "StateGraph",
    "Switches",
    "TracePlayer",
    "VerdictMap",
    "Verdicts",
    "Workbench",
]
