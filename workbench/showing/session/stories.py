"""The stories of protocols' models, and the constants of each model that a panel keeps in sight."""

from functools import cache
from pathlib import Path
from typing import Any

from workbench.kernel.meaning.constants import Constant
from workbench.kernel.meaning.machine import ModelClass
from workbench.registry import configurations, models, protocol_of
from workbench.showing.session.settings import Settings
from workbench.showing.session.start import start_from

#: How many switches and sizes of other models.
_MOST_SWITCHES, _MOST_SIZES = 6, 3


def stories(model: ModelClass) -> dict[str, Path]:
    """The files of a model's stories, by title; empty for a model that has none."""
    files, protocol = configurations.shipped(), protocol_of(model)
    by_title = protocol.stories.get(model.declared.name, {}) if protocol else {}
    return {title: files[name] for title, name in by_title.items() if name in files}


def named(settings: Settings) -> Path | None:
    """The file of the configuration that these settings are: the one they came from, or a story they came back to.

    Examples:
        >>> told = opening("bakery_v2", {})
        >>> back = told.with_constants({"SafeAcks": True}).with_constants({"SafeAcks": False})
        >>> back.configuration, named(back) == named(told)
        (None, True)
    """
    if settings.configuration is not None:
        return settings.configuration.path
    return next((path for path in stories(settings.model_class).values() if settings.asks_as(_settings_of(path))), None)


@cache
def _settings_of(path: Path) -> Settings:
    """A story's settings, cached: a panel needs the settings of every story at each flip of a switch."""
    return start_from(path)


def opening(subject: Any, constants: dict[str, Any]) -> Settings:
    """The start of a panel: the first story of a model given only by name, otherwise exactly the arguments.

    Raises:
        InputError: For what :func:`start_from` or a constant does not accept.
    """
    settings = start_from(subject)
    named = isinstance(subject, str) and subject in models()
    by_title = stories(settings.model_class) if named and not constants else {}
    return start_from(next(iter(by_title.values()))) if by_title else settings.with_constants(constants)


def in_sight(model: ModelClass) -> list[str]:
    """The constants that a panel keeps in sight: for most models the first switches, and a few sizes.

    One that offers a single value, such as a model value of a ``.cfg``, is no switch.

    Examples:
        >>> from workbench.protocols.classics.peterson import Peterson
        >>> in_sight(Peterson)
        ['LevelFirst', 'LeavesLevels', 'Processes', 'LevelsLeftOut']
    """
    declared, protocol = model.declared.constants, protocol_of(model)
    chosen = protocol.in_sight.get(model.declared.name, ()) if protocol else ()
    present = [name for name in chosen if name in declared]
    switches = [name for name, constant in declared.items() if _has_choice(constant)]
    sizes = [name for name, constant in declared.items() if constant.domain.kind in ("names", "integer")]
    return present or [*switches[:_MOST_SWITCHES], *sizes[:_MOST_SIZES]]


def _has_choice(constant: Constant) -> bool:
    kind = constant.domain.kind
    return kind == "switch" or (kind == "choice" and len([*constant.domain]) > 1)
