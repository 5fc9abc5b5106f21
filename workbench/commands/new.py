"""Start a model of your own: its file, its picture, a configuration of it, and a test.

workbench new shared_counter            writes shared_counter.py, shared_counter_picture.py, ...toml and test_...
workbench new shared_counter -o FOLDER
"""

import argparse
import keyword
import re
import shlex
from importlib.util import find_spec
from pathlib import Path

from workbench.checking.check import check
from workbench.commands import skeleton
from workbench.commands.output import standard
from workbench.commands.output.files import make_output_folder
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief
from workbench.registry import get_model, models
from workbench.storage import whole

_CONFIGURATION = """\
title = "{title}: nothing is lost"
model = "{name}.py:{model}"      # the path is that from this file
symmetry = ["Workers"]
properties = ["NothingLost", "EverybodyWrites"]

[constants]
UseLock = true

[expect]                         # `workbench check FILE.toml --accept` changes them, when you know why
distinct = {distinct}
depth = {depth}
generated = {generated}

[expect.verdicts]
NothingLost = "{safe}"
EverybodyWrites = {{ {word} = {states} }}
"""

_PICTURE = '''
"""What the states of {name} look like; it is found by its name, beside the model's file."""

from workbench import Place, picture_of
from workbench.showing.pictures import BUSY, card, part

from {name} import {model}


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
'''.lstrip()

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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the model's name, such as shared_counter")
    parser.add_argument(
        "-o", "--output", type=Path, default=Path(), metavar="FOLDER", help="the folder to write to, made if needed"
    )


def run(arguments: argparse.Namespace) -> int:
    name, folder = arguments.name, arguments.output
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise InputError(f"NAME = {brief(name)} is not accepted; it takes small letters, digits and _, as for a module")
    if name in models():
        raise InputError(f"NAME = {name} is not accepted; a model that comes with the workbench has it")
    model, title = "".join(map(str.capitalize, name.split("_"))), name.replace("_", " ").capitalize()
    files = [folder / f"{name}{end}" for end in (".py", ".toml", "_picture.py")] + [folder / f"test_{name}.py"]
    for path in files:
        if path.exists() or path.is_symlink():
            raise InputError(f"{str(path)!r} exists already, and is not replaced; give another NAME, or -o FOLDER")
    make_output_folder(folder)
    said = {"name": name, "model": model, "title": title}
    source = Path(skeleton.__file__).read_text(encoding="utf-8").replace("SUMMARY", title).replace("Skeleton", model)
    _write(files[0], source)
    result = check(get_model(f"{files[0]}:{model}")(), ["NothingLost", "EverybodyWrites"], symmetry=True)
    safe, reached = result.verdicts
    counts = {"distinct": result.distinct, "depth": result.depth, "generated": result.generated}
    verdicts = {"safe": safe.word, "word": reached.word, "states": reached.trace_states}
    _write(files[1], _CONFIGURATION.format(**said, **counts, **verdicts))
    _write(files[2], _PICTURE.format(**said))
    _write(files[3], _TEST.format(**said))
    model_file, configuration, drawn, test = (shlex.quote(str(path)) for path in files)
    standard.say(f"wrote {model_file}, {drawn}, {configuration} and {test}; try")
    standard.say(f"workbench check {model_file}:{model} -o {name}.html")
    standard.say(f"workbench check {configuration}\npytest {test}")
    if find_spec("pytest") is None:
        standard.remark("note: pytest is not installed here; `pip install pytest` brings it")
    return 0


def _write(path: Path, text: str) -> None:
    with whole.writing(path) as out:
        out.write(text)
