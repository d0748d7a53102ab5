"""Small changes of the steps that lead to a value: one that is too many, one that is missing."""

import ast
from collections.abc import Iterator, Sequence

from autograder.locate.families.change import (
    Family,
    Scope,
    called,
    number_in,
    replaced,
    with_arguments,
    written,
)

# What a value may have to go through, where `x` stands for it.
_STEPS = (
    *("x ** 0.5", "x ** 2", "1 / x", "abs(x)", "float(x)", "int(x)", "bool(x)", "len(x)"),
    *("x / x.sum(-1, keepdims=True)", "x - x.max()", "x.exp()", "x.sum()", "x.mean()"),
    *("x.clone()", "x.copy()", "x.tolist()", "x.item()", "tuple(x)", "list(x)", "x.flatten()"),
    *("x.softmax(-1)", "x.bool()", "x.float()", "x.double()", "x.long()", "x[None]", "x[0]"),
    *("x.sum(-1)", "x.sum(-2)", "x.sum(0)", "x.mean(-1)", "x.mean(0)", "x.max(-1)", "x.log()"),
    *("x.contiguous()", "x.detach()", "x.squeeze(0)", "x.squeeze(-1)", "x.unsqueeze(-1)"),
    *("x.unsqueeze(0)", "x.unsqueeze(1)", "x.masked_fill(x.isnan(), 0)", "x.max() - x", "1 - x"),
    *("x + 1", "x - 1", "x * 2", "x / 2", "x.flip(-1)", "x.flip(0)", "x[::-1]", "sorted(x)"),
)
_OF_TWO = (
    *("x / y", "x * y", "x @ y", "y @ x", "x / y ** 0.5", "x + y", "x - y"),
    *("x / y.shape[-1] ** 0.5", "x.masked_fill(y, float('-inf'))"),
)
_RARER_OF_TWO = (
    *("x // y", "x % y", "x | y", "x & y", "x / y.shape[-1]", "x * y.shape[-1]", "y - x", "y / x"),
    *("x[y]", "y[x]", "y(x)", "x.masked_fill(~y, float('-inf'))", "x.masked_fill(y, 0)"),
    *("x.to(y)", "x.astype(y.dtype)", "x.type(y.dtype)", "x.softmax(y)", "x.max(y)"),
    *("x.reshape(y.shape)", "x.view(y.shape)", "x - y.max()", "x.repeat_interleave(y, 1)"),
    *("x.repeat_interleave(y, dim=-3)", "x.unflatten(-1, (y, -1))"),
)
_WITH_NUMPY = ("exp(x)", "sqrt(x)", "log(x)", "sum(x)", "abs(x)", "copy(x)", "array(x)", "diag(x)")
_MOST_NAMES = 10


