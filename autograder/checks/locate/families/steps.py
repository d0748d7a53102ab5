"""Small changes of the steps that lead to a value: one that is too many, one that is missing."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import permutations

from autograder.checks.locate.families.change import (
    Family,
    Scope,
    called,
    number_in,
    replaced,
    with_arguments,
    written,
)

# What a value may have to go through, where `x` stands for it.
_SUMS_TO_ONE = ("x.softmax(-1)", "x / x.sum(-1, keepdims=True)")
_OFTEN = (
    *("x ** 0.5", "x ** 2", "x + 1", "x - 1"),
    *("x * 2", "x / 2", "x // 2", "x.clone()", "x.unsqueeze(-1)", "x.sum(-1)"),
)
_STEPS = (
    *("1 / x", "abs(x)", "float(x)", "int(x)", "bool(x)", "len(x)"),
    *("x - x.max()", "x.exp()", "x.sum()", "x.mean()"),
    *("x.copy()", "x.tolist()", "x.item()", "tuple(x)", "list(x)", "x.flatten()"),
    *("x.bool()", "x.float()", "x.double()", "x.long()", "x[None]", "x[0]"),
    *("x.sum(-2)", "x.sum(0)", "x.mean(-1)", "x.mean(0)", "x.max(-1)", "x.log()"),
    *("x.contiguous()", "x.detach()", "x.squeeze(0)", "x.squeeze(-1)"),
    *("x.unsqueeze(0)", "x.unsqueeze(1)", "x.masked_fill(x.isnan(), 0)", "x.max() - x", "1 - x"),
    *("x.flip(-1)", "x.flip(0)", "x[::-1]", "sorted(x)"),
    *("x + 2", "x - 2", "x @ x.T", "x @ x.mT"),
)
# With what kinds of values a step is tried for `y`: numbers, arrays, functions, others.
_N, _A, _F, _O = map(frozenset, (["number"], ["array"], ["function"], ["other"]))
_OF_TWO = {
    **dict.fromkeys(("x / y", "x * y", "x / y ** 0.5"), _N | _A),
    **dict.fromkeys(("x + y", "x - y"), _N | _A | _O),
    **dict.fromkeys(("x @ y", "y @ x", "x / y.shape[-1] ** 0.5"), _A),
    "x.masked_fill(y, float('-inf'))": _A,
}
_RARER_OF_TWO = {
    **dict.fromkeys(("x // y", "x % y", "y - x", "y / x"), _N | _A),
    **dict.fromkeys(("x | y", "x & y"), _A | _O),
    **dict.fromkeys(("x / y.shape[-1]", "x * y.shape[-1]", "x - y.max()"), _A),
    **dict.fromkeys(("x.masked_fill(~y, float('-inf'))", "x.masked_fill(y, 0)"), _A),
    **dict.fromkeys(("x.astype(y.dtype)", "x.type(y.dtype)"), _A),
    **dict.fromkeys(("x.reshape(y.shape)", "x.view(y.shape)"), _A),
    **dict.fromkeys(("x.softmax(y)", "x.max(y)", "x.repeat_interleave(y, 1)"), _N),
    **dict.fromkeys(("x.repeat_interleave(y, dim=-3)", "x.unflatten(-1, (y, -1))"), _N),
    "x[y]": _N | _A | _O,
    "y[x]": _A | _O,
    "x.to(y)": _A | _O,
    "y(x)": _F | _O,
}
# What is tried besides with a name of which nothing is made yet, and there are few of those.
_OF_AN_UNUSED = {
    **_OF_TWO,
    **_RARER_OF_TWO,
    **dict.fromkeys(("x @ y.T", "x @ y.mT", "x * y[:, None]", "x + y[:, None]"), _A),
    **dict.fromkeys(("x * y[..., None]", "x * y[..., None, :, :]", "x * y[..., None, :]"), _A),
    **dict.fromkeys(("x | y[:, None]", "x & y[:, None]", "x / y[:, None]", "x - y[:, None]"), _A),
    **dict.fromkeys(("y.softmax(-1) @ x", "x @ y.softmax(0)", "x * y.softmax(-1)"), _A),
    "x + y(x)": _F | _O,
}
_OF_TWO_UNUSED = ("x + y @ z", "x + y * z", "x * y @ z", "x - y @ z")
_WITH_NUMPY = ("exp(x)", "sqrt(x)", "log(x)", "sum(x)", "abs(x)", "copy(x)", "array(x)", "diag(x)")
# Of a list, or what is written as one.
_JOINED = {
    "torch": ("cat(x, dim=-1)", "stack(x)", "cat(x)", "stack(x, dim=1)", "tensor(x)"),
    "np": ("array(x)", "concatenate(x, axis=-1)", "concatenate(x)", "stack(x, axis=1)"),
}
_MATHS = ("exp(x)", "sqrt(x)", "log(x)")
_MOST_NAMES = 10
_MOST_UNUSED = 3
_PRODUCTS = ("x + y * z", "x - y * z", "x + y @ z")
_MOST_OF_A_PRODUCT = 5


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
    for other in scope.names[:_MOST_NAMES]:
        if other != "self":
            yield ast.Call(node.func, [*node.args, ast.Name(other, ast.Load())], node.keywords)


def _keyword_missing(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """A dtype, a bias: what a library has a default for, that is another than what is asked for."""
    if not isinstance(node, ast.Call):
        return
    name, given = called(node), {word.arg for word in node.keywords}
    others = [other for other in scope.names[:_MOST_NAMES] if other != "self"]
    if name in _MAKERS and "dtype" not in given:
        for other in others:
            own = scope.kinds.get(other, "") == "dtype"
            yield _with_word(node, "dtype", other if own else f"{other}.dtype")
        for kind in ("bool", "float", "int"):
            yield _with_word(node, "dtype", kind)
    if name in {"Linear", "LazyLinear"} and "bias" not in given:
        for value in ("False", *others):
            yield _with_word(node, "bias", value)


def _with_word(node: ast.Call, word: str, value: str) -> ast.expr:
    return ast.Call(node.func, node.args, [*node.keywords, ast.keyword(word, written(value))])


_MAKERS = {"zeros", "ones", "empty", "full", "arange", "eye", "array", "tensor", "triu", "tril"}


def _missing_often(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    if _is_value(node, scope):
        kind = _kind_of(node, scope)
        yield from (_filled(step, node) for step in _OFTEN if _takes(step, kind))


def _normalized(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    if _is_value(node, scope) and _takes(_SUMS_TO_ONE[0], _kind_of(node, scope)):
        yield from (_filled(step, node) for step in _SUMS_TO_ONE)


def _missing(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    if not _is_value(node, scope):
        return
    for other in scope.attributes[:_MOST_NAMES]:
        yield ast.Call(ast.Attribute(ast.Name("self", ast.Load()), other, ast.Load()), [node], [])
    kind = _kind_of(node, scope)
    for step in _STEPS:
        if _takes(step, kind):
            yield _filled(step, node)
    for name, steps in (("np", _WITH_NUMPY), ("torch", _WITH_NUMPY), ("math", _MATHS)):
        if name in scope.namespace:
            for step in steps:
                yield _filled(f"{name}.{step}", node)


def _joined(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    is_list = isinstance(node, ast.ListComp | ast.List) or _kind_of(node, scope) == "list"
    for name, steps in _JOINED.items():
        if is_list and name in scope.namespace:
            for step in steps:
                yield _filled(f"{name}.{step}", node)


def _missing_with_unused(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    yield from _with_others(node, scope, scope.unused, _OF_AN_UNUSED)
    for one, other in permutations(map(written, scope.unused[:_MOST_UNUSED]), 2):
        if _is_value(node, scope):
            yield from (_filled(step, node, one, other) for step in _OF_TWO_UNUSED)


def _missing_with_another(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    return _with_others(node, scope, tuple(_others(scope)), _OF_TWO)


def _missing_more_rarely(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    return _with_others(node, scope, tuple(_others(scope)), _RARER_OF_TWO)


def _product_missing(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """Of two that are used elsewhere."""
    arrays = [name for name in _others(scope) if scope.kinds.get(name, "") in _A]
    if _is_value(node, scope) and not isinstance(node, ast.Subscript):
        for one, other in permutations(map(written, arrays[-_MOST_OF_A_PRODUCT:]), 2):
            yield from (_filled(step, node, one, other) for step in _PRODUCTS)


def _others(scope: Scope) -> Iterator[str]:
    yield from (name for name in scope.names[:_MOST_NAMES] if name != "self")
    yield from (f"self.{name}" for name in scope.attributes[:_MOST_NAMES])


def _with_others(
    node: ast.expr, scope: Scope, others: Sequence[str], steps: Mapping[str, frozenset[str]]
) -> Iterator[ast.expr]:
    if not _is_value(node, scope):
        return
    own, kind = ast.dump(node), _kind_of(node, scope)
    for step, wanted in steps.items():
        if _takes(step, kind):
            for name in others:
                found = scope.kinds.get(name, "")
                fits = not found or (found if found in _N | _A | _F else "other") in wanted
                if fits and ast.dump(written(name)) != own:
                    yield _filled(step, node, written(name))


def _kind_of(node: ast.expr, scope: Scope) -> str:
    """Of what kind a value is, as far as that was seen."""
    match node:
        case ast.Name(id=name):
            return scope.kinds.get(name, "")
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return scope.kinds.get(f"self.{name}", "")
    return ""


_OF_ARRAYS = ("x.", "x[", "@", "len(", "tuple(", "list(", "sorted(")


@cache
def _takes(step: str, kind: str) -> bool:
    """Whether a step can be taken with such a value for `x`."""
    if kind in _N:
        return not any(sign in step for sign in _OF_ARRAYS)
    return kind not in _F


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


def _filled(step: str, *values: ast.expr) -> ast.expr:
    found: ast.expr = replaced(written(step), dict(zip("xyz", values, strict=False)))
    return found


REMOVED = (
    Family("a step too many", _left_out, "whether all of {} is needed"),
    Family("an argument", _argument_left_out, "what {} is given", of_call=True),
)
KEYWORDS = (Family("an argument", _keyword_missing, "what {} is given", of_call=True),)
_STEP, _DONE = "a missing step", "what has to be done with {}"
UNUSED = (
    Family(_STEP, _missing_with_unused, _DONE, from_the_end=True),
    Family(_STEP, _joined, _DONE, from_the_end=True),
)
NORMALIZED = (Family(_STEP, _normalized, _DONE, from_the_end=True),)
ADDED = (
    Family("an argument", _argument_missing, "what {} is given", of_call=True),
    *NORMALIZED,
    Family(_STEP, _missing_often, _DONE, from_the_end=True),
    Family(_STEP, _missing_with_another, _DONE, from_the_end=True),
    Family(_STEP, _missing, _DONE, from_the_end=True),
    Family(_STEP, _missing_more_rarely, _DONE, from_the_end=True),
    Family(_STEP, _product_missing, _DONE, from_the_end=True),
)
