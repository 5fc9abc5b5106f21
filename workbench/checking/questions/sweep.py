"""Sweeps: one check per setting of a model's constants, and a table of the outcomes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workbench.checking.questions.constant_grid import fill
from workbench.checking.questions.progress import line_in_notebook
from workbench.checking.questions.settings import Grid
from workbench.kernel.meaning.budget import Watch
from workbench.kernel.meaning.machine import ModelClass
from workbench.registry.programs import is_installed

if TYPE_CHECKING:
    import pandas as pd


def sweep(
    model: ModelClass | str,
    grid: Grid = (),
    properties: Sequence[str] | None = None,
    *,
    watch: Watch = Watch(),
    **options: Any,
) -> "pd.DataFrame":
    """Check `model` under many settings of its constants, in processes of this machine or on Spark.

    It begins in this process. If that takes longer than a moment, processes of this machine take over, one for each
    core. It does not need Spark, and never starts it unasked (see :func:`workbench.fill`, which reports each setting as
    soon as it is done, and finds traces).

    Args:
        model: The class, which may be defined in a notebook's cell, or a name.
        grid: Values for some constants, to check in all combinations; or the settings themselves.
        properties: Names of properties; by default those that the model checks by default. Settings in which a property
            does not apply have no verdict on it.
        watch: Its ``on_progress`` is called with the number of finished settings and of all; by default a notebook
            shows them. Once it stops this, settings that were not reached have no verdicts.
        constants: Constants that are the same in all settings.
        deadlock: True also judges the property Deadlock, and False does not, in whatever setting it would be.
        symmetry: As for :func:`workbench.check`.
        budget: The budget of each check.
        out: A folder for the results, one file each, written when a check is done; one sweep at a time writes to it. An
            existing result, from processes or from Spark, is reused, unless other budgets cut it short, or it failed
            for a reason beyond the model and its constants; then a new one replaces it. By default nothing is kept.
        spark: Check as tasks on Spark instead: a session; a master as :func:`workbench.spark_session` takes it; or True
            for the running session, or else one on this machine. All its workers must see `out`.
        workers: The most processes; None for one per core, 1 for this process alone.

    Returns:
        One row per setting: its constants; for each property the verdict (a word; "error" if the check failed) and in
            column ``<property>_states`` the number of states in a shortest trace; then ``distinct``, ``depth``,
            ``seconds``, ``complete``, ``stopped`` (why it is incomplete) and ``error``. After an interrupt (Ctrl-C)
            settings that were not reached have no verdicts. ``attrs`` holds the names of the properties, the symmetric
            sets, notes on how the checks were done, the state of a translation, and the words for choices. Without
            pandas, which the core does not bring, a :class:`workbench.checking.questions.settings.SettingsTable` with
            the same ``columns``, ``rows`` and ``attrs``.

    Raises:
        InputError: For names or values that are not accepted, for a damaged result in `out`, and while another sweep
            writes there. Values that do not go together are an error of their setting.
    """
    if watch.on_progress is None:
        watch = replace(watch, on_progress=line_in_notebook("settings checked"))
    filled = fill(model, grid, properties, watch=watch, **options)
    return filled.table if is_installed("pandas") else filled.outcomes  # type: ignore[return-value]
