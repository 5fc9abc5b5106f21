"""The answer of ``workbench audit`` about many tables: a line for each, and files for those who watch them."""

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from workbench.audits.findings import GRADES, Audit
from workbench.audits.listing import Table, once_each, tables_at, tables_below, tables_in
from workbench.audits.warehouse import (
    STATES,
    Audited,
    audit_each,
    counts,
    holds,
)
from workbench.commands.output import outputs, standard, status
from workbench.commands.output.answers import printing
from workbench.commands.output.files import make_output_folder, read_text, reading, writing_text
from workbench.commands.output.progress import SparseLines
from workbench.formats.junit import FAILED, PASSED, UNKNOWN, JunitCase, Suite, to_junit
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief, text_of
from workbench.kernel.meaning.text import columns, printable
from workbench.kernel.meaning.values import counted
from workbench.registry import usable
from workbench.storage.atomic_files import STDOUT
from workbench.storage.strict_json import read_json


def audit_many(arguments: argparse.Namespace) -> int:
    """Audit the tables that the arguments name, and give the answer."""
    since = {} if arguments.after is None else _clean_before(arguments.after)
    unlisted: list[Table] = []
    tables = list(once_each(_asked(arguments, unlisted)))
    if not tables and unlisted:
        raise InputError("; ".join(table.refused for table in unlisted))
    tables += unlisted
    if not tables:
        raise InputError(f"there is no table in {', '.join(map(brief, [*arguments.below, *arguments.catalog]))}")
    folders = [Path(output.path) for output in arguments.output if output.kind == outputs.FOLDER]
    for folder in folders:
        make_output_folder(folder)
    audited: list[Audited] = []
    progress = SparseLines()
    with printing(arguments):
        for report in audit_each(
            tables,
            since=since,
            seconds=arguments.max_seconds,
            page=_page if folders else None,
            without_data=arguments.without_data,
            workers=min(len(tables), arguments.workers or os.cpu_count() or 1),
        ):
            audited.append(report)
            progress(f"{len(audited)} of {counted(len(tables), 'table')}")
            if arguments.json:
                standard.say_json(json.dumps(report.as_dict()))
            for folder in folders:
                if report.page:
                    with writing_text(str(folder / _file(report))) as out:
                        out.write(report.page)
        audited.sort(key=lambda report: (STATES.index(report.state), report.table.title))
        if not (arguments.json or arguments.quiet):
            for line in columns([report.line() for report in audited]):
                standard.say(line)
            summary = ", ".join(f"{number:,} {state}" for state, number in counts(audited).items() if number)
            standard.say(f"\n{counted(len(audited), 'table')}: {summary}")
    for output in arguments.output:
        _write_files(output, audited)
    sound, is_refused = holds(audited)
    overlooked = usable("audit")[1] if arguments.below else []  # tables of these formats are not found
    for reason in overlooked:
        standard.complain(reason)
    return status.BAD_INPUT if (is_refused or overlooked) and sound is not False else status.of_answer(sound)


def _asked(arguments: argparse.Namespace, unlisted: list[Table]) -> Iterator[Table]:
    """The tables that the arguments name; catalogs and folders that cannot be listed go to `unlisted`, as refused."""
    many = (
        *((tables_in, catalog) for catalog in arguments.catalog),  # first: it says more of a table that is met again
        *((tables_at, path) for path in arguments.path),
        *((tables_below, folder) for folder in arguments.below),
    )
    for tables, place in many:
        try:
            yield from tables(place)
        except InputError as error:
            unlisted.append(Table(place, refused=text_of(error)))


def _clean_before(path: str) -> dict[tuple[str, str], int]:
    """The last versions of the tables without findings in an earlier audit, whose lines of JSON are in a file.

    They are by path and format.
    """
    since = {}
    with reading(path):
        for number, line in enumerate(read_text(path, "audit").splitlines(), 1):
            match read_json(line, f"line {number}"):
                case {"holds": True, "path": str(table), "format": str(format), "versions": [_, int(last)]}:
                    since[table, format] = last
                case {"path": str()}:
                    pass
                case _:
                    raise InputError(f"line {number} is not accepted; it takes an audit, as --json prints it")
    return since


