"""Write a model's whole state graph for Graphviz, Gephi, networkx and others.

  workbench graph bakery --set Writers=2 --dot bakery.dot
  workbench graph bakery --symmetry --tables bakery_graph
  workbench graph clean_up_age --graphml age.graphml        a configuration, by name or as FILE.toml

A graph is written completely or not at all: with more than --max-states states, the command ends with status 3.
"""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.commands.files import check_paths, make_output_folder, writing_text
from workbench.commands.options import add_options, asked_of
from workbench.commands.progress import progress_line
from workbench.commands.standard import remark
from workbench.formats.graphs import GraphEdge, GraphNode, write_dot, write_graphml, write_tables
from workbench.kernel import InputError
from workbench.kernel.values import counted

if TYPE_CHECKING:
    from workbench.spaces.space import StateSpace

WRITTEN, INCOMPLETE = 0, 3
#: About the most that tools for drawing graphs can load.
MOST_STATES = 100_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "model", "--set", "--symmetry")
    add_options(parser, "--max-states", default=MOST_STATES, help="by default %(default)s")
    parser.add_argument("--dot", metavar="FILE", help="as TLC's -dump dot,actionlabels; - for standard output")
    parser.add_argument("--graphml", metavar="FILE", help="with an attribute per cell; - for standard output")
    parser.add_argument("--tables", metavar="FOLDER", help="nodes.csv and edges.csv, as Gephi reads them")


def run(arguments: argparse.Namespace) -> int:
    files, asked, most = _files(arguments), asked_of(arguments.model, arguments.set), arguments.max_states
    check_paths(asked.files, files)

    from workbench.spaces.space import explore  # numba loads here, not with the command line

    model, symmetry = asked.make(), arguments.symmetry or asked.symmetry
    with progress_line() as on_progress:
        space = explore(model, [], symmetry=symmetry, max_states=most, on_progress=on_progress)
    if not space.result.complete:
        hint = "" if space.result.stopped == "interrupted" else "; --max-states allows more"
        remark(f"workbench: no graph is written: {space.result.stopped}{hint}")
        return INCOMPLETE
    if arguments.dot is not None:
        with writing_text(arguments.dot) as out:
            write_dot(out, _nodes(space), _edges(space))
    if arguments.graphml is not None:
        with writing_text(arguments.graphml) as out:
            write_graphml(out.buffer, _nodes(space), _edges(space))
    if arguments.tables is not None:
        nodes, edges = _tables(arguments.tables)
        with writing_text(nodes) as nodes_out, writing_text(edges) as edges_out:
            write_tables(nodes_out, edges_out, _nodes(space), _edges(space))
            for out in (nodes_out, edges_out):  # a full disk must not separate the two: they belong together
                out.flush()
                os.fsync(out.fileno())
    remark(
        f"{counted(len(space), 'state')} and {counted(len(space.steps), 'step')} written to {', '.join(files.values())}"
    )
    return WRITTEN


def _files(arguments: argparse.Namespace) -> dict[str, str]:
    """The files to write, by option. The folder for tables is made now, to fail before the search if at all."""
    given = {"--dot": arguments.dot, "--graphml": arguments.graphml}
    files = {option: path for option, path in given.items() if path is not None}
    if arguments.tables is not None:
        make_output_folder(Path(arguments.tables))
        nodes, edges = _tables(arguments.tables)
        files |= {"--tables": nodes, "the edges of --tables": edges}
    if not files:
        raise InputError("there is nothing to write; give --dot FILE, --graphml FILE or --tables FOLDER")
    return files


def _tables(folder: str) -> list[str]:
    return [str(Path(folder) / name) for name in ("nodes.csv", "edges.csv")]


def _nodes(space: "StateSpace") -> Iterator[GraphNode]:
    initial = space.result.levels[0]
    return (GraphNode(number, space.state(number), number < initial) for number in range(len(space)))


def _edges(space: "StateSpace") -> Iterator[GraphEdge]:
    """The steps with their labels as in traces; the model runs once per memoized step."""
    labels: dict[int, str] = {}
    columns = (space.sources.tolist(), space.targets.tolist(), space.steps.tolist())
    for number, (source, target, step) in enumerate(zip(*columns, strict=True)):
        if step not in labels:
            labels[step] = space.label(number)
        yield GraphEdge(source, target, labels[step])
