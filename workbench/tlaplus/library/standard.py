"""The modules that come with TLC, by name, and the Python functions behind their operators."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from workbench.tlaplus.library.arithmetic import INTEGERS, NATURALS
from workbench.tlaplus.library.bags import BAGS
from workbench.tlaplus.library.community import COMMUNITY
from workbench.tlaplus.library.sequences import SEQUENCES, sort_sequence
from workbench.tlaplus.names.shipped import THEOREMS
from workbench.tlaplus.values.lazy import each, equal, force, set_from
from workbench.tlaplus.values.notes import notice
from workbench.tlaplus.values.operators import merge, pair
from workbench.tlaplus.values.sets import ANY, INT, NAT, cardinality
from workbench.tlaplus.values.values import CONCRETE, EvaluationError, brief, function_of, shown, text

# FiniteSets ----------------------------------------------------------------------------------------------------------


def is_finite(members: Any) -> bool:
    """``IsFiniteSet(members)``."""
    return bool(set_from(members) is not None) if type(members) in CONCRETE else not members.endless


# TLC -----------------------------------------------------------------------------------------------------------------


def asserted(condition: Any, out: Any) -> bool:
    """``Assert(condition, out)``."""
    if force(condition) is True:
        return True
    raise EvaluationError(f"Assert failed: {brief(force(out))}")


def to_string(value: Any) -> str:
    """``ToString(value)``."""
    return text(shown(value))


def permutations(members: Any) -> frozenset[Any]:
    """``Permutations(members)``: the bijections of a set to itself."""
    domain = tuple(each(members))
    return frozenset([function_of(dict(zip(domain, images, strict=True))) for images in itertools.permutations(domain)])


def count(*_: Any) -> bool:
    """``TLCSet(counter, value)``: sets nothing, leaves a note of that, and is TRUE as in TLC."""
    notice("TLCSet sets nothing: a search here has no counters".format)
    return True


def _refused(module: str, name: str) -> Callable[..., Any]:
    def refuse(*_: Any) -> Any:
        raise EvaluationError(
            f"{name} of the module {module} is not supported: its value is not a function of the state"
        )

    return refuse


def _all_refused(module: str, arities: str) -> dict[str, tuple[int, Callable[..., Any]]]:
    """Operators that may occur as long as nothing evaluates them, as in an ALIAS; with their numbers of arguments."""
    words = arities.split()
    return {name: (int(arity), _refused(module, name)) for name, arity in zip(words[::2], words[1::2], strict=True)}


#: How a search here would stand in TLC's options, for the texts that ask for them in an ASSUME.
_OPTIONS: Mapping[str, Any] = {
    text("config"): function_of({text("mode"): text("bfs"), text("worker"): 1}),
    text("-Dtlc2.tool.impl.Tool.cdot"): text("true"),
}


def option(key: Any) -> Any:
    """``TLCGet`` of what does not depend on a search."""
    if type(key) is str and key in _OPTIONS:
        return _OPTIONS[key]
    return _refused("TLC", "TLCGet")()


TLC: dict[str, tuple[int, Callable[..., Any]]] = {
    "Print": (2, lambda _, value: value),  # prints nothing: a search evaluates an expression as often as it likes
    "PrintT": (1, lambda _: True),
    "Assert": (2, asserted),
    "ToString": (1, to_string),
    "Permutations": (1, permutations),
    "SortSeq": (2, sort_sequence),
    ":>": (2, pair),
    "@@": (2, merge),
    "TLCEval": (1, force),
    "Any": (0, lambda: ANY),
    "TLCSet": (2, count),
    "TLCGet": (1, option),
    **_all_refused("TLC", "JavaTime 0 RandomElement 1"),
}
_TLC_EXT: dict[str, tuple[int, Callable[..., Any]]] = {
    "AssertEq": (2, equal),
    "TLCNoOp": (1, force),
    **_all_refused(
        "TLCExt",
        "AssertError 2 TLCModelValue 1 TLCGetOrDefault 2 TLCGetAndSet 4 Trace 0 CounterExample 0 ToTrace 1 "
        "TLCDefer 1 TLCCache 2 PickSuccessor 1 TLCFP 1 TLCEvalDefinition 1",
    ),
}
#: Modules that draw lots, or read and write files.
_OUTSIDE = {
    "Randomization": "RandomSubset 2 RandomSetOfSubsets 3 TestRandomSetOfSubsets 3",
    "IOUtils": "IOSerialize 3 IODeserialize 2 Serialize 3 Deserialize 2 IOExec 1 IOEnvExec 2 IOExecTemplate 2 "
    "IOEnvExecTemplate 3 IOEnv 0 atoi 1 zeroPadN 2",
    "Json": "ToJson 1 ToJsonArray 1 ToJsonObject 1 JsonSerialize 2 JsonDeserialize 1 ndJsonSerialize 2 "
    "ndJsonDeserialize 1",
    "CSV": "CSVWrite 3 CSVWriteRecord 4 CSVRead 3 CSVRecords 1",
    "SVG": "Line 5 Circle 4 Rect 5 Text 4 Image 6 Group 2 Svg 2 SVGElem 4 SVGElemToString 1 NodeOfRingNetwork 5 "
    "NodesOfDirectedMultiGraph 3 PointOnLine 3 SVGDoc 6 SVGSerialize 3",
}

# All of them ---------------------------------------------------------------------------------------------------------

_NAT: dict[str, tuple[int, Callable[..., Any]]] = {"Nat": (0, lambda: NAT)}
_INT: dict[str, tuple[int, Callable[..., Any]]] = {"Int": (0, lambda: INT)}

_INTEGERS = {**INTEGERS, **_NAT, **_INT}
_FINITE_SETS: dict[str, tuple[int, Callable[..., Any]]] = {
    "Cardinality": (1, cardinality),
    "IsFiniteSet": (1, is_finite),
}

#: The modules that those without a text extend.
EXTENDED: Mapping[str, Sequence[str]] = {**THEOREMS, "Bags": ("TLC",)}

#: By module: its operators with the number of their arguments. Operators that are arguments are Python functions.
#: Where a text defines an operator too, the function goes first.
MODULES: Mapping[str, Mapping[str, tuple[int, Callable[..., Any]]]] = {
    "Naturals": {**NATURALS, **_NAT},
    "Integers": _INTEGERS,
    "Sequences": SEQUENCES,
    "FiniteSets": _FINITE_SETS,
    "Bags": BAGS,
    "TLC": TLC,
    "TLCExt": _TLC_EXT,
    **{module: _all_refused(module, arities) for module, arities in _OUTSIDE.items()},
    **COMMUNITY,
    **{module: {} for module in THEOREMS},
}
