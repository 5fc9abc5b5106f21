"""The addresses of the published site and repository: forks change them here, and nowhere else."""

from workbench.registry import models

#: Each with a slash at its end; "" as long as it is not published. No sentence promises an address then.
SITE = REPOSITORY = ""


def playground_of(model: str) -> str:
    """The address that opens a model's permalinks once they are appended to it; "" if there is none."""
    return f"{SITE}playground.html#" if SITE and model in models() else ""
