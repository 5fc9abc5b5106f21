"""``TLCGet("level")``: a variable of the specifications whose search asks for it, and part of no state's identity."""

from collections.abc import Iterator
from dataclasses import replace

from workbench.tlaplus.names.specification import Specification
from workbench.tlaplus.names.symbols import DEPTH, meanings_in
from workbench.tlaplus.syntax.cfg_parser import Cfg, CfgEntry
from workbench.tlaplus.syntax.tree import Identifier

#: Of behaviours, a search that visits each state once knows only those by which it first reached them.
UNKNOWN = f"states are told apart without {DEPTH.name}, which depends on the way to them; behaviours are not known"
_EVALUATED = ("SPECIFICATION", "INIT", "NEXT", "VIEW")


def with_depth(specification: Specification, cfg: Cfg) -> Specification:
    """The specification, with :data:`DEPTH` as its last variable if what `cfg` names may ask for it in a search.

    An ALIAS and a POSTCONDITION do not count: nothing of a search depends on them.
    """
    at, scope = specification.module.at, specification.scope
    asks = any(
        DEPTH in meanings_in(Identifier(at, entry.value), scope)
        for entry in _searched(cfg)
        if scope.find(entry.value) is not None
    )
    return replace(specification, variables=(*specification.variables, DEPTH)) if asks else specification


def _searched(cfg: Cfg) -> Iterator[CfgEntry]:
    yield from (cfg.single[keyword] for keyword in _EVALUATED if keyword in cfg.single)
    yield from cfg.asked
