"""The modelling language and its meaning. Standard library only."""

from workbench.kernel.actions import Process, action, choose, require
from workbench.kernel.constants import Assignment, Constant, Integers, Names
from workbench.kernel.deadlock import ends
from workbench.kernel.declared import SetOf, Variable, initial
from workbench.kernel.errors import InputError, ModelError
from workbench.kernel.faults import Fault, Place
from workbench.kernel.model import Model, reserved_names
from workbench.kernel.properties import (
    always_eventually,
    constraint,
    eventually,
    eventually_always,
    invariant,
    leads_to,
    liveness,
    reachable,
)
from workbench.kernel.refinement import refines
from workbench.kernel.relations import Graph, Pairs, Partition, Relation
from workbench.kernel.result import Result, Verdict
from workbench.kernel.search import search
from workbench.kernel.state import State
from workbench.kernel.steps import only, step, unchanged
from workbench.kernel.trace import Trace, replay
from workbench.kernel.values import Map

__all__ = [
    "Assignment",
    "Constant",
    "Fault",
    "Graph",
    "InputError",
    "Integers",
    "Map",
    "Model",
    "ModelError",
    "Names",
    "Pairs",
    "Partition",
    "Place",
    "Process",
    "Relation",
    "Result",
    "SetOf",
    "State",
    "Trace",
    "Variable",
    "Verdict",
    "action",
    "always_eventually",
    "choose",
    "constraint",
    "ends",
    "eventually",
    "eventually_always",
    "initial",
    "invariant",
    "leads_to",
    "liveness",
    "only",
    "reachable",
    "refines",
    "replay",
    "require",
    "reserved_names",
    "search",
    "step",
    "unchanged",
]
