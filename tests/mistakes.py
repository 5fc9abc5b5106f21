"""Models with a mistake, and what the shipped configurations notice of it."""

from dataclasses import replace

from tests.places import ROOT
from workbench.checking.check import check
from workbench.registry import configurations


def broken(model, **methods):
    """A subclass of `model` with other methods; an action or property is given as the function that it runs."""
    declared = {**model.declared.actions, **model.declared.properties}
    return type(
        "Broken", (model,), {n: replace(declared[n], function=f) if n in declared else f for n, f in methods.items()}
    )


def missed(mutant, name):
    """The expectations of the configuration `specs/{name}.toml` that the mutant does not meet, by their names."""
    one = configurations.configuration(ROOT / "specs" / f"{name}.toml")
    model = mutant(**one.model.constants)
    result = check(model, one.properties, symmetry=one.symmetry)
    return {line.split(":")[0] for line in replace(one, model=model).differences(result)}