def _left_out(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    match node:
        case ast.Call(func=func, args=args):
            if isinstance(func, ast.Attribute) and not scope.is_module(func.value):
                yield func.value
            yield from args[:3]
        case ast.BinOp(left=left, right=right):
            yield left
            yield right
        case ast.BoolOp(values=values):
            yield from values
            for n in range(len(values) if len(values) > 2 else 0):
                yield ast.BoolOp(node.op, [*values[:n], *values[n + 1 :]])
        case ast.IfExp(body=body, orelse=orelse, test=test):
            yield body
            yield orelse
            yield ast.IfExp(ast.UnaryOp(ast.Not(), test), body, orelse)


def _argument_left_out(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    if isinstance(node, ast.Call):
        for n in range(len(node.keywords)):
            words = [*node.keywords[:n], *node.keywords[n + 1 :]]
            yield ast.Call(node.func, node.args, words)
        for n in range(len(node.args) if len(node.args) > 1 else 0):
            yield ast.Call(node.func, [*node.args[:n], *node.args[n + 1 :]], node.keywords)


def _argument_missing(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    if not isinstance(node, ast.Call):
        return
    name = called(node)
    if name in {"tril", "triu", "eye", "arange", "range"}:
        for number in ("1", "-1", "0"):
            yield ast.Call(node.func, [*node.args, written(number)], node.keywords)
            yield ast.Call(node.func, [written(number), *node.args], node.keywords)
    for n, end in enumerate(node.args if name in {"range", "arange", "linspace"} else ()):
        if number_in(end) is None:
            for more in (ast.Add(), ast.Sub()):
                moved = ast.BinOp(end, more, ast.Constant(1))
                yield with_arguments(node, [*node.args[:n], moved, *node.args[n + 1 :]])
    if name in _MAKERS and not any(word.arg == "dtype" for word in node.keywords):
        for other in scope.names[:_MOST_NAMES]:
            word = ast.keyword("dtype", written(f"{other}.dtype"))
            yield ast.Call(node.func, node.args, [*node.keywords, word])
        for kind in ("bool", "float", "int"):
            word = ast.keyword("dtype", written(kind))
            yield ast.Call(node.func, node.args, [*node.keywords, word])
    for other in scope.names[:_MOST_NAMES]:
        if other != "self":
            yield ast.Call(node.func, [*node.args, ast.Name(other, ast.Load())], node.keywords)
            word = ast.keyword("bias", ast.Name(other, ast.Load()))
            if name in {"Linear", "LazyLinear"}:
                yield ast.Call(node.func, node.args, [*node.keywords, word])
    if name in {"Linear", "LazyLinear"} and not node.keywords:
        words = [ast.keyword("bias", ast.Constant(False))]
        yield ast.Call(node.func, node.args, words)


_MAKERS = {"zeros", "ones", "empty", "full", "arange", "eye", "array", "tensor", "triu", "tril"}


def _missing(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    if not _is_value(node, scope):
        return
    for other in scope.attributes[:_MOST_NAMES]:
        yield ast.Call(ast.Attribute(ast.Name("self", ast.Load()), other, ast.Load()), [node], [])
    for step in _STEPS:
        yield _filled(step, node, None)
    for name in ("np", "torch"):
        if name in scope.namespace:
            for step in _WITH_NUMPY:
                yield _filled(f"{name}.{step}", node, None)


def _missing_with_another(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    return _with_another(node, scope, _OF_TWO)


def _missing_more_rarely(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    return _with_another(node, scope, _RARER_OF_TWO)


def _with_another(node: ast.expr, scope: Scope, steps: Sequence[str]) -> Iterator[ast.expr]:
    if not _is_value(node, scope):
        return
    own = ast.dump(node)
    others: list[ast.expr] = [
        ast.Name(name, ast.Load()) for name in scope.names[:_MOST_NAMES] if name != "self"
    ]
    for name in scope.attributes[:_MOST_NAMES]:
        others.append(ast.Attribute(ast.Name("self", ast.Load()), name, ast.Load()))
    for step in steps:
        for other in others:
            if ast.dump(other) != own:
                yield _filled(step, node, other)


def _is_value(node: ast.expr, scope: Scope) -> bool:
    match node:
        case ast.Name(id="self"):
            return False
        case ast.Name(id=name):
            return name in scope.names
        case ast.Attribute():
            return not scope.is_module(node)
        case ast.BinOp() | ast.Call() | ast.Subscript():
            return True
    return False


def _filled(step: str, one: ast.expr, other: ast.expr | None) -> ast.expr:
    found: ast.expr = replaced(written(step), {"x": one, "y": other or one})
    return found


REMOVED = (
    Family("a step too many", _left_out, "whether all of {} is needed"),
    Family("an argument", _argument_left_out, "what {} is given", of_call=True),
)
ADDED = (
    Family("an argument", _argument_missing, "what {} is given", of_call=True),
    Family("a missing step", _missing_with_another, "what has to be done with {}"),
    Family("a missing step", _missing, "what has to be done with {}"),
    Family("a missing step", _missing_more_rarely, "what has to be done with {}"),
)
