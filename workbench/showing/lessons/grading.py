"""Marks notebooks that were handed in. Each runs in its own kernel, where its answers are judged.

Its code is a stranger's, and runs with the rights of the person who grades. It could also cheat: a mark does not
replace reading.
"""

import ast
import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from workbench.kernel import InputError
from workbench.showing.lessons.exercise import exercise, exercises

#: The marks. The cell of a failed answer raised an error, a late one was not reached; a refused file is no notebook.
RIGHT, WRONG, UNANSWERED, FAILED, LATE, REFUSED = "right", "wrong", "unanswered", "failed", "late", "refused"
_MARKS = {True: RIGHT, False: WRONG, None: UNANSWERED}
#: Longer notebooks are refused.
_MOST_BYTES = 100_000_000
_JUDGE = "__import__('workbench.showing.lessons.grading', fromlist=['say']).say({name!r}, {answer})"


class Mark(NamedTuple):
    """The mark for an exercise, with the comment on the answer."""

    exercise: str
    mark: str
    said: str


def say(name: str, answer: Any) -> None:
    """Print the mark for an answer, in the kernel of the notebook that has it."""
    feedback = exercise(name).check(answer)
    print(json.dumps(Mark(name, _MARKS[feedback.right], feedback.said)))


def marks_of(path: Path, seconds: float) -> list[Mark]:
    """Run a notebook, and judge the last answer to each exercise in it, or in the lesson that it is named after.

    Args:
        seconds: How long it may run.

    Raises:
        InputError: If it is no notebook.
    """
    notebook = _read(path)
    marks = {mark.exercise: mark for mark in _run(notebook, path.parent, seconds)}
    lesson = {name: Mark(name, UNANSWERED, "") for name, entry in exercises().items() if path.stem == entry.notebook}
    return list((lesson | marks).values())


def _read(path: Path) -> Any:
    import nbformat  # here, since it takes a while to load

    try:
        if path.stat().st_size <= _MOST_BYTES:
            return nbformat.read(path, as_version=4)
    except OSError as error:
        raise InputError(f"it cannot be read: {error.strerror}") from None
    except Exception as error:  # nbformat passes on any error that it meets in the document
        raise InputError(f"it is no notebook: {type(error).__name__}") from None
    raise InputError(f"it has more than {_MOST_BYTES:,} bytes")


def _run(notebook: Any, folder: Path, seconds: float) -> Iterator[Mark]:
    from nbclient import NotebookClient
    from nbclient.exceptions import CellTimeoutError, DeadKernelError
    from nbformat.v4 import new_code_cell

    end = time.monotonic() + seconds
    client = NotebookClient(
        notebook, kernel_name="python3", resources={"metadata": {"path": str(folder)}}, allow_errors=True
    )

    def run(number: int) -> Any:
        client.timeout = max(1, int(end - time.monotonic()))
        return client.execute_cell(notebook.cells[number], number).outputs

    def judge(name: str, answer: str, outputs: Any) -> Mark:
        if failed := _failure(name, outputs):
            return failed
        notebook.cells[-1] = new_code_cell(_JUDGE.format(name=name, answer=answer))
        return _judged(name, run(len(notebook.cells) - 1))

    asked = {number: _asked(cell) for number, cell in enumerate(notebook.cells) if cell.cell_type == "code"}
    notebook.cells.append(new_code_cell())
    reason = ""
    with client.setup_kernel(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        for number, attempt in asked.items():
            mark = None
            if not reason:
                try:
                    outputs = run(number)
                    mark = attempt and judge(*attempt, outputs)
                except CellTimeoutError:
                    reason = f"the notebook takes longer than {seconds:g} s"
                except DeadKernelError:
                    reason = "its kernel died"
            if attempt is not None:
                yield mark or Mark(attempt[0], LATE, reason)


def _asked(cell: Any) -> tuple[str, str] | None:
    """The exercise and the answer in a cell that ends with ``exercise("name").check(answer)``."""
    try:
        body = ast.parse(cell.source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    match body[-1:]:
        case [
            ast.Expr(
                ast.Call(
                    func=ast.Attribute(
                        value=ast.Call(func=ast.Name("exercise"), args=[ast.Constant(str(name))]), attr="check"
                    ),
                    args=[answer],
                )
            )
        ]:
            return name, ast.unparse(answer)
    return None


def _failure(name: str, outputs: Any) -> Mark | None:
    error = next((output for output in outputs if output.output_type == "error"), None)
    return error and Mark(name, FAILED, f"{error.ename}: {error.evalue}")


def _judged(name: str, outputs: Any) -> Mark:
    """The mark that the judging cell has printed last."""
    printed = [line for output in outputs if output.output_type == "stream" for line in output.text.splitlines()]
    try:
        mark = Mark(*json.loads(printed[-1]))
        return mark if mark.exercise == name and mark.mark in _MARKS.values() else Mark(name, FAILED, "no mark")
    except (IndexError, ValueError, TypeError):
        return _failure(name, outputs) or Mark(name, FAILED, "no mark")
