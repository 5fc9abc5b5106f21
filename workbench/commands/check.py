"""Check a model, or configurations against what they expect; or resume a search.

  workbench check bakery_v2 --set SafeAcks=false      one model; violations print their trace
  workbench check bakery_v2 --cfg MC.cfg              with the constants and properties of a TLC configuration
  workbench check Hudi.tla                            a TLA+ module as published, with Hudi.cfg beside it
  workbench check Hudi.tla --property 'Len(log) < 4'  any definition of a module, or an expression in TLA+
  workbench check Lock.tla --translate                its PlusCal in a fresh translation, in place of a stale one
  workbench check v2_race -o race.html                a page with verdicts, traces to step through, graph and charts
  workbench check bakery_v2 -o trace.itf.json         the trace of the first violation, for other tools
  workbench check v2_race hudi/one_table              configurations, by name or as FILE.toml, as a table
  workbench check specs/bakery                        every configuration in a folder
  workbench check mine --accept                       rewrite FILE.toml to expect what is found
  workbench check data/run                            a run directory of a search on Spark that was stopped or killed
  workbench check data/run --from-level 7             the same, back to a level: those after it are searched again

A name means first a model, then a file or folder, then one of the workbench's own configurations. Nine configurations
share their model's name and defaults; give them with their folder: classics/paxos.

Exit status: 0 everything holds (or is as expected), 1 something is violated (or differs), 2 bad input, or an error of
the model, 3 something is not known, nothing was checked, or what holds does so in a stale translation of PlusCal.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from workbench.checking.check import check
from workbench.checking.contract import ENGINES, Engine
from workbench.checking.runs import is_run, resume
from workbench.commands.output import accept, integration, outputs
from workbench.commands.output.advice import advice, repair_of
from workbench.commands.output.answers import ALL_TRACES, add_answer, check_answer, failing, give, printing
from workbench.commands.output.checked import Checked, report_page
from workbench.commands.output.files import file_of, read_text, reading
from workbench.commands.output.options import (
    above_zero,
    add_options,
    add_workers,
    asked_of,
    budget_of,
    in_time,
    parse_assignments,
)
from workbench.commands.output.places import in_repository
from workbench.commands.output.profiled import profiled
from workbench.commands.output.progress import SparseLines, findings, progress_line
from workbench.commands.output.standard import remark, say
from workbench.formats.tlc_cfg import apply_cfg, read_cfg
from workbench.kernel import InputError, Machine, ModelError, Result, Verdict, machine_of
from workbench.kernel.meaning.budget import Watch
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.machine import ModelClass
from workbench.kernel.meaning.plan import Fingerprints, key_in
from workbench.registry import completed, configurations, get_model, module_in, names_model
from workbench.registry.configurations import Configuration, told_path

_PAGE = ".html"
#: The options that only a new search takes, with their values if they are not given.
_BEGIN = {
    "engine": "auto",
    "workers": 1,
    "fingerprint_bits": 64,
    "profile": False,
    "translate": False,
    "set": [],
    "path": [],
}
_BEGIN |= dict.fromkeys(("cfg", "symmetry", "property", "deadlock", "fingerprint_key", "hand_over_states", "run_dir"))

#: The options that only a run directory takes.
_RESUME = dict.fromkeys(("model", "from_level"))
#: What some engines take.
_OF_ENGINES = ("hand_over_states", "fingerprint_key", "run_dir", "workers")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("targets", nargs="+", metavar="MODEL|CONFIGURATION|FOLDER|RUN_DIR")
    add_options(parser, "--set")
    parser.add_argument("--cfg", metavar="FILE", help="constants, properties and symmetry of a TLC configuration")
    add_options(parser, "--path")
    parser.add_argument(
        "--translate", action="store_true", help="a TLA+ module: check the fresh translation of its PlusCal"
    )
    add_options(parser, "--symmetry", action=argparse.BooleanOptionalAction)
    parser.add_argument("--engine", choices=ENGINES, default="auto")
    add_options(parser, "--property", "--deadlock", "--fail-fast", "--max-states", "--max-seconds")
    parser.add_argument(
        "--max-depth", type=above_zero(int), metavar="N", help="expand no state after N levels; TLC counts them so"
    )
    parser.add_argument("--max-mib", type=above_zero(float), metavar="M", help="memory of the search's own arrays")
    parser.add_argument("--fingerprint-bits", type=int, choices=(64, 128), default=64)
    parser.add_argument("--fingerprint-key", metavar="HEX", help="repeat the search whose --json answer has this key")
    add_workers(parser, "threads", default=1)
    parser.add_argument("--hand-over-states", type=int, metavar="N", help="engine auto: move to Spark after N states")
    parser.add_argument(
        "--run-dir", metavar="DIR", help="a path or URL where a search on Spark keeps its levels, to resume it"
    )
    parser.add_argument(
        "--from-level", type=int, metavar="N", help="a run directory: go back to its level N, if a later one is damaged"
    )
    add_options(parser, "--model")
    parser.add_argument("--profile", action="store_true", help="print what called the model's Python, and how often")
    parser.add_argument("--accept", action="store_true", help="rewrite the configurations to expect what is found")
    parser.add_argument("--annotations", action="store_true", help="print what failed as GitHub Actions reads it")
    add_answer(
        parser,
        (*outputs.TRACES, outputs.DATA, outputs.JUNIT),
        trace=ALL_TRACES,
        descriptions={
            _PAGE: "a page: verdicts, traces to step through, state graph, charts",
            outputs.JUNIT: "a JUnit report",
        },
    )


def run(arguments: argparse.Namespace) -> int:
    for target in arguments.targets:
        if names_model(target) or is_run(target):
            kind = "model" if names_model(target) else "run directory"
            if len(arguments.targets) > 1:
                raise InputError(f"{kind} {target!r} is not accepted here; give one, or files and folders")
            if arguments.accept:
                raise InputError(f"--accept is not accepted with a {kind}; it goes with configurations")
            return _check_model(arguments, target) if names_model(target) else _resume(arguments, target)
    if arguments.accept:
        accept.check_acceptable(arguments)
    paths = configurations.find(arguments.targets)
    if arguments.set or arguments.path or arguments.property or arguments.cfg is not None:
        raise InputError(
            "--set, --cfg, --path and --property are not accepted with configurations; they go with a model"
        )
    _without(arguments, {"translate": False}, "configurations; it goes with a module")
    if arguments.deadlock is not None:
        option = "--deadlock" if arguments.deadlock else "--no-deadlock"
        raise InputError(f"{option} is not accepted with configurations; they name Deadlock among their properties")
    if arguments.trace:
        raise InputError(
            "--trace is not accepted with configurations, which are a table; -o FILE.md writes the trace of one"
        )
    _without(arguments, _RESUME, "configurations; it goes with a run directory")
    return _check_configurations(arguments, paths)


def _without(arguments: argparse.Namespace, defaults: Mapping[str, Any], subject: str) -> None:
    """Raise :class:`InputError` for options that are given, and do not go with `subject`."""
    for name, default in defaults.items():
        value = getattr(arguments, name)
        if value != default:
            raise InputError(f"--{'no-' * (value is False)}{name.replace('_', '-')} is not accepted with {subject}")


def _limits(arguments: argparse.Namespace) -> dict[str, Any]:
    most = None if arguments.max_mib is None else int(arguments.max_mib * 2**20) or 1
    return {
        "budget": replace(budget_of(arguments), bytes=most, depth=arguments.max_depth),
        "fail_fast": arguments.fail_fast,
    }


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    if arguments.fingerprint_key is not None:
        key_in(arguments.fingerprint_key, "fingerprint_key")
    return {
        **_limits(arguments),
        "engine": _engine(arguments),
        "fingerprints": Fingerprints(arguments.fingerprint_bits, arguments.fingerprint_key),
    }


def _engine(arguments: argparse.Namespace) -> Engine:
    """The engine with its options.

    Raises:
        InputError: For an option that it does not have.
    """
    having = {name: {option.name for option in fields(kind)} for name, kind in ENGINES.items()}
    for name in having.keys() - {"reference"}:
        having[name].add("fingerprint_key")
    settings = {name: getattr(arguments, name) for name in _OF_ENGINES if getattr(arguments, name) != _BEGIN[name]}
    for option, value in settings.items():
        if option not in having[arguments.engine]:
            goes = f"it goes with {' and '.join(name for name, options in having.items() if option in options)}"
            shown = brief("auto" if value is None else value)
            raise InputError(f"{option} = {shown} is not accepted with the engine {arguments.engine}; {goes}")
    settings.pop("fingerprint_key", None)
    return ENGINES[arguments.engine](**settings)


# One model ---------------------------------------------------------------------------------------------------------


def _check_model(arguments: argparse.Namespace, name: str) -> int:
    _without(arguments, _RESUME, "a model; it goes with a run directory")
    own, cfg = (arguments.cfg, None) if module_in(name) is not None else (None, arguments.cfg)
    name = completed(name, own, arguments.path)
    if module_in(name) is None:
        _without(arguments, {"translate": False}, f"{brief(name)}; it goes with a module, such as Hudi.tla")
    check_answer(arguments, [*file_of(name), *_read(arguments)])
    with in_time(arguments.max_seconds):
        model, properties, symmetry, remarks, unknown = _asked(arguments, _chosen(arguments, name), cfg)
    if properties is not None:
        model, properties = model.asking(properties)
    chosen = model.chosen(properties, arguments.deadlock)
    with failing(arguments), progress_line(findings=findings) as on_progress:
        result = check(model, chosen, symmetry=symmetry, watch=Watch(on_progress), **_options(arguments))
    amended = replace(result, notes=[*remarks, *result.notes], verdicts=[*result.verdicts, *unknown])
    return _give(arguments, amended, name if cfg is None and not arguments.translate else None)


def _chosen(arguments: argparse.Namespace, name: str) -> ModelClass:
    if not arguments.translate:
        return get_model(name)
    from workbench.tlaplus.machine.specification import translating  # not loaded for models in Python

    return translating(get_model(name))


def _resume(arguments: argparse.Namespace, run_dir: str) -> int:
    _without(arguments, _BEGIN, "a run directory, which says what is searched")
    check_answer(arguments, [run_dir])
    model = None if arguments.model is None else asked_of(arguments.model).declared
    with failing(arguments), progress_line(findings=findings) as on_progress:
        options = {**_limits(arguments), "from_level": arguments.from_level}
        result = resume(run_dir, model, **options, watch=Watch(on_progress))
    return _give(arguments, result)


def _read(arguments: argparse.Namespace) -> list[str]:
    """The further places that a check reads, or keeps things in."""
    return [path for path in (arguments.cfg, arguments.run_dir) if path is not None]


def _give(arguments: argparse.Namespace, result: Result, name: str | None = None) -> int:
    """Print and write the result for one model; given its `name`, also print what to do next about a violation."""
    suites = [(integration.suite_of_model(result), next(map(in_repository, file_of(arguments.targets[0])), None))]
    repair = cache(partial(repair_of, result))  # it takes some checks
    pages = {_PAGE: lambda: report_page(result, repair=repair()), outputs.JUNIT: lambda: integration.junit(suites)}
    report = profiled(result) if arguments.profile else result
    exit_status = give(arguments, report, pages)
    if arguments.annotations:
        integration.print_annotations(arguments, suites)
    if not (arguments.json or arguments.quiet) and name is not None:
        with printing(arguments):
            for line in advice(name, arguments.set, arguments.output, result, repair()):
                say(line)
    return exit_status


def _asked(
    arguments: argparse.Namespace, model: ModelClass, cfg_file: str | None
) -> tuple[Machine, Sequence[str] | None, bool | tuple[str, ...] | None, list[str], list[Verdict]]:
    """The model, the properties and symmetric sets to check, remarks, and unknown properties.

    Command-line options override the TLC configuration.
    """
    constants = parse_assignments(arguments.set)
    if cfg_file is None:
        return machine_of(model(**constants)), arguments.property, arguments.symmetry, [], []
    text = read_text(cfg_file, "TLC configuration")
    with reading(cfg_file):
        cfg = read_cfg(text)
        if arguments.symmetry is not None:
            cfg.single.pop("SYMMETRY", None)
        applied = apply_cfg(cfg, model)
    symmetry = applied.symmetry if arguments.symmetry is None else arguments.symmetry
    machine = machine_of(model(**{**applied.constants, **constants}))
    if arguments.property:
        return machine, arguments.property, symmetry, applied.remarks, []
    return machine, applied.properties, symmetry, applied.remarks, applied.unknown


# Configurations ----------------------------------------------------------------------------------------------------


def _check_configurations(arguments: argparse.Namespace, paths: list[Path]) -> int:
    chosen = [configurations.configuration(path) for path in paths]
    for output in arguments.output:
        if output.kind in outputs.TRACES and len(chosen) > 1:
            reason = "a page or a trace belongs to one check"
            raise InputError(f"{output} is not accepted with {len(chosen)} configurations; {reason}")
    check_answer(arguments, [*(file for configuration in chosen for file in configuration.files), *_read(arguments)])
    outcomes: list[tuple[Configuration, Result]] = []
    failed: list[tuple[Configuration, ModelError]] = []
    done = remark if sys.stderr.isatty() else SparseLines()
    for configuration in chosen:
        symmetry = (
            configuration.symmetry
            if arguments.symmetry is None
            else arguments.symmetry and configuration.model.symmetry
        )
        try:
            with progress_line(f"{told_path(configuration.path)}: ", findings=findings) as on_progress:
                watch = Watch(on_progress)
                result = check(
                    configuration.model, configuration.properties, symmetry=symmetry, watch=watch, **_options(arguments)
                )
        except ModelError as error:
            if arguments.accept or len(chosen) == 1:
                with failing(arguments):
                    raise
            failed.append((configuration, error))
        else:
            outcomes.append((configuration, profiled(result) if arguments.profile else result))
            if result.interrupted:
                break
        done(f"{len(outcomes) + len(failed)}/{len(chosen)} {told_path(configuration.path)}")
    if arguments.accept:
        return accept.accept(outcomes, len(chosen))
    left = chosen[len(outcomes) + len(failed) :]
    suites = [(integration.suite_of_configuration(*outcome), in_repository(outcome[0].path)) for outcome in outcomes]
    lacking = [(configuration, f"an error of the model: {error}") for configuration, error in failed]
    lacking += [(configuration, "not checked: interrupted") for configuration in left]
    suites += [
        (integration.suite_without_result(configuration, reason), in_repository(configuration.path))
        for configuration, reason in lacking
    ]
    pages = {
        _PAGE: lambda: report_page(outcomes[0][1], outcomes[0][0]),
        outputs.JUNIT: lambda: integration.junit(suites),
    }
    exit_status = give(arguments, Checked(outcomes, failed, left), pages)
    if arguments.annotations:
        integration.print_annotations(arguments, suites)
    return exit_status
