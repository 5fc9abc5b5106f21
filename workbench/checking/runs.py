"""Run directories, which keep searches on Spark: resume them, and save them as data."""

import os
from pathlib import Path
from typing import Any

from workbench.kernel import InputError, Result
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.machine import ModelClass, is_model_class
from workbench.kernel.meaning.text import printable
from workbench.registry import get_model, models
from workbench.registry.programs import needs
from workbench.storage.places import Place, is_url
from workbench.storage.versions import MANIFEST


def is_run(place: Place) -> bool:
    """Whether `place` can be a run directory: a folder with a manifest, or a URL."""
    return is_url(place) or os.path.isdir(os.path.join(place, MANIFEST))


def resume(run_dir: Place, model: ModelClass | str | None = None, **options: Any) -> Result:
    """Resume a search on Spark that was stopped or killed, from its last complete level.

    Args:
        run_dir: The run directory of the search.
        model: The model's class, or a name for :func:`workbench.get_model`. For None the published model that the
            directory names; a class is never loaded from a file that the directory names.
        **options: ``spark``, a session; ``from_level``, a level to go back to, by the number in the names of its files;
            and ``budget``, ``fail_fast`` and ``watch`` of :func:`workbench.check`. States and seconds from before count
            too.

    Raises:
        InputError: If the directory holds no search, or the model has changed since; if another process writes to it,
            or one of its files is damaged: with the last level to go back to.
    """
    from workbench.checking.spark.driver.entry import resume as resume_search  # pyspark loads here

    return resume_search(run_dir, _class_of(run_dir, model), **options)


def save_run(run_dir: Place, folder: Place, model: ModelClass | str | None = None, spark: Any = None) -> str | Path:
    """Write the state space of a run directory as a dataset; see :func:`workbench.checking.spaces.export.save_run`."""
    needs("spark")
    from workbench.checking.spaces.export import save_run as save_search

    return save_search(run_dir, folder, _class_of(run_dir, model), spark)


def _class_of(run_dir: Place, model: ModelClass | str | None) -> ModelClass:
    if isinstance(model, type) and is_model_class(model):
        return model
    if isinstance(model, str):
        return get_model(model)
    if model is not None:
        raise InputError(f"model {brief(model)} is not accepted; it takes a class, a name, or path/to/file.py:Class")
    from workbench.checking.spark.files.manifest import RUN, Run
    from workbench.storage.folder import Folder

    made_by = Run.of(Folder.open(run_dir, RUN)).identity
    if made_by.model not in models():
        raise InputError(
            f"run directory {str(run_dir)!r} is of the model {brief(made_by.model)}, which is none of the published "
            f"ones; give its class (--model path/to/file.py:Class); it was {printable(made_by.source)}"
        )
    return get_model(made_by.model)
