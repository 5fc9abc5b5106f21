"""Judge a real lakehouse table by the properties of its protocol's model.

The table is only read. PATH is a folder or a URL such as s3://bucket/warehouse/db.db/orders:
  workbench audit /data/warehouse/db.db/orders
  workbench audit /data/warehouse/db.db/orders --acks acks.jsonl -o report.html

Exit status: 0 nothing is found, 1 a violation is proved, 2 there is no table, or it is damaged or unsupported,
3 there are only suspicions, or the audit is incomplete.
"""

import argparse
import json

from workbench.commands import status
from workbench.commands.files import check_paths, writing_text
from workbench.commands.options import add_options, console
from workbench.commands.standard import remark, say
from workbench.kernel.text import printable
from workbench.storage.whole import STDOUT


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH")
    parser.add_argument("--format", default="auto", choices=("auto", "paimon", "hudi", "iceberg"))
    parser.add_argument("--acks", metavar="FILE", help="the commits that were acknowledged to clients")
    parser.add_argument("--since", type=int, metavar="N", help="the version to start from")
    add_options(parser, "--json")
    parser.add_argument("-o", "--output", metavar="FILE.html", help="write a page with evidence and pictures")


def run(arguments: argparse.Namespace) -> int:
    from workbench import tables  # pyarrow loads here, not with the command line

    outputs = {"--json": STDOUT} if arguments.json else {}
    inputs = [path for path in (arguments.path, arguments.acks) if path is not None]
    check_paths(inputs, outputs | ({"--output": arguments.output} if arguments.output is not None else {}))
    found = tables.audit(arguments.path, format=arguments.format, acks=arguments.acks, since=arguments.since)
    if arguments.json:
        say(json.dumps(found.as_dict()))
    elif arguments.output != STDOUT:
        console().print(found.text(), markup=False)
    if arguments.output is not None:
        from workbench.view.audited import audit_page

        text = audit_page(found)
        with writing_text(arguments.output) as out:
            out.write(text)
        if arguments.output != STDOUT:
            remark(f"wrote {printable(arguments.output)} ({len(text) / 1024:,.0f} KiB)")
    return status.of_answer(found.clean)
