"""The smallest model: running it loads the kernels of a search."""

from typing import Any

from workbench.kernel import Model, Variable, action, invariant, require


class Smallest(Model):
    n = Variable(0)

    @action
    def up(self, s: Any) -> None:
        require(s.n == 0, "it was taken")
        s.n = 1

    @invariant
    def Small(self, s: Any) -> bool:  # noqa: N802
        return bool(s.n < 2)
