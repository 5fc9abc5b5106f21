"""Draw the pictures on the page of the classics: the violation of each configuration, step by step.

::

    python scripts/lessons.py

``specs/classics/README.md`` shows ``pictures/NAME.svg`` for the configuration of that name: the lanes of a shortest
trace to its first violation.
"""

import re
from pathlib import Path

from workbench.checking.check import check
from workbench.registry.configurations import Configuration, configuration
from workbench.showing.view import trace_view

PAGE = Path(__file__).parent.parent / "specs" / "classics" / "README.md"
SHOWN = re.compile(r"\]\(pictures/(?P<name>\w+)\.svg\)")
#: As wide as a page's text can show without making it smaller, in pixels.
WIDTH = 800


def names_on(page: Path = PAGE) -> list[str]:
    """The configurations whose pictures the page shows, in order."""
    return [shown["name"] for shown in SHOWN.finditer(page.read_text())]


def drawn(configured: Configuration) -> str:
    """The picture of a configuration."""
    result = check(configured.model, configured.properties, symmetry=configured.symmetry)
    wrong = next(verdict for verdict in result.verdicts if verdict.word == "violated")
    assert wrong.trace is not None
    return trace_view(wrong.trace, properties=[wrong.name]).svg(width=WIDTH)


if __name__ == "__main__":
    for name in names_on():
        configured = configuration(PAGE.parent / f"{name}.toml")
        (PAGE.parent / "pictures" / f"{name}.svg").write_text(drawn(configured) + "\n")
