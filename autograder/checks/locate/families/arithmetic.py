"""Small changes of what is computed: operators, the order of operands, numbers, comparisons."""

import ast
from collections.abc import Iterator, Sequence
from itertools import combinations

from autograder.checks.locate.families.change import (
    Family,
    Scope,
    called,
    number_in,
    replaced,
    with_arguments,
    written,
)

_ARITHMETIC: tuple[ast.operator, ...] = (
    *(ast.Add(), ast.Sub(), ast.Mult(), ast.Div(), ast.MatMult(), ast.FloorDiv(), ast.Mod()),
)
_BITWISE: tuple[ast.operator, ...] = (ast.BitAnd(), ast.BitOr(), ast.BitXor())
_COMPARISONS: tuple[ast.cmpop, ...] = (
    *(ast.Lt(), ast.LtE(), ast.Gt(), ast.GtE(), ast.Eq(), ast.NotEq()),
)
_MOST_EXCHANGED = 6
_NUMBERS = (0, 1, 2, -1, 0.5, -0.5, 3, 4, 1.0, 8, 10)
_OF_A_BASE = {"log", "log2", "log10", "pow", "power", "float_power", "tensor"}
# Calls that answer yes or no, beside those whose names begin with "is" or "has".
_TESTS = {"all", "any", "allclose", "array_equal", "bool", "callable", "equal"}
_ROOTS = {"sqrt", "rsqrt"}
_INFINITE = {"inf", "Inf", "infty"}


def _another_operator(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            kinds = _BITWISE if isinstance(op, _BITWISE_TYPES) else _ARITHMETIC
            for other in kinds:
                # A remainder stands for a quotient, and for nothing else that anybody meant.
                pair = {type(op), type(other)}
                if len(pair) == 2 and (ast.Mod not in pair or ast.FloorDiv in pair):
                    yield ast.BinOp(left, other, right)
            # A power of what is large is larger than any machine, but for floats.
            if not isinstance(op, ast.Pow) and number_in(right) is not None:
                yield ast.BinOp(left, ast.Pow(), right)
            base = number_in(left)
            if not isinstance(op, ast.Pow) and base is not None:
                yield ast.BinOp(written(repr(float(base))), ast.Pow(), right)
            match left:
                case ast.BinOp(left=first, op=ast.Mult() | ast.Div() as outer, right=second):
                    if isinstance(op, ast.Mult) and (base := number_in(second)) is not None:
                        power = ast.BinOp(written(repr(float(base))), ast.Pow(), right)
                        yield ast.BinOp(first, outer, power)
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)


_BITWISE_TYPES = tuple(map(type, _BITWISE))


