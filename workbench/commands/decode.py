"""Merge the output of PostgreSQL's test_decoding on several nodes into one log, for `workbench replay --map`.

  workbench decode n1=n1.csv n2=n2.csv -o events.jsonl

Each file is psql's CSV output for the changes in a node's slot; docs/postgresql.md has the command.
Exit status: 0 the log is written, 2 bad input.
"""

import argparse
import json

from workbench.commands.files import check_paths, read_text, writing_text
from workbench.guided.decoding import merge
from workbench.kernel import InputError
from workbench.storage.whole import STDOUT


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("nodes", nargs="+", metavar="NODE=FILE", help="a node's name, and its changes")
    parser.add_argument("-o", "--output", default=STDOUT, metavar="FILE", help="by default standard output")


def run(arguments: argparse.Namespace) -> int:
    files: dict[str, str] = {}
    for text in arguments.nodes:
        node, equals, path = text.partition("=")
        if not (node and equals and path):
            raise InputError(f"{text!r} is not accepted; it takes NODE=FILE, such as n1=n1.csv")
        if node in files:
            raise InputError(f"node {node!r} is given twice")
        files[node] = path
    check_paths(files.values(), {"--output": arguments.output})
    events = merge({node: read_text(path, f"the changes of {node}") for node, path in files.items()})
    with writing_text(arguments.output) as out:
        out.writelines(json.dumps(event) + "\n" for event in events)
    return 0
