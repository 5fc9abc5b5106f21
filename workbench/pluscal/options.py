"""The options of pcal that a module may name: ``(* PlusCal options (-wf -label) *)``."""

import re
from dataclasses import dataclass

_OPTIONS = re.compile(r"PlusCal\s+options?\b\s*\(?([^)\n]*)")
_FAIRNESS = {"wf", "sf", "wfNext", "nof"}


@dataclass
class Options:
    """pcal's options.

    Attributes:
        fairness: ``wf``, ``sf``, ``wfNext`` or ``nof``; "" if the module asks for none.
        label: Whether labels may be added; None for pcal's rule: only to a single process without any label.
        label_root: The prefix of the names of added labels.
        no_done_disjunct: Whether to leave out the disjunct of Next that stutters after termination.
    """

    fairness: str = ""
    label: bool | None = None
    label_root: str = "Lbl_"
    no_done_disjunct: bool = False


def options_in(text: str) -> Options:
    """The options that a module names."""
    options = Options()
    line = _OPTIONS.search(text)
    words = re.split(r"[\s,]+", line[1].strip()) if line else []
    for index, word in enumerate(words):
        name = word.lstrip("-")
        if name in _FAIRNESS:
            options.fairness = name
        elif name == "label":
            options.label = True
        elif name == "noDoneDisjunct":
            options.no_done_disjunct = True
        elif name == "labelRoot" and index + 1 < len(words):
            options.label_root = words[index + 1]
    return options
