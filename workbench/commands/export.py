"""Write a model's whole state space, or a log that is merged of several nodes', for other tools.

  workbench export bakery --set Writers=2 -o bakery.dot       for Graphviz; .graphml for Gephi, networkx and others
  workbench export bakery --symmetry -o bakery_graph.csv       a folder: nodes.csv and edges.csv, as Gephi reads them
  workbench export v2_race -o race.svg                         a picture: states by depth, and where it breaks
  workbench export v2_race -o data/race                        a folder of Parquet, to query with SQL or pandas
  workbench export data/run -o data/states                     the same from a run directory of a search on Spark
  workbench export n1=n1.csv n2=n2.csv -o events.jsonl         PostgreSQL's changes on several nodes as one log

A graph is written completely or not at all; Parquet also as far as a budget goes. What is merged is the output of
PostgreSQL's test_decoding, each node's from a file NODE=FILE of psql's CSV; docs/recordings.md has the command.
Exit status: 0 all is written, 2 bad input, 3 the space has more than --max-states states, or the search was stopped.
"""

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from workbench.checking.following.decoding import merge
from workbench.checking.runs import save_run
from workbench.commands.output.files import check_paths, make_output_folder, read_text, writing_text
from workbench.commands.output.options import add_options, asked_of
from workbench.commands.output.outputs import FOLDER, Output, add_outputs, check_written
from workbench.commands.output.progress import progress_line
from workbench.commands.output.standard import remark
from workbench.formats.graphs import GraphEdge, GraphNode, write_dot, write_graphml, write_tables
from workbench.kernel import InputError
from workbench.kernel.meaning.budget import Budget, Watch
from workbench.kernel.meaning.text import printable
from workbench.kernel.meaning.translation import stale_lines
from workbench.kernel.meaning.values import counted
from workbench.registry import models
from workbench.storage.places import is_url

if TYPE_CHECKING:
    from workbench.checking.spaces.space import StateSpace