def _swapped_operands(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    match node:
        case ast.BinOp(left=left, op=op, right=right) if not isinstance(op, ast.Add | ast.Mult):
            yield ast.BinOp(right, op, left)
        case ast.BinOp(left=ast.BinOp(left=first, op=inner, right=second), op=op, right=third):
            yield ast.BinOp(first, op, ast.BinOp(second, inner, third))


def _exchanged_names(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """Two names in each other's places, all through a list, or a sum of two terms."""
    match node:
        case (
            ast.BinOp(left=ast.BinOp(), op=ast.Add() | ast.Sub(), right=ast.BinOp())
            | ast.List(ctx=ast.Load())
            | ast.Tuple(ctx=ast.Load())
        ):
            found = [one.id for one in ast.walk(node) if isinstance(one, ast.Name)]
            names = [name for name in dict.fromkeys(found) if name in scope.names]
            for one, other in combinations(names[:_MOST_EXCHANGED], 2):
                if scope.are_alike(one, other):
                    places = {one: ast.Name(other, ast.Load()), other: ast.Name(one, ast.Load())}
                    yield replaced(node, places)


def _regrouped(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    match node:
        case ast.BinOp(left=ast.BinOp(left=first, op=inner, right=second), op=op, right=third):
            yield ast.BinOp(first, inner, ast.BinOp(second, op, third))
        case ast.BinOp(left=first, op=op, right=ast.BinOp(left=second, op=inner, right=third)):
            yield ast.BinOp(ast.BinOp(first, op, second), inner, third)
    match node:
        case ast.BinOp(
            left=ast.BinOp(left=first, op=outer, right=ast.BinOp(op=ast.Pow()) as power),
            op=ast.Div() as op,
            right=third,
        ):
            # x / d ** 1 / 2
            exponent = ast.BinOp(power.right, op, third)
            yield ast.BinOp(first, outer, ast.BinOp(power.left, power.op, exponent))


def _swapped_entries(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    match node:
        case ast.Tuple(elts=entries, ctx=ast.Load()) if 2 <= len(entries) <= 5:
            for order in _swaps(entries):
                yield ast.Tuple(order, ast.Load())
        case ast.List(elts=entries, ctx=ast.Load()) if 2 <= len(entries) <= 5:
            for order in _swaps(entries):
                yield ast.List(order, ast.Load())


def _swapped_arguments(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    if isinstance(node, ast.Call) and len(node.args) <= 6:
        for order in _swaps(node.args):
            yield with_arguments(node, order)
        if len(node.args) == 1 and isinstance(node.func, ast.Attribute):
            # x.dot(y)
            function = ast.Attribute(node.args[0], node.func.attr, ast.Load())
            yield ast.Call(function, [node.func.value], node.keywords)


def _swaps(entries: Sequence[ast.expr]) -> Iterator[list[ast.expr]]:
    for one in range(len(entries)):
        for other in range(one + 1, len(entries)):
            if ast.dump(entries[one]) != ast.dump(entries[other]):
                order = list(entries)
                order[one], order[other] = order[other], order[one]
                yield order


def _another_number(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    number = number_in(node)
    if number is not None:
        near = [number + 1, number - 1, -number, number * 2, number / 2]
        if number:
            near.append(1 / number)
        if isinstance(number, int):
            near = [one for one in near if float(one).is_integer()]
        if isinstance(number, float):
            near += [10.0**power for power in range(-9, 5)]
            near += [number**2, abs(number) ** 0.5]
        for other in dict.fromkeys([*near, *_NUMBERS]):
            if other != number or type(other) is not type(number):
                yield written(repr(int(other) if isinstance(number, int) and other == int(other)
                                   else other))  # fmt: skip
        yield written("float('-inf')")
        return
    match node:
        case ast.Attribute(attr=name) if name in _INFINITE:
            yield ast.UnaryOp(ast.USub(), node)
            yield ast.Constant(0)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Attribute(attr=name)) if name in _INFINITE:
            yield node.operand
            yield ast.Constant(0)
        case ast.Constant(value=str(text)) if text.lower() in {"inf", "-inf", "infinity"}:
            yield ast.Constant(text[1:] if text.startswith("-") else f"-{text}")


def _the_other_truth(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    match node:
        case ast.Constant(value=bool(flag)):
            yield ast.Constant(not flag)


def _term_left_out(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """What a number is added to or subtracted from, as it was before that."""
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            if number_in(right) is not None:
                yield left


def _factor_left_out(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """What is multiplied, divided or raised by a number, a root or a name, as it was before."""
    match node:
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div(), right=right) if _is_scale(right):
            yield left
        case ast.BinOp(left=left, op=ast.Mult(), right=right) if _is_scale(left):
            yield right
        case ast.BinOp(left=left, op=ast.Pow(), right=right) if number_in(right) is not None:
            yield left
        case ast.BinOp(left=ast.Name() as left, op=ast.Div(), right=ast.Name()):
            yield left


def _is_scale(node: ast.expr) -> bool:
    match node:
        case ast.BinOp(op=ast.Pow()):
            return True
        case ast.BinOp(left=left, op=ast.Div(), right=right) if number_in(left) is not None:
            return _is_scale(right)
    return number_in(node) is not None or called(node) in _ROOTS


def _another_base(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """Of a power or a logarithm: larger than what is tried of other numbers, which may be sizes."""
    for base in map(written, ("10000.0", "1000.0", "100.0", "10.0", "2.0")):
        match node:
            case ast.BinOp(left=left, op=ast.Pow(), right=right) if number_in(left) is not None:
                yield ast.BinOp(base, ast.Pow(), right)
            case ast.Call(args=[first, *rest]) if called(node) in _OF_A_BASE:
                if number_in(first) is not None:
                    yield with_arguments(node, [base, *rest])
        if isinstance(node, ast.Call):
            for n, word in enumerate(node.keywords):
                if word.arg == "base":
                    words = [*node.keywords[:n], ast.keyword("base", base), *node.keywords[n + 1 :]]
                    yield ast.Call(node.func, node.args, words)


def _another_sign(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    match node:
        case ast.UnaryOp(op=ast.USub() | ast.Not() | ast.Invert(), operand=operand):
            yield operand
        case ast.Name() | ast.Call() | ast.Subscript() | ast.BinOp() | ast.Attribute():
            if not scope.is_module(node):
                yield ast.UnaryOp(ast.USub(), node)
                yield ast.UnaryOp(ast.Invert(), node)
                if _may_be_a_truth(node):
                    yield ast.UnaryOp(ast.Not(), node)
        case ast.Compare() | ast.BoolOp():
            yield ast.UnaryOp(ast.Not(), node)
            yield ast.UnaryOp(ast.Invert(), node)


def _may_be_a_truth(node: ast.expr) -> bool:
    """Whether `not` may stand before it: of a number it would be a way to write 0, no negation."""
    match node:
        case ast.Name() | ast.Attribute():
            return True
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr() | ast.BitXor()):
            return True
        case ast.Call():
            return called(node) in _TESTS or called(node).startswith(("is", "has"))
    return False


def _another_comparison(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            for other in _COMPARISONS:
                if type(other) is not type(op):
                    yield ast.Compare(left, [other], [right])


LEFT_OUT = (
    Family("a term", _term_left_out, "whether all of {} is needed"),
    Family("a factor", _factor_left_out, "whether all of {} is needed"),
)
FAMILIES = (
    Family("the order of two things", _swapped_operands, "the order in {}"),
    Family("the order of two things", _swapped_entries, "the order in {}"),
    Family("the order of two things", _swapped_arguments, "the order of the arguments in {}"),
    Family("the order of two things", _exchanged_names, "which stands where in {}"),
    Family("a comparison", _another_comparison, "how {} compares"),
    *LEFT_OUT,
    Family("an operator", _another_operator, "the operator in {}"),
    Family("brackets", _regrouped, "what belongs together in {}"),
)
NUMBERS = (
    Family("a Boolean (True or False)", _the_other_truth, "the {} in it"),
    Family("a number", _another_number, "the {} in it"),
    Family("a number", _another_base, "the base in {}"),
)
RARER = (Family("a sign or a negation", _another_sign, "the sign of {}, or whether it is negated"),)
