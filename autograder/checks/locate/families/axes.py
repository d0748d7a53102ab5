"""Small changes of axes: which one, which two, kept or not, and transposes."""

import ast
from collections.abc import Iterator
from itertools import combinations, permutations

from autograder.checks.locate.families.change import (
    Family,
    Scope,
    called,
    number_in,
    with_arguments,
    written,
)

_OVER = {"sum", "mean", "max", "min", "amax", "amin", "prod", "all", "any", "std", "var", "norm"}
_OVER |= {"argmax", "argmin", "logsumexp"}
_ALONG = {"softmax", "log_softmax", "cumsum", "cumprod", "sort", "argsort", "flip", "topk", "roll"}
_ALONG |= {"cat", "concatenate", "concat", "stack", "chunk", "split", "unbind", "gather", "select"}
_ALONG |= {"unsqueeze", "squeeze", "expand_dims", "repeat_interleave", "repeat", "flatten", "size"}
_ALONG |= {"unflatten", "narrow", "take", "tensor_split", "array_split"}
_ONE_AXIS = _OVER | _ALONG
# What these are given before the axis says how many, how far or which.
_AXIS_SECOND = {"roll", "topk", "chunk", "split", "tensor_split", "array_split", "take"}
_AXIS_SECOND |= {"repeat_interleave", "repeat"}
# And what these are given behind it.
_AXIS_FIRST = {"narrow", "select", "gather", "unflatten"}
_TWO_AXES = {"transpose", "swapaxes", "swapdims", "movedim", "moveaxis"}
_KEYWORDS = {"dim", "axis", "dims"}
_KEPT = {"keepdim", "keepdims"}
_AXES = (-1, -2, 0, 1, 2, -3, 3)
_TRANSPOSED = {"T", "mT", "H", "mH"}
_SPLITTING = {"view", "reshape", "unflatten"}
_TURNS = _TWO_AXES | {"t", "permute"}


