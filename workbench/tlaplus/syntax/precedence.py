r"""The operators of TLA+: how they may be spelled, and which may stand side by side without parentheses.

Every operator has a range of precedence. Of two neighbouring operators, the one with the higher range binds tighter. If
the ranges overlap, as in ``a /\ b \/ c``, the text is an error. A grammar with fixed precedences would accept it.
"""

from typing import NamedTuple


class Precedence(NamedTuple):
    low: int
    high: int
    chains: bool
    """Whether ``a + b + c`` is accepted, as ``(a + b) + c``."""


_CHAINED = True
_ALONE = False
_RANGES: tuple[tuple[int, int, bool, str], ...] = (
    (1, 1, _ALONE, "=>"),
    (2, 2, _ALONE, "<=> ~> -+->"),
    (3, 3, _CHAINED, "/\\ \\/"),
    (4, 4, _CHAINED, "~"),
    (4, 15, _ALONE, "[] <> ENABLED UNCHANGED"),
    (5, 5, _ALONE, "= # \\in \\notin \\subseteq \\subset \\supset \\supseteq < > <= >= |- |= -| =| := ::="),
    (5, 5, _ALONE, "\\prec \\succ \\preceq \\succeq \\sim \\simeq \\ll \\gg \\asymp \\approx \\cong \\doteq \\propto"),
    (5, 5, _ALONE, "\\sqsubset \\sqsubseteq \\sqsupset \\sqsupseteq"),
    (5, 14, _CHAINED, "\\cdot"),
    (6, 6, _CHAINED, "@@"),
    (7, 7, _ALONE, ":> <:"),
    (8, 8, _CHAINED, "\\cup \\cap"),
    (8, 8, _ALONE, "\\"),
    (9, 9, _ALONE, ".. ..."),
    (9, 13, _CHAINED, "$ $$ ?? ## \\uplus \\sqcap \\sqcup"),
    (9, 13, _ALONE, "!!"),
    (9, 14, _ALONE, "\\wr"),
    (10, 10, _CHAINED, "+ ++ (+)"),
    (10, 11, _CHAINED, "| || %%"),
    (10, 11, _ALONE, "%"),
    (10, 13, _CHAINED, "\\X"),
    (10, 13, _ALONE, "SUBSET UNION DOMAIN"),
    (11, 11, _CHAINED, "- -- (-)"),
    (12, 12, _ALONE, "-."),
    (13, 13, _CHAINED, "* ** & && (.) (\\X) \\star \\o \\bigcirc \\bullet"),
    (13, 13, _ALONE, "/ // (/) \\div"),
    (14, 14, _ALONE, "^ ^^"),
    (15, 15, _ALONE, "' ^+ ^* ^#"),
)
PRECEDENCES = {
    symbol: Precedence(low, high, chains) for low, high, chains, symbols in _RANGES for symbol in symbols.split()
}

#: Other spellings, by the one under which an operator is known here.
_SPELLINGS = {
    "/\\": "\\land ∧",
    "\\/": "\\lor ∨",
    "~": "\\lnot \\neg ¬",
    "=>": "⇒",
    "<=>": "\\equiv ≡ ⇔",
    "~>": "↝",
    "-+->": "⇸",
    "[]": "□",
    "<>": "◇",
    "#": "/= ≠",
    "<=": "\\leq =< ≤",
    ">=": "\\geq ≥",
    "\\in": "∈",
    "\\notin": "∉",
    "\\subseteq": "⊆",
    "\\subset": "⊂",
    "\\supseteq": "⊇",
    "\\supset": "⊃",
    "\\cup": "\\union ∪",
    "\\cap": "\\intersect ∩",
    "\\X": "\\times ×",
    "\\o": "\\circ ∘",
    "..": "‥",
    "...": "…",
    "(+)": "\\oplus ⊕",
    "(-)": "\\ominus ⊖",
    "(.)": "\\odot ⊙",
    "(/)": "\\oslash ⊘",
    "(\\X)": "\\otimes ⊗",
    "\\div": "÷",
    "\\cdot": "⋅",
    ":=": "≔",
    "::=": "⩴",
    "!!": "‼",
    "??": "⁇",
    "||": "‖",
    "|=": "⊨",
    "|-": "⊢",
    "-|": "⊣",
    "=|": "⫤",
    "^+": "⁺",
    "\\ll": "≪",
    "\\gg": "≫",
    "\\prec": "≺",
    "\\preceq": "⪯",
    "\\succ": "≻",
    "\\succeq": "⪰",
    "\\sqcap": "⊓",
    "\\sqcup": "⊔",
    "\\sqsubset": "⊏",
    "\\sqsubseteq": "⊑",
    "\\sqsupset": "⊐",
    "\\sqsupseteq": "⊒",
    "\\uplus": "⊎",
    "\\sim": "∼",
    "\\simeq": "≃",
    "\\approx": "≈",
    "\\cong": "≅",
    "\\asymp": "≍",
    "\\doteq": "≐",
    "\\propto": "∝",
    "\\star": "⋆",
    "\\bullet": "●",
    "\\bigcirc": "◯",
    "\\wr": "≀",
}
_CANONICAL = {other: symbol for symbol, others in _SPELLINGS.items() for other in others.split()}
#: Every spelling of an operator.
SPELLINGS = PRECEDENCES.keys() | _CANONICAL.keys()

#: The operators that every module has, by name, with their arities.
BUILT_IN = {
    **dict.fromkeys(("/\\", "\\/", "=>", "<=>", "~>", "-+->", "\\cdot"), 2),
    **dict.fromkeys(("=", "#", "\\in", "\\notin", "\\subseteq", "\\cup", "\\cap", "\\", "\\X"), 2),
    **dict.fromkeys(("~", "[]", "<>", "ENABLED", "UNCHANGED", "SUBSET", "UNION", "DOMAIN", "'"), 1),
    **dict.fromkeys(("STRING", "BOOLEAN", "TRUE", "FALSE"), 0),
}


def canonical(spelling: str) -> str:
    r"""The spelling under which an operator is known here.

    Examples:
        >>> canonical("\\union"), canonical("+")
        ('\\cup', '+')
    """
    return _CANONICAL.get(spelling, spelling)


def may_hold_left(outer: str, inner: str) -> bool:
    r"""Whether `outer` may follow an operand that ends with an application of `inner`.

    Examples:
        >>> may_hold_left("=", "+"), may_hold_left("+", "+"), may_hold_left("\\/", "/\\")
        (True, True, False)
    """
    left, right = PRECEDENCES[inner], PRECEDENCES[outer]
    return left.low > right.high or (inner == outer and left.chains)


def may_hold_right(outer: str, inner: str) -> bool:
    """Whether `outer` may stand before an operand that begins with an infix or postfix application of `inner`."""
    return PRECEDENCES[outer].high < PRECEDENCES[inner].low


def may_precede_minus(outer: str) -> bool:
    """Whether `outer` may directly precede a minus sign: ``1 + -1`` is accepted, ``2 * -1`` is not."""
    return PRECEDENCES[outer].low <= PRECEDENCES["-."].high
