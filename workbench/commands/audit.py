"""Judge a real lakehouse table by the properties of its protocol's model.

The table is only read. PATH is a folder or a URL such as s3://bucket/warehouse/db.db/orders:
  workbench audit /data/warehouse/db.db/orders
  workbench audit /data/warehouse/db.db/orders --acks acks.jsonl -o report.html

Exit status: 0 nothing is found, 1 a violation is proved or a file damaged, 2 there is no table, or an unsupported one,
3 there are only suspicions, or the audit is incomplete.
"""

import argparse

from workbench.commands.answers import add_answer, check_answer, give
from workbench.commands.options import add_options
from workbench.commands.outputs import DATA
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.given import integer_in
from workbench.registry import having

_PAGE = ".html"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH")
    parser.add_argument("--format", default="auto", choices=("auto", *having("audit")))
    parser.add_argument("--acks", metavar="FILE", help="the commits that were acknowledged to clients")
    parser.add_argument("--since", type=_version, metavar="N", help="the version to start from")
    add_options(parser, "--max-seconds")
    add_answer(parser, (_PAGE, DATA), told={_PAGE: "a page with evidence and pictures"})


def _version(text: str) -> int:
    number = integer_in(text)
    if not isinstance(number, int) or number < 0:
        such = "a version, such as 12; for Hudi the digits of a timestamp, or its first ones, such as 20260102"
        raise argparse.ArgumentTypeError(f"{brief(text)} is not accepted; it takes {such}")
    return number


def run(arguments: argparse.Namespace) -> int:
    from workbench.audits import audit  # pyarrow loads here, not with the command line

    check_answer(arguments, [path for path in (arguments.path, arguments.acks) if path is not None])
    found = audit(
        arguments.path,
        format=arguments.format,
        acks=arguments.acks,
        since=arguments.since,
        seconds=arguments.max_seconds,
    )

    def page() -> str:
        from workbench.showing.view.audited import audit_page  # pictures load here

        return audit_page(found)

    return give(arguments, found, {_PAGE: page})
