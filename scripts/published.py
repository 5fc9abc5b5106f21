"""Models in TLA+ that others publish, with what TLC says of them: tlaplus/Examples, and TLC's regression tests."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

#: What a manifest calls the end of a search, by the kinds of the properties that are violated here.
SAFETY, LIVENESS, DEADLOCK, SUCCESS = "safety failure", "liveness failure", "deadlock failure", "success"
#: That of a false ASSUME, POSTCONDITION or _POSSIBLE.
ASSUMPTION = "assumption failure"
#: That of a text which is refused, or cannot be evaluated.
ERROR = "error"
#: The folder of TLC's tests.
SUITE = "tlatools/org.lamport.tlatools"
_LONGEST = 60
_BY_STATUS = {
    "SUCCESS": SUCCESS,
    "VIOLATION_SAFETY": SAFETY,
    "VIOLATION_ASSUMPTION": ASSUMPTION,
    "VIOLATION_LIVENESS": LIVENESS,
    "VIOLATION_DEADLOCK": DEADLOCK,
}
#: Options with which something else is searched.
_OTHERWISE = {"-simulate", "-generate", "-dfid", "-recover", "-inv", "-invlevel", "-maxSetSize", "-continue", "-depth"}
#: Tests of modules whose operators are replaced by Java of the tests.
_WITH_JAVA = ("UserModuleOverride", "EvaluatingValue")
#: A switch that TLC does not show, and an expectation that TLC does not meet.
_PASSED_OVER = ("setProperty(", "@Ignore")
_TOKEN = re.compile(r'"(?P<text>[^"]*)"|ExitStatus\.(?P<status>\w+)|(?P<other>separator|FILE_BASENAME)|(?P<mark>[,{}])')
_OTHER = {"separator": "/", "FILE_BASENAME": "MC"}


class Example(NamedTuple):
    """A model.

    Attributes:
        published: What TLC says of it, with the keys of a manifest: ``result``, and ``distinctStates`` if known.
        with_deadlock: Whether a deadlock counts.
    """

    name: str
    module: Path
    configuration: Path
    published: dict[str, Any]
    with_deadlock: bool = True


def examples_in(folder: Path) -> Iterator[Example]:
    """The models in a clone of tlaplus/Examples that TLC searches whole within a minute."""
    for manifest in sorted(folder.glob("specifications/*/manifest.json")):
        for module in json.loads(manifest.read_text())["modules"]:
            for model in module["models"]:
                if model["mode"] == "exhaustive search" and _seconds(model["runtime"]) <= _LONGEST:
                    path = folder / model["path"]
                    yield Example(f"{path.parent.name}/{path.stem}", folder / module["path"], path, model)


def _seconds(runtime: str) -> float:
    parts = runtime.split(":")
    return sum(int(part) * unit for part, unit in zip(parts, (3600, 60, 1), strict=True)) if len(parts) == 3 else 1e9


def regressions_in(folder: Path) -> Iterator[Example]:
    """The models of TLC's own tests in a clone of tlaplus/tlaplus, by the names of their classes.

    A class names module, folder, configuration and exit status in its call of ``super``, and asserts how many states
    there are. Taken are those that expect something of a search of all states, and get it: no simulation, no part of a
    search, no switch that TLC does not show, no operators in Java of their own, and no class with a base of its own.
    """
    suite = folder / SUITE
    for file in sorted(suite.glob("test/tlc2/**/*Test.java")):
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", file.read_text(), flags=re.DOTALL)
        called = re.search(r"super\s*\(([^;]*)\)\s*;", text)
        if called is None or "extends ModelCheckerTestCase" not in text or any(mark in text for mark in _PASSED_OVER):
            continue
        passed = _given(called[1])
        if not passed.texts or _OTHERWISE.intersection(passed.options) or file.stem.startswith(_WITH_JAVA):
            continue
        spec, *folders = passed.texts
        module = suite.joinpath("test-model", *folders, f"{spec.removesuffix('.tla')}.tla")
        options = dict(pairwise([*passed.options, ""]))
        named = options.get("-config", f"{module.stem}.cfg")
        if not module.is_file() or not (module.parent / named).is_file():
            continue
        expected: dict[str, Any] = {"result": _BY_STATUS.get(passed.status, ERROR)}
        counts = re.search(r'assertTrue\(recorder\.recordedWithStringValues\(EC\.TLC_STATS, "\d+", "(\d+)", "0"', text)
        if counts is not None and passed.status == "SUCCESS":
            expected["distinctStates"] = int(counts[1])
        with_deadlock = re.search(r"checkDeadLock\(\)\s*\{\s*return true", text) is not None
        yield Example(file.stem.removesuffix("Test"), module, module.parent / named, expected, with_deadlock)


class _Given(NamedTuple):
    """Arguments of ``super``: module and folder, TLC's options, and the name of the exit status."""

    texts: list[str]
    options: list[str]
    status: str


def _given(arguments: str) -> _Given:
    texts, options, status = [""], list[str](), "SUCCESS"
    where = texts
    for token in _TOKEN.finditer(arguments):
        match token.lastgroup:
            case "text" | "other":
                where[-1] += _OTHER.get(token[0], token["text"] or "")
            case "status":
                status = token["status"]
            case _:
                where = options if token[0] == "{" else texts if token[0] == "}" else where
                where.append("")
    return _Given([text for text in texts if text], [option for option in options if option], status)
