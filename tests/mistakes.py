"""Models with a mistake, and what the shipped configurations notice of it."""

from dataclasses import replace

from tests.places import ROOT
from workbench.checking.check import check
from workbench.kernel import machine_of
from workbench.kernel.meaning.state import Indexed
from workbench.registry import configurations


def broken(model, **methods):
    """A subclass of `model` with other methods; an action or property is given as the function that it runs."""
    declared = {**model.declared.actions, **model.declared.properties}
    return type(
        "Broken", (model,), {n: replace(declared[n], function=f) if n in declared else f for n, f in methods.items()}
    )


def always(answer):
    """A method that answers the same whatever it is asked, and does nothing."""
    return lambda *_: answer


def without(method, *names):
    """The action or method, without what it does to the variables with these names."""
    run = getattr(method, "function", method)

    def changed(self, s, *arguments):
        values = {name: getattr(s, name) for name in names}
        before = {name: dict(value) if isinstance(value, Indexed) else value for name, value in values.items()}
        run(self, s, *arguments)
        for name, value in before.items():
            if isinstance(values[name], Indexed):
                for index, kept in value.items():
                    values[name][index] = kept
            else:
                setattr(s, name, value)

    return changed


def missed(mutant, name):
    """The expectations of the configuration `specs/{name}.toml` that the mutant does not meet, by their names."""
    one = configurations.configuration(ROOT / "specs" / f"{name}.toml")
    model = machine_of(mutant(**one.model.constants))
    result = check(model, one.properties, symmetry=one.symmetry)
    return {line.split(":")[0] for line in replace(one, model=model).differences(result)}
