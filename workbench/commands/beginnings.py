"""The files of a new model, and of a new package with one, as texts by path."""

import inspect

from workbench.checking.check import check
from workbench.commands import skeleton

_CONFIGURATION = """\
title = "{title}"
model = {model}
symmetry = ["Workers"]
properties = ["NothingLost", "EverybodyWrites"]

[constants]
UseLock = {lock}

[expect]                         # `workbench check FILE.toml --accept` changes them, when you know why
distinct = {distinct}
depth = {depth}
generated = {generated}

[expect.verdicts]
NothingLost = {safe}
EverybodyWrites = {reached}
"""

_PICTURE = '''\
"""What the states of {name} look like; it is found by its name, {where}."""

from workbench import Place, picture_of
from workbench.showing.pictures import BUSY, card, part

from {module} import {model}


@picture_of({model})
def picture(model, s):
    """The counter, and what each worker has read of it."""
    held = None if s.holder is None else f"locked by {{s.holder}}"
    yield part("shared", "shared", card("counter", f"counter {{s.counter}}", held, of=Place("counter")))
    yield part("workers", "workers", *(worker(s, w) for w in model.Workers))


def worker(s, w):
    """A worker with its next step."""
    done = s.pc[w] == "Done"
    said = f"has read {{s.seen[w]}}" if s.pc[w] == "Write" else "is done" if done else "is to read"
    return card(w, w, said, tone=BUSY if s.pc[w] == "Write" else "plain", of=Place("seen", w))
'''

_TEST = '''\
"""{title} does what its configuration expects."""

from pathlib import Path

from workbench import check, search
from workbench.registry import configurations

from {name} import {model}


def test_everything_is_as_expected() -> None:
    asked = configurations.configuration(Path(__file__).with_name("{name}.toml"))
    result = check(asked.model, asked.properties, symmetry=asked.symmetry)
    assert asked.differences(result) == []


def test_the_plain_search_gives_the_same() -> None:
    fast, plain = check({model}()), search({model}())
    assert (fast.levels, fast.generated) == (plain.levels, plain.generated)
    assert [verdict.word for verdict in fast.verdicts] == [verdict.word for verdict in plain.verdicts]


def test_the_lock_is_needed() -> None:
    assert check({model}(UseLock=False))["NothingLost"].trace_states == 5
'''

_PROJECT = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "{name}"
version = "0.1.0"
description = "{title}, for the lakehouse workbench"
readme = "README.md"
requires-python = ">=3.11"
dependencies = ["lakehouse-workbench"]

[project.entry-points."lakehouse_workbench.protocols"]
{name} = "{name}:PROTOCOL"

[tool.setuptools.package-data]
{name} = ["specs/*.toml"]
"""

_README = """\
# {title}

A protocol for the lakehouse workbench: `src/{name}` has its model, its picture and its configurations. Once it is
installed beside the workbench, `workbench list` names it, and in a notebook `Workbench("{name}")` opens it:

```sh
pip install -e .
workbench check {name}_without_lock -o lost.html
pytest
```
"""

_PROTOCOL = '''\
"""{title}: what the workbench finds of it, by the entry point in pyproject.toml."""

from pathlib import Path

from workbench.registry import Protocol

PROTOCOL = Protocol(
    __name__,
    models={{"{name}": "model:{model}"}},
    stories={{
        "{name}": {{
            "Without the lock": "{name}/{name}_without_lock",
            "As it should be": "{name}/{name}",
        }},
    }},
    picture="picture",
    specs=Path(__file__).parent / "specs",
)
'''

_PACKAGE_TEST = '''\
"""The workbench finds {name}, and each of its configurations gives the result that it expects."""

import pytest
from workbench import check
from workbench.registry import configurations, get_model

from {name} import PROTOCOL
from {name}.model import {model}


def test_the_workbench_finds_it() -> None:
    assert get_model("{name}") is {model}


@pytest.mark.parametrize("path", sorted(PROTOCOL.specs.glob("*.toml")), ids=lambda path: path.stem)
def test_a_configuration_is_as_expected(path) -> None:
    asked = configurations.configuration(path)
    result = check(asked.model, asked.properties, symmetry=asked.symmetry)
    assert asked.differences(result) == []
'''


def single(name: str) -> dict[str, str]:
    """A model's file, its configuration, its picture and its test."""
    words = _words(name)
    model = f'"{name}.py:{words["model"]}"      # the path is that from this file'
    return {
        f"{name}.py": _model(words),
        f"{name}.toml": _configuration(f"{words['title']}: nothing is lost", model, lock=True),
        f"{name}_picture.py": _PICTURE.format(**words, module=name, where="beside the model's file"),
        f"test_{name}.py": _TEST.format(**words),
    }


def package(name: str) -> dict[str, str]:
    """A distribution with a protocol: the package, its configurations, a test, and how to install it."""
    words, inside = _words(name), f"src/{name}"
    title, model = words["title"], f'"{name}"'
    # The list, stories and configurations have the model under the package's name, whatever its class is called.
    named = _model(words).replace("    symmetry =", f'    name = "{name}"\n    symmetry =')
    return {
        "pyproject.toml": _PROJECT.format(**words),
        "README.md": _README.format(**words),
        f"{inside}/__init__.py": _PROTOCOL.format(**words),
        f"{inside}/model.py": named,
        f"{inside}/picture.py": _PICTURE.format(**words, module=f"{name}.model", where="in the package's `PROTOCOL`"),
        f"{inside}/specs/{name}.toml": _configuration(f"{title}: nothing is lost", model, lock=True),
        f"{inside}/specs/{name}_without_lock.toml": _configuration(
            f"{title}: without the lock, a write is lost", model, lock=False
        ),
        f"tests/test_{name}.py": _PACKAGE_TEST.format(**words),
    }


def _words(name: str) -> dict[str, str]:
    return {
        "name": name,
        "model": "".join(map(str.capitalize, name.split("_"))),
        "title": name.replace("_", " ").capitalize(),
    }


def _model(words: dict[str, str]) -> str:
    return inspect.getsource(skeleton).replace("SUMMARY", words["title"]).replace("Skeleton", words["model"])


def _configuration(title: str, model: str, *, lock: bool) -> str:
    """A configuration that expects what a check of the model with this setting finds."""
    properties = ["NothingLost", "EverybodyWrites"]
    result = check(skeleton.Skeleton(UseLock=lock), properties, symmetry=True)
    safe, reached = (
        f'"{verdict.word}"' if verdict.trace is None else f"{{ {verdict.word} = {verdict.trace_states} }}"
        for verdict in result.verdicts
    )
    return _CONFIGURATION.format(
        title=title,
        model=model,
        lock=str(lock).lower(),
        distinct=result.distinct,
        depth=result.depth,
        generated=result.generated,
        safe=safe,
        reached=reached,
    )
