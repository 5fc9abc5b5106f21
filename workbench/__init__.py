"""See how lakehouse tables commit, and how they break: protocol models in plain Python, and a checker.

It exports the names that notebooks and scripts need. Each is imported on first use, so that ``import workbench`` itself
loads next to nothing.

Examples:
    >>> from workbench import check, get_model
    >>> Bakery = get_model("bakery")
    >>> check(Bakery(Writers=2, MaxCrashes=0))["NoLakekeeperConflict"].word
    'holds'
"""

from __future__ import annotations

import importlib
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # the command line begins here, and typing takes a while
    from typing import Any

#: CHANGELOG.md, CITATION.cff and a release's tag (v0.3.0) have the same version.
__version__ = "0.3.0"

__all__ = [
    "Auto",
    "Budget",
    "Compare",
    "Constant",
    "Dataset",
    "Density",
    "Fault",
    "Fingerprints",
    "InputError",
    "Local",
    "Map",
    "Model",
    "ModelError",
    "Names",
    "Partition",
    "Picture",
    "Place",
    "Process",
    "Reference",
    "Relation",
    "Result",
    "SetOf",
    "Simulator",
    "Spark",
    "State",
    "StateGraph",
    "StateSpace",
    "Switches",
    "Trace",
    "TracePlayer",
    "Variable",
    "Verdict",
    "VerdictMap",
    "Verdicts",
    "WalkRule",
    "Watch",
    "Workbench",
    "action",
    "always_eventually",
    "audit",
    "check",
    "choose",
    "compare",
    "configuration",
    "constraint",
    "drive",
    "ends",
    "eventually",
    "eventually_always",
    "explain",
    "fill",
    "flips",
    "get_model",
    "implies_always",
    "initial",
    "initially_implies_always",
    "initially_leads_to",
    "invariant",
    "leads_to",
    "liveness",
    "load",
    "machine_of",
    "picture",
    "picture_of",
    "reachable",
    "refines",
    "repairs",
    "replay",
    "require",
    "resume",
    "save",
    "scenario",
    "search",
    "show",
    "simulate",
    "spark_session",
    "state_space",
    "step",
    "sweep",
    "tla",
    "unchanged",
    "validate",
]

# The module and name of each export besides the language. A function may not share its name with a module of the
# package, which would take its place once imported.
_ELSEWHERE = {
    "Auto": ("workbench.checking.contract", "Auto"),
    "Budget": ("workbench.kernel.meaning.budget", "Budget"),
    "Fingerprints": ("workbench.kernel.meaning.plan", "Fingerprints"),
    "Local": ("workbench.checking.contract", "Local"),
    "Reference": ("workbench.checking.contract", "Reference"),
    "Spark": ("workbench.checking.contract", "Spark"),
    "WalkRule": ("workbench.checking.walks.result", "WalkRule"),
    "Watch": ("workbench.kernel.meaning.budget", "Watch"),
    "audit": ("workbench.audits", "audit"),
    "compare": ("workbench.showing.view", "compare"),
    "configuration": ("workbench.registry.configurations", "configuration"),
    "drive": ("workbench.checking.driving", "drive"),
    "explain": ("workbench.checking.questions.explain", "explain"),
    "fill": ("workbench.checking.questions.constant_grid", "fill"),
    "flips": ("workbench.checking.questions.whatif", "flips"),
    "repairs": ("workbench.checking.questions.whatif", "repairs"),
    "Dataset": ("workbench.checking.spaces.dataset", "Dataset"),
    "Compare": ("workbench.showing.panel", "Compare"),
    "Density": ("workbench.showing.panel", "Density"),
    "ModelError": ("workbench.kernel", "ModelError"),
    "Simulator": ("workbench.showing.panel", "Simulator"),
    "Picture": ("workbench.showing.pictures", "Picture"),
    "StateSpace": ("workbench.checking.spaces.space", "StateSpace"),
    "StateGraph": ("workbench.showing.panel", "StateGraph"),
    "Switches": ("workbench.showing.panel", "Switches"),
    "TracePlayer": ("workbench.showing.panel", "TracePlayer"),
    "VerdictMap": ("workbench.showing.panel", "VerdictMap"),
    "Verdicts": ("workbench.showing.panel", "Verdicts"),
    "Workbench": ("workbench.showing.panel", "Workbench"),
    "check": ("workbench.checking.check", "check"),
    "get_model": ("workbench.registry", "get_model"),
    "load": ("workbench.checking.spaces.dataset", "load"),
    "machine_of": ("workbench.kernel", "machine_of"),
    "resume": ("workbench.checking.runs", "resume"),
    "Result": ("workbench.kernel", "Result"),
    "State": ("workbench.kernel", "State"),
    "Trace": ("workbench.kernel", "Trace"),
    "Verdict": ("workbench.kernel", "Verdict"),
    "replay": ("workbench.kernel", "replay"),
    "search": ("workbench.kernel", "search"),
    "picture": ("workbench.showing.pictures", "picture"),
    "picture_of": ("workbench.showing.pictures", "picture_of"),
    "scenario": ("workbench.checking.following.scenario", "scenario"),
    "save": ("workbench.checking.spaces.dataset", "save"),
    "simulate": ("workbench.checking.walks.simulate", "simulate"),
    "spark_session": ("workbench.checking.spark.cluster.session", "spark_session"),
    "state_space": ("workbench.checking.spaces.space", "explore"),
    "sweep": ("workbench.checking.questions.sweep", "sweep"),
    "tla": ("workbench.registry", "tla"),
    "validate": ("workbench.checking.following.validate", "validate"),
}


def __getattr__(name: str) -> Any:
    if name not in __all__ and name not in _ELSEWHERE:  # a place without some of the modules shortens __all__
        raise AttributeError(f"module 'workbench' has no attribute {name!r}")
    module, original = _ELSEWHERE.get(name, ("workbench.language", name))
    return getattr(importlib.import_module(module), original)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


if "IPython" in sys.modules:
    from workbench.showing import display

    display.enable()