WRITTEN, INCOMPLETE = 0, 3
#: About the most that tools for drawing graphs can load, and that Parquet is written of by default.
MOST_DRAWN, MOST_SAVED = 100_000, 1_000_000
_DOT, _GRAPHML, _TABLES, _DENSITY, _LOG = ".dot", ".graphml", ".csv", ".svg", ".jsonl"
_WORDS = {
    _DOT: "as TLC's -dump dot,actionlabels",
    _GRAPHML: "with an attribute per cell",
    _TABLES: "a folder with nodes.csv and edges.csv",
    _DENSITY: "the density of all states, as a picture",
    FOLDER: "Parquet: a new or empty one, or a dataset to replace",
    _LOG: "the merged log, for `validate --map`",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", nargs="+", metavar="MODEL|CONFIGURATION|RUN_DIR|NODE=FILE")
    add_options(parser, "--set", "--path", "--model", "--property", "--deadlock", "--symmetry")
    add_options(parser, "--max-states", help=f"by default {MOST_DRAWN}, and {MOST_SAVED} for Parquet and a density")
    add_outputs(parser, _WORDS, _WORDS)


def run(arguments: argparse.Namespace) -> int:
    sources = arguments.what
    if not arguments.output:
        raise InputError(
            "there is nothing to write; give -o FILE.dot, -o FILE.graphml, -o FILE.svg, -o FOLDER.csv or -o FOLDER"
        )
    is_log = any("=" in source for source in sources) and not any(map(_is_folder, sources))
    if is_log != any(output.kind == _LOG for output in arguments.output):
        raise InputError("-o FILE.jsonl takes NODE=FILE, such as n1=n1.csv, and only it does")
    if is_log:
        return _merge(arguments)
    if len(sources) > 1:
        raise InputError(f"{len(sources)} models are not accepted; give one")
    return _export_run(arguments, sources[0]) if _is_folder(sources[0]) else _export(arguments, sources[0])


def _is_folder(name: str) -> bool:
    return name not in models() and (is_url(name) or os.path.isdir(name))


# A model -------------------------------------------------------------------------------------------------------------


def _export(arguments: argparse.Namespace, name: str) -> int:
    if arguments.model is not None:
        raise InputError("--model is not accepted with a model; it goes with a run directory")
    asked = asked_of(name, arguments.set, arguments.path)
    graphs = [output for output in arguments.output if output.kind != FOLDER]
    folders = [output.path for output in arguments.output if output.kind == FOLDER]
    _check_graphs(arguments, graphs, asked.files)
    model = asked.make()
    from workbench.checking.spaces.space import explore  # numba loads here, not with the command line

    if folders:
        from workbench.checking.spaces.dataset import DATASET, save  # pyarrow loads here
        from workbench.storage.folder import check_replaceable

        for folder in folders:
            check_replaceable(folder, DATASET)
    listed = [output for output in graphs if output.kind != _DENSITY]  # state by state, for other tools to draw
    most = arguments.max_states or (MOST_DRAWN if listed else MOST_SAVED)
    model, properties = model.asking(arguments.property) if arguments.property else (model, asked.properties)
    names = [] if listed == arguments.output else model.chosen(properties, arguments.deadlock)
    symmetry = arguments.symmetry or asked.symmetry
    with progress_line() as on_progress:
        space = explore(model, names, symmetry=symmetry, budget=Budget(states=most), watch=Watch(on_progress))
    result = space.result
    if result.error is not None:  # the command promises the whole space
        raise result.error
    for folder in folders:
        save(space, folder)
    if result.complete:
        for output in graphs:
            _write(output, space)
    elif graphs:
        hint = "" if result.stopped == "interrupted" else "; --max-states allows more"
        remark(f"workbench: no graph is written: {result.stopped}{hint}")
    written = folders if not result.complete else [printable(output.path) for output in arguments.output]
    if written:
        size = f"{counted(len(space), 'state')} and {counted(len(space.steps), 'step')}"
        remark(f"{size} written to {', '.join(map(str, written))}")
    if folders and not result.complete:
        remark(f"INCOMPLETE: {result.stopped}")
    for line in stale_lines(result.translation):
        remark(str(line))
    return WRITTEN if result.complete else INCOMPLETE


def _check_graphs(arguments: argparse.Namespace, graphs: list[Output], inputs: list[Path]) -> None:
    """Refuse what cannot be written. Folders for tables are made now, so that any failure comes before the search."""
    check_written(arguments, inputs, (FOLDER, _TABLES))
    files = {str(output): output.path for output in graphs if output.kind != _TABLES}
    for output in graphs:
        if output.kind == _TABLES:
            make_output_folder(Path(output.path))
            nodes, edges = _tables(output.path)
            files |= {str(output): nodes, f"the edges of {output}": edges}
    check_paths(inputs, files)


def _write(output: Output, space: "StateSpace") -> None:
    if output.kind == _TABLES:
        nodes, edges = _tables(output.path)
        with writing_text(nodes) as nodes_out, writing_text(edges) as edges_out:
            write_tables(nodes_out, edges_out, _nodes(space), _edges(space))
            for out in (nodes_out, edges_out):  # a full disk must not separate the two: they belong together
                out.flush()
                os.fsync(out.fileno())
        return
    with writing_text(output.path) as out:
        _draw(output.kind, out, space)


def _draw(kind: str, out: TextIO, space: "StateSpace") -> None:
    if kind == _DOT:
        write_dot(out, _nodes(space), _edges(space))
    elif kind == _DENSITY:
        from workbench.showing.view import density  # pictures load here, not with the command line

        out.write(f"{density(space).svg()}\n")
    else:
        write_graphml(out.buffer, _nodes(space), _edges(space))


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


# A run directory, and logs -------------------------------------------------------------------------------------------


def _export_run(arguments: argparse.Namespace, run_dir: str) -> int:
    of_a_model = (arguments.set, arguments.path, arguments.property, arguments.symmetry, arguments.max_states)
    if any(of_a_model) or arguments.deadlock is not None:
        options = "--set, --path, --property, --deadlock, --symmetry and --max-states"
        raise InputError(f"{options} are not accepted with a run directory; it has its own")
    for output in arguments.output:
        if output.kind != FOLDER:
            raise InputError(f"{output} is not accepted with a run directory; it takes -o FOLDER, for Parquet")
        save_run(run_dir, output.path, None if arguments.model is None else asked_of(arguments.model).declared)
        remark(f"{run_dir} written to {output.path}")
    return WRITTEN


def _merge(arguments: argparse.Namespace) -> int:
    files: dict[str, str] = {}
    for text in arguments.what:
        node, equals, path = text.partition("=")
        if not (node and equals and path):
            raise InputError(f"{text!r} is not accepted; it takes NODE=FILE, such as n1=n1.csv")
        if node in files:
            raise InputError(f"node {node!r} is given twice")
        files[node] = path
    check_written(arguments, list(files.values()))
    events = merge({node: read_text(path, f"the changes of {node}") for node, path in files.items()})
    lines = [json.dumps(event) + "\n" for event in events]
    for output in arguments.output:
        with writing_text(output.path) as out:
            out.writelines(lines)
    return WRITTEN
