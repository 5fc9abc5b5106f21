"""Write what documents take from elsewhere: tables of figures, and how to install the workbench.

::

    python scripts/pages.py

On the pages of the protocols and of the incidents, a table of the configurations in specs/ stands between
``<!-- figures -->`` and ``<!-- end of figures -->``. Its first column names the configurations:
to add one, write a row ``| `NAME` |`` where it belongs, or ``| `FOLDER/NAME` |`` if its file is not beside the page.
Settings are the constants that differ from the defaults, or from the nearest configuration further up.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from workbench.kernel import machine_of
from workbench.kernel.meaning.domains import Names, Partition
from workbench.kernel.meaning.result import WITHIN
from workbench.registry.configurations import Configuration, configuration

ROOT = Path(__file__).parent.parent
SPECS = ROOT / "specs"
#: Has a table of configurations from several folders.
INCIDENTS = ROOT / "docs" / "incidents.md"

#: What pip installs the workbench, and a release, from. Once an index has it: ``PACKAGE``, and ``PACKAGE==``.
PACKAGE = "lakehouse-workbench"
SOURCE = "."
RELEASE = "git+ADDRESS@v"
_INSTALL = re.compile(rf"(?<=pip install )'?(?:\.|{PACKAGE})(?P<extra>\[\w+\])?'?(?![\w=/.])")
_RELEASE = re.compile(rf"(?:git\+ADDRESS@v|{PACKAGE}==)(?=\d)")

TABLE = re.compile(r"(?P<begin><!-- figures -->\n)(?P<rows>.*?)(?P<end><!-- end of figures -->)", re.DOTALL)
NAME = re.compile(r"^\| `([\w/]+)` \|", re.MULTILINE)


def pages() -> list[Path]:
    """Those with tables."""
    return [*sorted(SPECS.glob("*/README.md")), INCIDENTS]


def documents() -> list[Path]:
    """Those that may say how to install the workbench."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "notebooks").glob("*.ipynb"))]


def with_commands(text: str) -> str:
    """A document's text, with the commands that install the workbench as they are now.

    Examples:
        >>> with_commands("pip install lakehouse-workbench && pip install '.[lab]' && pip install pytest")
        "pip install . && pip install '.[lab]' && pip install pytest"
        >>> with_commands("pip install lakehouse-workbench==0.2.0")
        'pip install git+ADDRESS@v0.2.0'
    """

    def command(match: re.Match[str]) -> str:
        return f"'{SOURCE}{extra}'" if (extra := match["extra"]) else SOURCE

    return _RELEASE.sub(RELEASE, _INSTALL.sub(command, text))


def names_on(page: Path) -> Iterator[str]:
    """The configurations in the tables of a page, in order."""
    for table in TABLE.finditer(page.read_text()):
        yield from NAME.findall(table["rows"])


def written(page: Path) -> str:
    """The text of a page, with the tables as the configurations are now."""
    all_of_them = {
        name: configuration((SPECS if "/" in name else page.parent) / f"{name}.toml") for name in names_on(page)
    }

    def renew(table: re.Match[str]) -> str:
        return f"{table['begin']}{figures(NAME.findall(table['rows']), all_of_them)}{table['end']}"

    return TABLE.sub(renew, page.read_text())


def figures(rows: Sequence[str], configurations: Mapping[str, Configuration]) -> str:
    """The table of `rows`; each may be described by one of `known` that stands before it."""
    columns = {
        "settings": lambda configured: constants(configured, configurations),
        "symmetry": lambda configured: ", ".join(configured.symmetry),
        "distinct": lambda configured: f"{configured.expect['distinct']:,}",
        "generated": lambda configured: (
            f"{configured.expect['generated']:,}" if "generated" in configured.expect else ""
        ),
        "depth": lambda configured: str(configured.expect["depth"]),
        "verdicts": verdicts,
    }
    filled = {"file": [f"`{name}`" for name in rows]}
    filled |= {column: [cell(configurations[name]) for name in rows] for column, cell in columns.items()}
    filled = {name: cells for name, cells in filled.items() if any(cells)}
    lines = [list(filled), ["---"] * len(filled), *map(list, zip(*filled.values(), strict=True))]
    return "".join("|" + "|".join(f" {cell} " if cell else " " for cell in line) + "|\n" for line in lines)


def constants(configured: Configuration, configurations: Mapping[str, Configuration]) -> str:
    """The constants of a configuration, by the shortest way to say them."""
    default = differences(configured, machine_of(type(configured.model.author)).constants)
    earlier = takewhile(lambda name: configurations[name] is not configured, configurations)
    alike = {
        name: differences(configured, configurations[name].model.constants)
        for name in earlier
        if type(configurations[name].model.author) is type(configured.model.author)
    }
    if alike:
        nearest = min(alike, key=lambda name: len(alike[name]))
        others = alike[nearest]
        if len(others) + 1 < len(default):
            return f"as `{nearest}`" + (f", but {', '.join(others)}" if others else "")
    return ", ".join(default)


def differences(configured: Configuration, constants: Mapping[str, Any]) -> list[str]:
    """The constants of a configuration that are not those given, each as one says it."""
    declared = configured.model.declared.constants
    return [
        said(name, value, declared[name].domain)
        for name, value in configured.model.constants.items()
        if value != constants[name]
    ]


def said(name: str, value: Any, domain: Any) -> str:
    """A constant with its value, in a few words.

    Examples:
        >>> names = Names("w", range(1, 4))
        >>> said("UseSalt", True, bool), said("SafeAcks", False, bool), said("OpLimit", 3, range(4))
        ('UseSalt', 'not SafeAcks', 'OpLimit 3')
        >>> said("Writers", ("a1", "b1"), names), said("Writers", ("w1", "w2"), names)
        ('Writers a1 b1', 'Writers 2')
        >>> said("NodeParts", (("a1", "a2"), ("b1",)), Partition("Writers"))
        'NodeParts a1 a2 / b1'
    """
    if isinstance(value, bool):
        return name if value else f"not {name}"
    if isinstance(domain, Names) and value == domain.parse(len(value)):
        return f"{name} {len(value)}"
    if isinstance(domain, Partition) and value is not None:
        return f"{name} {' / '.join(map(' '.join, value))}"
    return f"{name} {' '.join(map(str, value))}" if isinstance(value, tuple) else f"{name} {value}"


def verdicts(configured: Configuration) -> str:
    """The violated properties, with the states of shortest traces; what is not reached; and what else holds.

    Left out are invariants that hold, and reachable properties that are reached.
    """
    groups: dict[str, list[str]] = {"violated": [], "not reached": [], "holds": []}
    within = ""
    for declared in configured.model.select(configured.properties):
        verdict = configured.expect["verdicts"][declared.name]
        word, states = next(iter(verdict.items())) if isinstance(verdict, dict) else (verdict, None)
        if bound := next(filter(word.endswith, WITHIN), ""):
            word, within = word.removesuffix(bound).rstrip(), f", {bound}"
        if word == "reached" or (word == "holds" and declared.kind == "invariant"):
            continue
        groups[word].append(declared.name if states is None else f"{declared.name} ({states})")
    parts = [f"{word}{within * (word != 'violated')}: {', '.join(names)}" for word, names in groups.items() if names]
    return "; ".join(parts) or f"all hold{within}"


if __name__ == "__main__":
    for path in pages():
        path.write_text(written(path))
    for path in documents():
        path.write_text(with_commands(path.read_text()))
