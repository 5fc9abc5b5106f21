"""The expressions and definitions of a parsed text, as a syntax tree."""

from collections.abc import Callable
from functools import partial, reduce

from workbench.tlaplus.syntax import tree, units
from workbench.tlaplus.syntax.literals import LARGEST, unquoted
from workbench.tlaplus.syntax.source import Source, SyntaxNode, child, each, field, named
from workbench.tlaplus.syntax.subexpressions import ARGUMENTS
from workbench.tlaplus.syntax.tree import Bound, Declaration, Expression, Identifier, Operation

_BASES = {"binary_number": 2, "octal_number": 8, "hex_number": 16}
_MOST_DIGITS = 1000  # Python itself refuses some thousands
_NAMES = frozenset(
    {"identifier", "identifier_ref", "nat_number_set", "int_number_set", "real_number_set", "string_set", "boolean_set"}
    | {"infix_op_symbol", "prefix_op_symbol", "postfix_op_symbol"}
)
_PUNCTUATION = frozenset(
    {"langle_bracket", "rangle_bracket", "rangle_bracket_sub", "case_arrow", "maps_to", "all_map_to", "gets"}
)
_UNSUPPORTED = {
    "real_number": "a number with a decimal point",
    "temporal_exists": r"\EE",
    "temporal_forall": r"\AA",
    "proof_step_ref": "a step of a proof",
    "assume_prove": "ASSUME ... PROVE",
}
_LONGEST_CHAIN = 50  # that keeps the nesting of its operator, which the names of subexpressions count
_DEFINITIONS = ("operator_definition", "function_definition", "module_definition")