def _page(audit: Audit) -> str:
    from workbench.showing.view.pages.audited import audit_page  # pictures load where it is made

    return audit_page(audit)


def _write_files(output: outputs.Output, audited: Sequence[Audited]) -> None:
    path = output.path
    if output.kind == outputs.FOLDER:
        path = str(Path(path) / "index.html")
    text = {
        outputs.FOLDER: lambda: _index(audited),
        outputs.DATA: lambda: "".join(f"{json.dumps(report.as_dict())}\n" for report in audited),
        outputs.JUNIT: lambda: to_junit(map(_suite, audited)),
        outputs.METRICS: lambda: _metrics(audited),
    }[output.kind]()
    with writing_text(path) as out:
        out.write(text)
    if path != STDOUT:
        standard.remark(f"written to {printable(path)}")


def _index(audited: Sequence[Audited]) -> str:
    from workbench.showing.view.pages.audited import audits_page

    return audits_page([(report.state, report.line()[1:], _file(report) if report.page else "") for report in audited])


def _file(report: Audited) -> str:
    """The name of a table's page in the folder; its ending distinguishes similar names."""
    table = report.table
    plain = "".join(sign if sign.isalnum() or sign in "-." else "_" for sign in table.shown.strip("/"))
    return f"{plain}-{blake2b(f'{table.shown} {table.name}'.encode(), digest_size=4).hexdigest()}.html"


def _suite(report: Audited) -> Suite:
    """A table as a suite: a case for each finding that counts, or one for the table as a whole."""
    name = report.table.title
    if report.found is None:
        return Suite(name, [JunitCase(name, UNKNOWN, f"refused: {report.refused}")])
    cases = [
        JunitCase(
            f"{finding['property']}, version {finding['version']}",
            UNKNOWN if finding["grade"] == "suspect" else FAILED,
            f"{finding['grade']}: {finding['why']}",
            "\n".join(finding["evidence"]),
        )
        for finding in report.found["findings"]
        if finding["grade"] != "outside"
    ]
    if not report.found["complete"]:
        cases.append(JunitCase("completeness", UNKNOWN, "; ".join(report.found["not_checked"])))
    facts = {"format": report.found["format"], "versions": " to ".join(map(str, report.found["versions"]))}
    return Suite(name, cases or [JunitCase(name, PASSED)], report.seconds, facts)


def _metrics(audited: Sequence[Audited]) -> str:
    """Gauges in Prometheus' text format."""
    tables, findings, versions, completeness = [], [], [], []
    for state, number in counts(audited).items():
        tables.append((f'state="{state}"', number))
    for report in audited:
        labels = f'table="{_label(report.table.title)}"'
        completeness.append((labels, int(report.found is not None and report.found["complete"])))
        if report.found is not None:
            grades = Counter(finding["grade"] for finding in report.found["findings"])
            findings += [(f'{labels},grade="{grade}"', grades[grade]) for grade in GRADES]
            last = report.found["versions"][1]
            versions += [(labels, last)] if last is not None else []
    gauges = {
        "tables": ("Tables by the gravest that was found in them.", tables),
        "findings": ("Findings by grade.", findings),
        "last_version": ("The last version that was read.", versions),
        "complete": ("1 if nothing was left out; 0 also for a table that was refused.", completeness),
    }
    lines = []
    for name, (doc, values) in gauges.items():
        lines += [f"# HELP workbench_audit_{name} {doc}", f"# TYPE workbench_audit_{name} gauge"]
        lines += [f"workbench_audit_{name}{{{labels}}} {value}" for labels, value in values]
    return "\n".join(lines) + "\n"


def _label(text: str) -> str:
    """A label's value: a backslash, a quote and a line feed are escaped."""
    return printable(text).replace("\\", "\\\\").replace('"', '\\"')