def _another_axis(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    if not isinstance(node, ast.Call) or called(node) not in _ONE_AXIS:
        return
    for n, word in enumerate(node.keywords):
        if word.arg in _KEYWORDS and number_in(word.value) is not None:
            for axis in _others(word.value):
                words = list(node.keywords)
                words[n] = ast.keyword(word.arg, axis)
                yield ast.Call(node.func, node.args, words)
            yield ast.Call(node.func, node.args, [*node.keywords[:n], *node.keywords[n + 1 :]])
    for n in _places_of_axes(node, scope):
        if isinstance(number_in(node.args[n]), int):
            for axis in _others(node.args[n]):
                yield with_arguments(node, [*node.args[:n], axis, *node.args[n + 1 :]])


def _axis_given(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    if not isinstance(node, ast.Call) or called(node) not in _OVER | {"softmax", "cat", "stack"}:
        return
    has_word = any(word.arg in _KEYWORDS for word in node.keywords)
    if has_word or len(node.args) > _first_axis(node, scope):
        return
    word = "dim" if called(node) in {"softmax", "cat", "stack"} else "axis"
    for axis in _AXES[:4]:
        words = [*node.keywords, ast.keyword(word, _written(axis))]
        yield ast.Call(node.func, node.args, words)
        yield ast.Call(node.func, node.args, [*words, ast.keyword("keepdims", written("True"))])


def _two_other_axes(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    if isinstance(node, ast.Call) and called(node) == "permute":
        if 2 <= len(node.args) <= 4:
            for order in permutations(node.args):
                if list(order) != node.args:
                    yield with_arguments(node, list(order))
        return
    if not isinstance(node, ast.Call) or called(node) not in _TWO_AXES:
        return
    first = _first_axis(node, scope)
    if len(node.args) == first + 2:
        for pair in combinations((0, 1, 2, 3, -1, -2, -3), 2):
            yield with_arguments(node, [*node.args[:first], *map(_written, pair)])


def _other_letters(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    match node:
        case ast.Call(args=[ast.Constant(value=str(text)), *_]) if called(node) == "einsum":
            places = [n for n, letter in enumerate(text) if letter.isalpha()]
            for one, other in combinations(places, 2):
                if text[one] != text[other]:
                    swapped = list(text)
                    swapped[one], swapped[other] = text[other], text[one]
                    yield _with_letters(node, "".join(swapped))
            for n in places:
                for letter in sorted({text[place] for place in places} - {text[n]}):
                    yield _with_letters(node, text[:n] + letter + text[n + 1 :])


def _with_letters(node: ast.Call, text: str) -> ast.expr:
    return with_arguments(node, [ast.Constant(text), *node.args[1:]])


def _kept_or_not(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    if not isinstance(node, ast.Call) or called(node) not in _OVER:
        return
    without = [word for word in node.keywords if word.arg not in _KEPT]
    if len(without) < len(node.keywords):
        yield ast.Call(node.func, node.args, without)
    else:
        yield ast.Call(node.func, node.args, [*without, ast.keyword("keepdims", written("True"))])


def _transpose_added(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    match node:
        case ast.BinOp(left=left, op=ast.MatMult() as op, right=right):
            for turn in ("T", "mT"):
                yield ast.BinOp(left, op, _turned(right, turn))
                yield ast.BinOp(_turned(left, turn), op, right)
            for axes in ("1, 2", "0, 1", "-1, -2"):
                yield ast.BinOp(left, op, _swapped(right, axes))
                yield ast.BinOp(_swapped(left, axes), op, right)


def _heads_not_turned(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """An axis was split, and the two parts still stand side by side."""
    if called(node) in _SPLITTING:
        yield _swapped(node, "1, 2")
        yield _swapped(node, "0, 1")


def _transposed_by_itself(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    match node:
        case ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call():
            if not _is_transpose(node) and not scope.is_module(node):
                yield _turned(node, "T")
                yield _swapped(node, "1, 2")


def _transpose_left_out(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    match node:
        case ast.Attribute(value=value, attr=name) if name in _TRANSPOSED:
            yield value
        case ast.Call(func=ast.Attribute(value=value), args=args) if called(node) in _TURNS:
            if not scope.is_module(value):
                yield value
            elif args:
                yield args[0]


def _is_transpose(node: ast.expr) -> bool:
    return called(node) in _TURNS or (isinstance(node, ast.Attribute) and node.attr in _TRANSPOSED)


def _turned(node: ast.expr, turn: str) -> ast.expr:
    return ast.Attribute(node, turn, ast.Load())


def _swapped(node: ast.expr, axes: str) -> ast.expr:
    first, second = axes.split(", ")
    function = ast.Attribute(node, "swapaxes", ast.Load())
    return ast.Call(function, [written(first), written(second)], [])


def _first_axis(node: ast.Call, scope: Scope) -> int:
    """The place of an axis among the arguments: `x.sum(0)`, but `torch.sum(x, 0)`."""
    is_method = isinstance(node.func, ast.Attribute) and not scope.is_module(node.func.value)
    return 0 if is_method else 1


def _places_of_axes(node: ast.Call, scope: Scope) -> range:
    """The places of arguments that are axes, if they are numbers."""
    first = _first_axis(node, scope) + (called(node) in _AXIS_SECOND)
    only_one = called(node) in _AXIS_SECOND | _AXIS_FIRST
    return range(first, min(len(node.args), first + 1 if only_one else len(node.args)))


def _others(node: ast.expr) -> Iterator[ast.expr]:
    now = number_in(node)
    return (_written(axis) for axis in _AXES if axis != now)


def _written(axis: int) -> ast.expr:
    return written(str(axis))


_WORKS_ON = "the axis that {} works on"

FAMILIES = (
    Family("an axis", _another_axis, _WORKS_ON, of_call=True),
    Family("an axis", _axis_given, _WORKS_ON, of_call=True),
    Family("axes", _two_other_axes, "the axes that {} is given", of_call=True),
    Family("an axis", _kept_or_not, "whether {} keeps the axis it works on", of_call=True),
    Family("a transpose", _transpose_left_out, "a transpose that is there, in {}"),
    Family("a transpose", _transpose_added, "a transpose that is not there, in {}"),
    Family("a transpose", _heads_not_turned, "a transpose that is not there, in {}"),
)
# Of these there are hundreds in one line.
LETTERS = (Family("axes", _other_letters, "the letters that {} is given", of_call=True),)
RARER = (Family("a transpose", _transposed_by_itself, "a transpose that is not there, in {}"),)