class PhraseReader:
    """Makes syntax trees of the expressions and definitions of one text; a method per construct of the grammar.

    A construct that is not supported becomes a node that says so. What TLC's parser refuses is an error.
    """

    def __init__(self, source: Source) -> None:
        self.source = source

    def expression(self, node: SyntaxNode) -> Expression:
        if node.type in _NAMES:
            return Identifier(self.source.place(node), self.name(node))
        method: Callable[[SyntaxNode], Expression] | None = getattr(self, f"read_{node.type}", None)
        if method is None:
            construct = _UNSUPPORTED.get(node.type, node.type.replace("_", " "))
            return tree.Unsupported(self.source.place(node), construct)
        return method(node)

    def all(self, nodes: list[SyntaxNode]) -> tuple[Expression, ...]:
        return tuple(self.expression(node) for node in nodes if node.type not in _PUNCTUATION)

    def name(self, node: SyntaxNode) -> str:
        return self.source.symbol(node) if node.type.endswith("_op_symbol") else self.source.text_of(node)

    # Declarations and definitions ------------------------------------------------------------------------------------

    def declaration(self, node: SyntaxNode) -> Declaration:
        """A declared name; ``F(_, _)`` and ``_ + _`` declare operators."""
        if node.type != "operator_declaration":
            return Declaration(self.source.place(node), self.name(node))
        arity = sum(part.type == "placeholder" for part in node.children)
        return Declaration(self.source.place(node), self.name(field(node, "name")), arity)

    def declarations(self, nodes: list[SyntaxNode]) -> tuple[Declaration, ...]:
        return tuple(self.declaration(node) for node in nodes)

    def bound(self, node: SyntaxNode) -> Bound:
        domain = child(node, "set")
        return self.bound_of(node, each(node, "intro"), domain)

    def bound_of(self, node: SyntaxNode, names: list[SyntaxNode], domain: SyntaxNode | None) -> Bound:
        is_tuple = bool(names) and names[0].type == "tuple_of_identifiers"
        if is_tuple:
            names = [identifier for identifier in named(names[0]) if identifier.type == "identifier"]
        within = None if domain is None else self.expression(domain)
        return Bound(self.source.place(node), self.declarations(names), is_tuple, within)

    def bounds(self, node: SyntaxNode) -> tuple[Bound, ...]:
        return tuple(self.bound(bound) for bound in named(node) if bound.type == "quantifier_bound")

    def definition(self, node: SyntaxNode, local: bool = False) -> tree.Definition:
        at, name = self.source.place(node), self.name(field(node, "name"))
        body = field(node, "definition")
        if node.type == "function_definition":
            function = tree.FunctionOf(at, self.bounds(node), self.expression(body))
            return tree.FunctionDefinition(at, name, local, function)
        parameters = self.declarations(each(node, "parameter"))
        if node.type == "module_definition":
            return units.InstanceDefinition(at, name, local, parameters, self.instance(body, local))
        return tree.OperatorDefinition(at, name, local, parameters, self.expression(body))

    def instance(self, node: SyntaxNode, local: bool) -> units.Instance:
        module, *rest = named(node)
        substitutions = []
        for assignment in rest:
            target, value = (part for part in named(assignment) if part.type not in _PUNCTUATION)
            substitution = units.Substitution(self.source.place(assignment), self.name(target), self.expression(value))
            substitutions.append(substitution)
        return units.Instance(self.source.place(node), self.source.text_of(module), tuple(substitutions), local)

    def recursive(self, node: SyntaxNode) -> tree.Recursive:
        return tree.Recursive(self.source.place(node), self.declarations(named(node)))

    # Constants -------------------------------------------------------------------------------------------------------

    def read_nat_number(self, node: SyntaxNode) -> Expression:
        return self._number(node, self.source.text_of(node), 10)

    def _number(self, node: SyntaxNode, digits: str, base: int) -> Expression:
        if len(digits) > _MOST_DIGITS:
            self.source.fail(node, f"a number of {len(digits):,} digits is not accepted; it takes {_MOST_DIGITS:,}")
        value = int(digits, base)
        if value > LARGEST:
            self.source.fail(node, f"{value} does not fit into the 32 bits of TLC's numbers")
        return tree.Number(self.source.place(node), value)

    def _based(self, node: SyntaxNode) -> Expression:
        return self._number(node, self.source.text_of(node)[2:], _BASES[node.type])

    read_binary_number = read_octal_number = read_hex_number = _based

    def read_string(self, node: SyntaxNode) -> Expression:
        return tree.String(self.source.place(node), unquoted(self.source.text_of(node)))

    def read_boolean(self, node: SyntaxNode) -> Expression:
        return tree.Boolean(self.source.place(node), self.source.text_of(node) == "TRUE")

    def read_prev_func_val(self, node: SyntaxNode) -> Expression:
        return tree.At(self.source.place(node))

    def read_parentheses(self, node: SyntaxNode) -> Expression:
        return self.expression(named(node)[0])

    def read_label(self, node: SyntaxNode) -> Expression:
        name = self.source.text_of(field(node, "name"))
        bound = tuple(self.source.text_of(parameter) for parameter in each(node, "parameter"))
        return tree.Label(self.source.place(node), name, bound, self.expression(field(node, "expression")))

    # Operators -------------------------------------------------------------------------------------------------------

    def read_bound_infix_op(self, node: SyntaxNode) -> Expression:
        at, symbol = self.source.place(node), self.source.symbol(field(node, "symbol"))
        if symbol == "@@":
            return self._merged(node)
        if symbol not in ("/\\", "\\/", "\\X"):
            self.source.check_neighbours(node)
            return Operation(at, symbol, self.all([field(node, "lhs"), field(node, "rhs")]))
        operands: list[SyntaxNode] = []
        while node.type == "bound_infix_op" and self.source.symbol(field(node, "symbol")) == symbol:
            self.source.check_neighbours(node)
            operands.insert(0, field(node, "rhs"))
            node = field(node, "lhs")
        all_operands = self.all([node, *operands])
        if symbol == "\\X":
            return Operation(at, symbol, all_operands)
        return tree.Conjunction(at, all_operands) if symbol == "/\\" else tree.Disjunction(at, all_operands)

    def _merged(self, node: SyntaxNode) -> Expression:
        """A chain of ``@@``, which TLC prints for a function and may be long; then it is nested by halves."""
        operands: list[SyntaxNode] = []
        while node.type == "bound_infix_op" and self.source.symbol(field(node, "symbol")) == "@@":
            self.source.check_neighbours(node)
            operands.append(field(node, "rhs"))
            node = field(node, "lhs")
        functions = self.all([node, *reversed(operands)])
        if len(functions) <= _LONGEST_CHAIN:
            return reduce(_joined, functions)
        while len(functions) > 1:
            pairs = (functions[at : at + 2] for at in range(0, len(functions), 2))
            functions = tuple(reduce(partial(_joined, is_regrouped=True), pair) for pair in pairs)
        return functions[0]

    def read_bound_prefix_op(self, node: SyntaxNode) -> Expression:
        self.source.check_neighbours(node)
        symbol = self.source.symbol(field(node, "symbol"))
        return Operation(self.source.place(node), symbol, (self.expression(field(node, "rhs")),))

    def read_bound_postfix_op(self, node: SyntaxNode) -> Expression:
        self.source.check_neighbours(node)
        at, symbol = self.source.place(node), self.source.symbol(field(node, "symbol"))
        operand = self.expression(field(node, "lhs"))
        return tree.Prime(at, operand) if symbol == "'" else Operation(at, symbol, (operand,))

    def read_bound_nonfix_op(self, node: SyntaxNode) -> Expression:
        symbol, *operands = named(node)
        return Operation(self.source.place(node), self.source.symbol(symbol), self.all(operands))

    def read_bound_op(self, node: SyntaxNode) -> Expression:
        name = self.name(field(node, "name"))
        return tree.Apply(self.source.place(node), name, self.all(each(node, "parameter")))

    def read_prefixed_op(self, node: SyntaxNode) -> Expression:
        """``I!J(3)!Op(4)``, or the name of a subexpression."""
        prefix, last = named(node)
        *path, end = [self._step(component) for component in (*named(prefix), last)]
        return tree.Qualified(self.source.place(node), tuple(path), end.name, end.arguments)

    read_subexpression = read_prefixed_op

    def _step(self, node: SyntaxNode) -> tree.Step:
        at, inner = self.source.place(node), node
        if node.type in ("subexpr_component", "subexpr_tree_nav"):
            (inner,) = named(node)
        if inner.type == "operator_args":
            return tree.Step(at, ARGUMENTS, self.all(named(inner)))
        if node.type == "subexpr_tree_nav":
            return tree.Step(at, self.source.text_of(inner), ())
        expression = self.expression(inner)
        if isinstance(expression, Operation):
            return tree.Step(at, expression.symbol, expression.operands)
        assert isinstance(expression, (Identifier, tree.Apply))
        return tree.Step(at, expression.name, expression.arguments if isinstance(expression, tree.Apply) else ())

    def read_conj_list(self, node: SyntaxNode) -> Expression:
        return tree.Conjunction(self.source.place(node), self._items(node), bulleted=True)

    def read_disj_list(self, node: SyntaxNode) -> Expression:
        return tree.Disjunction(self.source.place(node), self._items(node), bulleted=True)

    def _items(self, node: SyntaxNode) -> tuple[Expression, ...]:
        return self.all([named(item)[-1] for item in named(node)])

    def read_lambda(self, node: SyntaxNode) -> Expression:
        *parameters, body = named(node)
        return tree.Lambda(self.source.place(node), self.declarations(parameters), self.expression(body))

    # Bound names -----------------------------------------------------------------------------------------------------

    def read_bounded_quantification(self, node: SyntaxNode) -> Expression:
        return self._quantified(node, self.bounds(node))

    def read_unbounded_quantification(self, node: SyntaxNode) -> Expression:
        quantifier = field(node, "quantifier").type
        if quantifier in _UNSUPPORTED:
            return tree.Unsupported(self.source.place(node), _UNSUPPORTED[quantifier])
        names = each(node, "intro")
        return self._quantified(node, (self.bound_of(names[0], names, None),))

    def _quantified(self, node: SyntaxNode, bounds: tuple[Bound, ...]) -> Expression:
        kind = "E" if field(node, "quantifier").type == "exists" else "A"
        body = self.expression(field(node, "expression"))
        return tree.Quantified(self.source.place(node), bounds, body, kind)

    def read_choose(self, node: SyntaxNode) -> Expression:
        names = each(node, "intro")
        bound = self.bound_of(names[0], names, child(node, "set"))
        return tree.Choose(self.source.place(node), (bound,), self.expression(field(node, "expression")))

    def read_set_filter(self, node: SyntaxNode) -> Expression:
        bounds = (self.bound(field(node, "generator")),)
        return tree.Filter(self.source.place(node), bounds, self.expression(field(node, "filter")))

    def read_set_map(self, node: SyntaxNode) -> Expression:
        return tree.MapOver(self.source.place(node), self.bounds(node), self.expression(field(node, "map")))

    def read_function_literal(self, node: SyntaxNode) -> Expression:
        return tree.FunctionOf(self.source.place(node), self.bounds(node), self.expression(named(node)[-1]))

    # Control ---------------------------------------------------------------------------------------------------------

    def read_if_then_else(self, node: SyntaxNode) -> Expression:
        return tree.If(self.source.place(node), *self.all([field(node, name) for name in ("if", "then", "else")]))

    def read_case(self, node: SyntaxNode) -> Expression:
        arms, other = [], None
        for arm in named(node):
            if arm.type == "case_arm":
                guard, value = self.all(named(arm))
                arms.append(tree.Arm(self.source.place(arm), guard, value))
            elif arm.type == "other_arm":
                (other,) = self.all(named(arm))
        return tree.Case(self.source.place(node), tuple(arms), other)

    def read_let_in(self, node: SyntaxNode) -> Expression:
        definitions = tuple(
            self.recursive(unit) if unit.type == "recursive_declaration" else self.definition(unit)
            for unit in each(node, "definitions")
        )
        return tree.Let(self.source.place(node), definitions, self.expression(field(node, "expression")))

    # Values ----------------------------------------------------------------------------------------------------------

    def read_tuple_literal(self, node: SyntaxNode) -> Expression:
        return tree.TupleOf(self.source.place(node), self.all(named(node)))

    def read_finite_set_literal(self, node: SyntaxNode) -> Expression:
        return tree.SetOf(self.source.place(node), self.all(named(node)))

    def read_set_of_functions(self, node: SyntaxNode) -> Expression:
        return tree.FunctionSet(self.source.place(node), *self.all(named(node)))

    def read_record_literal(self, node: SyntaxNode) -> Expression:
        return tree.RecordOf(self.source.place(node), self._fields(node))

    def read_set_of_records(self, node: SyntaxNode) -> Expression:
        return tree.RecordSet(self.source.place(node), self._fields(node))

    def _fields(self, node: SyntaxNode) -> tuple[tree.NamedField, ...]:
        children = [part for part in named(node) if part.type not in _PUNCTUATION]
        fields: dict[str, tree.NamedField] = {}
        for key, value in zip(children[::2], children[1::2], strict=True):
            name = self.source.text_of(key)
            if name in fields:
                self.source.fail(key, f"the field {name} is given twice")
            fields[name] = tree.NamedField(self.source.place(key), name, self.expression(value))
        return tuple(fields.values())

    def read_record_value(self, node: SyntaxNode) -> Expression:
        record, name = named(node)
        return tree.Field(self.source.place(node), self.expression(record), self.source.text_of(name))

    def read_function_evaluation(self, node: SyntaxNode) -> Expression:
        function, *arguments = self.all(named(node))
        return tree.FunctionApplication(self.source.place(node), function, tuple(arguments))

    def read_except(self, node: SyntaxNode) -> Expression:
        updates = tuple(self._update(update) for update in named(node) if update.type == "except_update")
        return tree.Except(self.source.place(node), self.expression(field(node, "expr_to_update")), updates)

    def _update(self, node: SyntaxNode) -> tree.Update:
        path: list[tree.Index | tree.Selector] = []
        for component in named(field(node, "update_specifier")):
            at = self.source.place(component)
            if component.type == "except_update_fn_appl":
                path.append(tree.Index(at, self.all(named(component))))
            else:
                path.append(tree.Selector(at, self.source.text_of(named(component)[0])))
        return tree.Update(self.source.place(node), tuple(path), self.expression(field(node, "new_val")))

    # Actions and temporal formulas -----------------------------------------------------------------------------------

    def read_step_expr_or_stutter(self, node: SyntaxNode) -> Expression:
        return tree.Box(self.source.place(node), *self.all(named(node)))

    def read_step_expr_no_stutter(self, node: SyntaxNode) -> Expression:
        return tree.Angle(self.source.place(node), *self.all(named(node)))

    def read_fairness(self, node: SyntaxNode) -> Expression:
        kind = self.source.text_of(node)[:2]
        subscript, action = self.all(named(node))
        return tree.Fairness(self.source.place(node), kind, subscript, action)


def _joined(first: Expression, second: Expression, is_regrouped: bool = False) -> Expression:
    return Operation(first.at, "@@", (first, second), is_regrouped)


def is_definition(node: SyntaxNode) -> bool:
    return node.type in _DEFINITIONS
