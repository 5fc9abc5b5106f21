"""The modelling language and its meaning. Standard library only."""

from workbench.kernel.actions import Process, action, choose, require
from workbench.kernel.constants import Constant, Names, Partition
from workbench.kernel.declared import Variable, initial
from workbench.kernel.errors import InputError, ModelError
from workbench.kernel.faults import Fault, Place
from workbench.kernel.model import Model
from workbench.kernel.properties import (
    always_eventually,
    eventually,
    eventually_always,
    invariant,
    leads_to,
    liveness,
    reachable,
)
from workbench.kernel.result import Result, Verdict
from workbench.kernel.search import search
from workbench.kernel.state import State
from workbench.kernel.trace import Trace, replay
from workbench.kernel.values import Map

__all__ = [
    "Constant",
    "Fault",
    "InputError",
    "Map",
    "Model",
    "ModelError",
    "Names",
    "Partition",
    "Place",
    "Process",
    "Result",
    "State",
    "Trace",
    "Variable",
    "Verdict",
    "action",
    "always_eventually",
    "choose",
    "eventually",
    "eventually_always",
    "initial",
    "invariant",
    "leads_to",
    "liveness",
    "reachable",
    "replay",
    "require",
    "search",
]
