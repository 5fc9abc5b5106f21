"""The console for results by rich: colours and styles on a terminal, and tables."""

from collections.abc import Iterator
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from workbench.commands.output import standard
from workbench.kernel.meaning.text import printable_lines


class RichConsole(Console):
    """Escapes control characters in foreign text, such as a recorded one, so that no terminal obeys it.

    Long lines of text are not wrapped.
    """

    def __init__(self) -> None:
        output = standard.output()
        super().__init__(file=output, highlight=False, soft_wrap=True, width=None if output.isatty() else 150)

    def say(self, head: str = "", style: str = "", rest: str = "") -> None:
        self.print(Text.assemble((head, style), rest))

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable_lines(segment.text))

    def print(self, *objects: Any, **how: Any) -> None:
        if self.is_terminal and any(isinstance(part, Table) for part in objects):
            how["soft_wrap"] = False  # the cells of a table wrap, each in its column
        with standard.taken():
            super().print(*objects, **how)

    def on_broken_pipe(self) -> None:
        raise  # cli.main handles it
