"""Questions as code: the lines of Python that ask them again, in a notebook or a script."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from workbench.formats.permalink import permalink
from workbench.kernel import Trace, machine_of
from workbench.kernel.meaning.arguments import names_in
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.machine import AnyModel, ModelClass
from workbench.registry import name_of

_ROOM = 100


def check_as_code(model: AnyModel, properties: Sequence[str] | None = None, **options: Any) -> str:
    """The lines that check `model` again.

    Args:
        **options: Options of :func:`workbench.checking.check.check` other than the defaults, such as ``symmetry=True``.

    Examples:
        >>> from workbench import Budget
        >>> from workbench.protocols.hudi.extended import HudiExtended
        >>> print(check_as_code(HudiExtended(ConcurrencyControl=0), ["ConsistentRead"], budget=Budget(states=10_000)))
        from workbench import Budget, check, get_model
        <BLANKLINE>
        model = get_model("hudi")(ConcurrencyControl="none")
        result = check(model, ["ConsistentRead"], budget=Budget(states=10000))
        result
        <BLANKLINE>
    """
    model = machine_of(model)
    construction = _call(_class(type(model.author)), _named(_words(type(model.author), model.differing())))
    asked = _call("check", ["model", *_asked(properties, options)])
    imports = [("workbench", "check"), *_of_options(options), *_imports(type(model.author))]
    return _snippet(imports, f"model = {construction}", f"result = {asked}", "result")


def grid_as_code(
    model: ModelClass,
    grid: Mapping[str, Sequence[Any]],
    properties: Sequence[str] | None = None,
    *,
    constants: Mapping[str, Any] | None = None,
    **options: Any,
) -> str:
    """The lines that fill a grid again; parameters as for :func:`workbench.checking.questions.constant_grid.fill`."""
    values = {n: [model.declared.constants[n].in_word(value) for value in values] for n, values in grid.items()}
    fixed = [f"constants={_dict(_words(model, constants))}"] if constants else []
    asked = _asked(properties, {})
    filled = _call("fill", [_class(model), "grid", *asked, *fixed, *_named(options)])
    imports = [("workbench.checking.questions.constant_grid", "fill"), *_of_options(options), *_imports(model)]
    return _snippet(imports, f"grid = {_dict(values)}", f"filled = {filled}", "filled.table")


def trace_as_code(trace: Trace, watches: Iterable[str] = ()) -> str:
    """The lines that open a trace again from its permalink, with its watches."""
    model, watched = type(trace.model.author), names_in("watches", watches)
    find = "get_model" if name_of(model) == model.declared.name else f"lambda _: {_class(model)}"
    opened = _call("open_permalink", [_repr(permalink(trace)), find])
    view = _call("trace_view", ["trace", *([f"watches={_repr(watched)}"] if watched else [])])
    imports = [
        ("workbench.formats.permalink", "open_permalink"),
        ("workbench.showing.view", "trace_view"),
        *_imports(model),
    ]
    return _snippet(imports, f"trace = {opened}", view)


def _snippet(imports: Iterable[tuple[str, str]], *lines: str) -> str:
    by_module: dict[str, list[str]] = {}
    for module, name in sorted(set(imports)):
        by_module.setdefault(module, []).append(name)
    head = [f"from {module} import {', '.join(names)}" for module, names in by_module.items()]
    return "\n".join([*head, "", *lines, ""])


# Models --------------------------------------------------------------------------------------------------------------


def _class(model: ModelClass) -> str:
    """An expression for the class, which works in the snippet or in the notebook that it is pasted into."""
    name = name_of(model)
    return model.__qualname__ if name is None else f"get_model({_repr(name)})"


def _imports(model: ModelClass) -> list[tuple[str, str]]:
    if name_of(model) is not None:
        return [("workbench", "get_model")]
    is_the_notebooks = model.__module__ == "__main__" or model.__module__ not in sys.modules  # a text's is its file
    return [] if is_the_notebooks else [(model.__module__, model.__qualname__)]


def _of_options(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [("workbench", "Budget")] if isinstance(options.get("budget"), Budget) else []


def _words(model: ModelClass, constants: Mapping[str, Any]) -> dict[str, Any]:
    return {name: model.declared.constants[name].in_word(value) for name, value in constants.items()}


# Python --------------------------------------------------------------------------------------------------------------


def _asked(properties: Sequence[str] | None, options: Mapping[str, Any]) -> list[str]:
    return [*([] if properties is None else [_repr(names_in("properties", properties))]), *_named(options)]


def _named(options: Mapping[str, Any]) -> list[str]:
    return [f"{name}={_repr(value)}" for name, value in options.items() if value is not None]


def _repr(value: Any) -> str:
    """A value as code, with texts in double quotes if that needs no escapes."""
    if isinstance(value, str):
        plain = repr(str(value))
        return f'"{plain[1:-1]}"' if plain[0] == "'" and '"' not in plain and "\\'" not in plain else plain
    if isinstance(value, Budget):
        return _call("Budget", _named(vars(value)))
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_repr, value))}]"
    return repr(value)


def _dict(values: Mapping[str, Any]) -> str:
    return _wrapped("{", [f"{_repr(name)}: {_repr(value)}" for name, value in values.items()], "}")


def _call(name: str, arguments: Sequence[str]) -> str:
    return _wrapped(f"{name}(", arguments, ")")


def _wrapped(begin: str, parts: Sequence[str], end: str) -> str:
    line = f"{begin}{', '.join(parts)}{end}"
    if len(line) <= _ROOM:
        return line
    inside = "".join(f"    {part.replace(chr(10), chr(10) + '    ')},\n" for part in parts)
    return f"{begin}\n{inside}{end}"
