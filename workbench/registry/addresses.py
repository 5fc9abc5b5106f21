"""Where the site and the repository are published: forks change it here, and nowhere else."""

from workbench.registry import models

#: Each with a slash at its end; "" as long as it is not published. No sentence promises an address then.
SITE = REPOSITORY = ""


def playground_of(model: str) -> str:
    """What comes before a model's permalinks in the addresses that open them; "" if there is nothing that does."""
    return f"{SITE}playground.html#" if SITE and model in models() else ""
