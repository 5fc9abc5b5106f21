"""A person's work on one model, without widgets: settings, results, selection, jobs, watches and history.

A view reads a :class:`Session`, calls its methods, and is told by its events when to draw again.
"""

from workbench.showing.session.session import Session
from workbench.showing.session.settings import Settings
from workbench.showing.session.start import presets, start_from
from workbench.showing.session.stepper import Stepper
from workbench.showing.session.stories import in_sight, named, opening, stories

__all__ = ["Session", "Settings", "Stepper", "in_sight", "named", "opening", "presets", "start_from", "stories"]
