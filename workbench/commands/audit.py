"""Judge real lakehouse tables by the properties of their protocols' models.

Tables are only read. PATH is a folder or a URL such as s3://bucket/warehouse/db.db/orders:
  workbench audit /data/warehouse/db.db/orders
  workbench audit /data/warehouse/db.db/orders --acks acks.jsonl -o report.html
  workbench audit --below /data/warehouse -o pages -o audit.xml    every table below a folder, a line for each
  workbench audit --catalog prod --json > tonight.jsonl            the Iceberg tables of a catalog, for pyiceberg

Exit status: 0 nothing is found, 1 a violation is proved or a file damaged, 2 there is no table, or an unsupported one,
3 there are only suspicions, or the audit is incomplete. Of many tables the first of 1, 2 and 3 that one of them has.
"""

import argparse

from workbench.commands.output.answers import add_answer, check_answer, give
from workbench.commands.output.options import add_options, add_workers
from workbench.commands.output.outputs import DATA, FOLDER, JUNIT, METRICS
from workbench.kernel import InputError
from workbench.kernel.meaning.arguments import integer_in
from workbench.kernel.meaning.errors import brief
from workbench.registry import having
from workbench.registry.programs import needs

_PAGE = ".html"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="*", metavar="PATH")
    parser.add_argument(
        "--below", action="append", default=[], metavar="FOLDER", help="audit every table in and below it"
    )
    parser.add_argument(
        "--catalog",
        action="append",
        default=[],
        metavar="NAME",
        help="audit the Iceberg tables of a catalog",
    )
    parser.add_argument(
        "--after", metavar="FILE", help="what --json printed: start from where it found nothing, with many tables"
    )
    add_workers(parser, "processes for many tables", default=None)
    parser.add_argument("--format", default="auto", choices=("auto", *having("audit")))
    parser.add_argument("--acks", metavar="FILE", help="the commits that were acknowledged to clients")
    parser.add_argument("--since", type=_version, metavar="N", help="the version to start from")
    parser.add_argument(
        "--without-data",
        action="store_true",
        help="metadata alone may have been copied: no data file is no violation",
    )
    add_options(parser, "--max-seconds")
    descriptions = {
        _PAGE: "a page with evidence and pictures, of one table",
        FOLDER: "of many tables: a page for each, and index.html",
        JUNIT: "of many tables: JUnit XML",
        METRICS: "of many tables: a textfile for Prometheus",
    }
    add_answer(parser, (_PAGE, DATA, FOLDER, JUNIT, METRICS), descriptions=descriptions)


def _version(text: str) -> int:
    number = integer_in(text)
    if not isinstance(number, int) or number < 0:
        such = "a version, such as 12; for Hudi the digits of a timestamp, or its first ones, such as 20260102"
        raise argparse.ArgumentTypeError(f"{brief(text)} is not accepted; it takes {such}")
    return number


def run(arguments: argparse.Namespace) -> int:
    check_answer(arguments, [path for path in (*arguments.path, arguments.acks, arguments.after) if path is not None])
    kinds = {output.kind for output in arguments.output}
    many = arguments.below or arguments.catalog or len(arguments.path) != 1 or kinds & {FOLDER, JUNIT, METRICS}
    if many:
        chosen = None if arguments.format == "auto" else arguments.format
        _refuse("many tables", format=chosen, acks=arguments.acks, since=arguments.since)
        if _PAGE in kinds:
            raise InputError("-o FILE.html is not accepted with many tables; it takes a folder, such as -o pages")
        if not (arguments.path or arguments.below or arguments.catalog):
            raise InputError("there is nothing to audit; give a PATH, --below FOLDER or --catalog NAME")
        needs("tables", "an audit")
        from workbench.commands.warehouse import audit_many

        return audit_many(arguments)
    _refuse("one table", after=arguments.after)
    from workbench.audits import audit  # pyarrow loads here, not with the command line

    report = audit(
        arguments.path[0],
        format=arguments.format,
        acks=arguments.acks,
        since=arguments.since,
        seconds=arguments.max_seconds,
        without_data=arguments.without_data,
    )

    def page() -> str:
        from workbench.showing.view.pages.audited import audit_page  # pictures load here

        return audit_page(report)

    return give(arguments, report, {_PAGE: page})


def _refuse(subject: str, **options: object) -> None:
    for name, value in options.items():
        if value is not None:
            raise InputError(f"--{name} is not accepted with {subject}")
