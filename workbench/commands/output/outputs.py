"""The files of ``-o``. Their suffixes determine what is written."""

import argparse
import json
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from workbench.commands.output.files import check_paths
from workbench.formats.itf import to_itf
from workbench.formats.mermaid import to_mermaid
from workbench.formats.tlc_trace import to_tlc_json
from workbench.kernel import InputError, Trace
from workbench.kernel.meaning.errors import brief, listed
from workbench.storage.atomic_files import STDOUT

#: The kind of an output without any of a command's endings, if that is a folder.
FOLDER = "FOLDER"
DATA, JUNIT, METRICS = ".json", ".xml", ".prom"


def _page(trace: Trace) -> str:
    from workbench.showing import view  # pictures load here, not with the command line

    return view.trace_page(trace)


def _animated(trace: Trace) -> str:
    from workbench.showing import view

    return view.animated_svg(trace) + "\n"


def as_json(document: object) -> str:
    return json.dumps(document, indent=1) + "\n"


#: How a trace is written, by ending.
TRACES: dict[str, Callable[[Trace], str]] = {
    ".html": _page,
    ".svg": _animated,
    ".itf.json": lambda trace: as_json(to_itf(trace)),
    ".tlc.json": lambda trace: as_json(to_tlc_json(trace)),
    ".md": to_mermaid,
}
_WORDS = {
    ".html": "a page with pictures, to step through",
    ".svg": "the trace as an animated picture",
    ".itf.json": "the trace in the Informal Trace Format, for `validate` and `drive` too",
    ".tlc.json": "the trace as TLC writes it",
    ".md": "the trace as Markdown, with a sequence diagram",
    DATA: "what --json prints",
}


class Output(NamedTuple):
    """A file to write.

    Attributes:
        kind: Its ending, or :data:`FOLDER`.
        path: ``-`` is standard output.
    """

    kind: str
    path: str

    def __str__(self) -> str:
        return f"-o {self.kind if self.path == STDOUT else self.path}"


def add_outputs(
    parser: argparse._ActionsContainer, kinds: Iterable[str], descriptions: Mapping[str, str] | None = None
) -> None:
    """Add ``-o``.

    Args:
        kinds: The suffixes that the command can write, and :data:`FOLDER` if it can write a folder.
        descriptions: Their descriptions, where they differ from those for a trace.
    """
    words = {kind: ({**_WORDS, **(descriptions or {})})[kind] for kind in kinds}
    wide = max(map(len, words))
    lines = "\n".join(f"  {kind:<{wide}}  {description}" for kind, description in words.items())
    hint = "its ending says what is written (may be repeated); the ending alone writes to standard output"
    group = parser.add_argument_group("files", f"-o FILE writes, by its ending:\n{lines}")
    group.add_argument("-o", "--output", action="append", default=[], metavar="FILE", type=_parser(words), help=hint)


def _parser(kinds: Iterable[str]) -> Callable[[str], Output]:
    """A type for argparse."""
    endings = sorted((kind for kind in kinds if kind != FOLDER), key=len, reverse=True)
    takes_folder = FOLDER in kinds

    def parse(text: str) -> Output:
        for ending in endings:
            if text.endswith(ending):
                return Output(ending, STDOUT if text == ending else text)
        if (
            takes_folder
            and text not in ("", STDOUT)
            and (not Path(text).suffix or text.endswith("/") or Path(text).is_dir())
        ):
            return Output(FOLDER, text)
        takes = f"{listed(endings)}{' or a folder, such as results or results.d/' if takes_folder else ''}"
        raise argparse.ArgumentTypeError(f"{brief(text)} is not accepted; its ending says what is written: {takes}")

    return parse


def check_written(
    arguments: argparse.Namespace, inputs: Sequence[str | Path], folders: Container[str] = (FOLDER,)
) -> None:
    """Raise :class:`InputError` for files that cannot be written, or would destroy an input or each other.

    Args:
        folders: The kinds that are no files.
    """
    named = [("--json", STDOUT)] if getattr(arguments, "json", False) else []
    named += [(str(output), output.path) for output in arguments.output if output.kind not in folders]
    files = dict(named)
    if len(files) < len(named):
        raise InputError(f"{next(name for name, _ in named if named.count((name, files[name])) > 1)} is given twice")
    check_paths(inputs, files)


def to_standard_output(arguments: argparse.Namespace) -> bool:
    """Whether one of the files is standard output; what is printed then goes to standard error."""
    return any(output.path == STDOUT for output in arguments.output)
