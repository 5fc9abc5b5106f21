r"""Random expressions and actions as texts: each kind of value is asked for by name, and now and then gets another.

Much of what is random has no value; two evaluators agree if neither finds one.
"""

import re
from random import Random

_VALUES: dict[str, str] = {
    "any": "$bool|$number|$text|$set|$seq|$record|$function|$name|$name",
    "name": "m1|m2",
    "text": '"a"|"b"|ToString($any)|($text \\o $text)|Tail($text)',
    "number": "0|1|2|3|($number + $number)|($number - $number)|Len($seq)|Cardinality($set)|($seq)[$number]|"
    "($record).a|(CHOOSE $v \\in $set : $bool)|Head($seq)|(IF $bool THEN $number ELSE $number)",
    "bool": "TRUE|FALSE|($any = $any)|($number < $number)|($number \\in $set)|($set \\subseteq $set)|($any # $any)|"
    "(\\E $v \\in $set : $bool)|(\\A $v, $v \\in $set : $bool)|($bool /\\ $bool)|($bool \\/ $bool)|($bool => $bool)|"
    "(~$bool)|($bool <=> $bool)|($seq \\in Seq($set))|($seq \\in [1..2 -> $set])|($record \\in [a : $set, b : $set])|"
    "(<<$number, $any>> \\in ($set \\X $set))|($set \\in SUBSET $set)|($any \\notin $set)|"
    "($any \\in Nat)|($any \\in (Nat \\cup $set))|($any \\in ($set \\cup Nat))|"
    "({$any} \\subseteq STRING)|(Nat = $set)|(<<$any>> = <<$any>>)|"
    "(LET F($v) == $bool IN F($number) \\/ F($any))",
    "set": "{}|{$any}|{$number, $number, $number}|(1..$number)|($set \\cup $set)|($set \\cap $set)|($set \\ $set)|"
    "BOOLEAN|{$v \\in $set : $bool}|{$any : $v \\in $set}|(DOMAIN $seq)|(DOMAIN $function)|(UNION {$set, $set})|"
    "(SUBSET {$number, $any})|[$set -> {1, 2}]|({1, 2} \\X $set)|[a : {1}, b : $set]|"
    "{<<$number>>, <<$any, 2>>}|{m1, $any}",
    "seq": "<<>>|<<$any>>|<<$number, $number>>|Append($seq, $any)|Tail($seq)|($seq \\o $seq)|SubSeq($seq, 1, $number)|"
    "[$v \\in 1..2 |-> $any]|[$seq EXCEPT ![$number] = $any]|SelectSeq($seq, LAMBDA $v : $bool)",
    "record": '[a |-> $any, b |-> $number]|[b |-> $any]|[$record EXCEPT !.a = $any]|[$v \\in {"a", "b"} |-> $any]|'
    "[$record EXCEPT !.a = <<@, $any>>, !.b = @]",
    "function": "[$v \\in $set |-> $any]|($any :> $any)|($function @@ $function)|[$function EXCEPT ![$any] = $any]|"
    "$seq|$record",
}
_ACTIONS: dict[str, str] = {
    "step": "($step /\\ $step)|($step \\/ $step)|(\\E $v \\in {0, 1} : $step)|(\\A $v \\in $few : $step)|"
    "(IF $test THEN $step ELSE $step)|(CASE $test -> $step [] OTHER -> $step)|($test => $step)|$assign|$assign|$assign|"
    "$test|Both($step, $step)|Is($var, $small)|[$step]_x|<<$step>>_y|(ENABLED ($step))|"
    "(\\E $v \\in $few, $v \\in {0, 2} : $assign /\\ $test)|Yes|(~$test)",
    "assign": "x' = $small|y' = $small|x' \\in $few|y' \\in {x, 1}|UNCHANGED x|UNCHANGED <<x, y>>|UNCHANGED vars|"
    "y' = x'|x' = x|y' = y|Keep(y)",
    "few": "{0, 1}|{}|{x}|{0, x, 2}",
    "test": "(x = 0)|(x < 2)|(y = x)|(x' = 1)|(y # x')|(\\E $v \\in $few : $small = 1)|(x = 0 \\/ y = 1)",
    "small": "0|1|2|x|y|((x + 1) % 3)|(IF y = 0 THEN 1 ELSE x)",
    "var": "x|y",
}
#: Steps over a set of the state; the names that it chooses are known.
_CHOICES: dict[str, str] = {
    "choice": "(\\E $v \\in $few : $turn)|(\\E $v \\in $few, $v \\in {0, 2} : $turn)|"
    "(\\E $v \\in {0, 2}, $v \\in $few : $turn)|"
    "(\\E $v \\in {0, 1}, $v \\in {1, 2} : $turn)|($choice \\/ $choice)|($guard /\\ $choice)|Stay",
    "turn": "($turn \\/ $turn)|($turn \\/ $turn)|($guard /\\ $turn)|($turn /\\ $guard)|"
    "(IF $guard THEN $turn ELSE $turn)|(LET $v == $small IN $turn)|(\\E $v \\in $few : $turn)|$part|$part|Stay",
    "part": "Go($small)|Put($small, $small)|Put(x, $small)|Stay|(x' = $small /\\ y' = $small)|Go($small)",
    "few": "{x, 1}|{0, x, 2}|{y}|{x, y, 2}|{}",
    "guard": "(x = $small)|(y < $small)|($small # $small)|(\\E $v \\in $few : y = $small)|(y < 2)",
    "small": "0|1|2|x|((y + 1) % 3)",
}
#: What actions use beside the variables.
DEFINED = """EXTENDS Integers
VARIABLES x, y
vars == <<x, y>>
Both(a, b) == a /\\ b
Is(v, n) == v' = n
Keep(v) == UNCHANGED v
Yes == TRUE \\/ 1 = 1
Go(n) == x' = n /\\ y' \\in {y, n}
Put(m, n) == UNCHANGED x /\\ y' \\in {n, (m + n) % 3}
Stay == x < 2 /\\ UNCHANGED vars
Init == x = 0 /\\ y \\in {0, 1}
"""


_KNOWN_BEHIND = re.compile(r" : |\|->|\) ==")


class Writer:
    """Writes texts; the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.bound = 0

    def expression(self) -> str:
        return self._written(_VALUES, "any", 3, ())

    def action(self) -> str:
        return self._written(_ACTIONS, "step", 5, ())

    def choice(self) -> str:
        return self._written(_CHOICES, "choice", 5, ())

    def _written(self, grammar: dict[str, str], kind: str, depth: int, names: tuple[str, ...]) -> str:
        if names and kind in ("number", "any", "small") and self.random.random() < 0.4:
            return self.random.choice(names)
        forms = grammar[kind].replace("\\/", "OR").replace("|->", "ARROW").split("|")
        plain = [form for form in forms if "$" not in form]
        form = self.random.choice(plain if depth <= 0 and plain else forms)
        text, *parts = form.replace("OR", "\\/").replace("ARROW", "|->").split("$")
        known, bound = names, tuple[str, ...]()
        for part in parts:
            word, literal = re.findall(r"^([a-z]+)(.*)$", part)[0]
            if word == "v":
                self.bound += 1
                bound = (*bound, f"v{self.bound}")
                text += bound[-1]
            else:
                text += self._written(grammar, word, depth - 1, known)
            text += literal
            if _KNOWN_BEHIND.search(literal):
                known, bound = (*known, *bound), ()
            if " IN " in literal:
                known, bound = (*names, *bound), ()
        return text
