"""Small changes of what is meant: which variable, which function, which part of it."""

import ast
from collections.abc import Iterator

from autograder.checks.locate.families.change import Family, Scope, called, number_in, written

# Functions that are easily taken for each other.
_CONFUSED = (
    *({"zeros", "ones", "empty"}, {"zeros_like", "ones_like"}, {"rand", "randn"}),
    *({"tril", "triu"}, {"max", "min"}, {"argmax", "argmin"}, {"amax", "amin"}),
    *({"sum", "mean", "max", "prod"}, {"sin", "cos"}, {"exp", "log", "exp2", "square"}),
    *({"cat", "stack"}, {"concatenate", "stack"}, {"vstack", "hstack"}, {"all", "any"}),
    *({"repeat", "repeat_interleave", "tile"}, {"view", "reshape"}, {"floor", "ceil", "round"}),
    *({"dot", "outer", "inner", "multiply", "matmul"}, {"softmax", "log_softmax", "sigmoid"}),
    *({"add", "subtract", "multiply", "divide"}, {"less", "less_equal", "greater"}),
    *({"logical_and", "logical_or", "logical_xor"}, {"squeeze", "unsqueeze"}, {"std", "var"}),
    *({"sqrt", "square", "rsqrt"}, {"numel", "dim"}, {"tanh", "sigmoid", "relu"}),
    *({"append", "extend", "insert"}, {"minimum", "maximum"}, {"keys", "values", "items"}),
    *({"eye", "ones", "zeros"}, {"allclose", "array_equal", "equal"}, {"chunk", "split"}),
    *({"sorted", "list"}, {"clamp_min", "clamp_max"}, {"isnan", "isfinite", "isinf"}),
    *({"array_equal", "array_equiv", "allclose"}, {"cumsum", "cumprod", "sum"}, {"abs", "square"}),
)
_MOST_NAMES = 14


def _another_name(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    own = _own_name(node, scope)
    for other in _known(scope) if own else ():
        if other != own and scope.are_alike(own, other):
            yield written(other)


def _a_name_of_another_kind(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    own = _own_name(node, scope)
    for other in _known(scope) if own else ():
        if not scope.are_alike(own, other):
            yield written(other)


def _own_name(node: ast.expr, scope: Scope) -> str:
    """The name by which something of the function's or the object's own is meant here."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()) if name in scope.names and name != "self":
            return name
        case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Load()):
            return f"self.{name}"
    return ""


def _known(scope: Scope) -> Iterator[str]:
    yield from (name for name in scope.names[:_MOST_NAMES] if name != "self")
    yield from (f"self.{name}" for name in scope.attributes[:_MOST_NAMES])


def _a_known_name(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """For a name that nothing is called by, or that is not this function's own."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()) if name not in scope.names:
            yield from map(written, _known(scope))


def _a_name_for_a_number(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    if number_in(node) is None:
        return
    for other in scope.names[:_MOST_NAMES]:
        if other != "self":
            yield ast.Name(other, ast.Load())
            for axis in (-1, -2, 0):
                yield written(f"{other}.shape[{axis}]")
    for other in scope.attributes[:_MOST_NAMES]:
        yield written(f"self.{other}")


def _a_size_for_a_name(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    match node:
        case ast.Name(id=name, ctx=ast.Load()) if name in scope.names and name != "self":
            for other in scope.names[:_MOST_NAMES]:
                if other != "self":
                    for axis in (-1, -2, 0):
                        yield written(f"{other}.shape[{axis}]")


def _another_function(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    if not isinstance(node, ast.Call):
        return
    name = called(node)
    found = [other for group in _CONFUSED if name in group for other in group if other != name]
    for other in sorted(set(found)):
        match node.func:
            case ast.Attribute(value=value):
                function: ast.expr = ast.Attribute(value, other, ast.Load())
            case _:
                function = ast.Name(other, ast.Load())
        yield ast.Call(function, node.args, node.keywords)


def _another_index(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    if not isinstance(node, ast.Subscript):
        return
    entries = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        for axis in (-1, -2, 0, 1, 2, -3, 3):
            yield ast.Subscript(node.value, written(str(axis)), ast.Load())
        return
    for n, entry in enumerate(entries):
        for other in _other_entries(entry):
            yield _subscript(node, [*entries[:n], other, *entries[n + 1 :]])
        yield _subscript(node, [*entries[:n], ast.Slice(), *entries[n:]])
        if len(entries) > 1:
            yield _subscript(node, [*entries[:n], *entries[n + 1 :]])
            for m in range(n + 1, len(entries)):
                order = list(entries)
                order[n], order[m] = order[m], order[n]
                yield _subscript(node, order)
        if _is_new_axis(entry):
            # The new axis somewhere else.
            rest = [*entries[:n], *entries[n + 1 :]]
            for place in range(len(rest) + 1):
                yield _subscript(node, [*rest[:place], entry, *rest[place:]])
            yield _subscript(node, [*rest, ast.Slice(), entry])
            yield _subscript(node, [entry, ast.Slice(), *rest])
    for new in ("None", "...", "..., None"):
        added = written(f"x[{new}]")
        assert isinstance(added, ast.Subscript)
        found = added.slice
        yield _subscript(node, [*(found.elts if isinstance(found, ast.Tuple) else [found]),
                                *entries])  # fmt: skip
    yield node.value


def _index_added(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    match node:
        case ast.Name(id=name) if name in scope.names and name != "self":
            pass
        case ast.Attribute(value=ast.Name(id="self")):
            pass
        case _:
            return
    for index in ("None", ":, None", "..., None", ":, :, None", "0", "-1", "1:", ":-1", "::-1"):
        added = written(f"x[{index}]")
        assert isinstance(added, ast.Subscript)
        yield ast.Subscript(node, added.slice, ast.Load())
    for other in scope.names[:_MOST_NAMES]:
        if other != "self" and not (isinstance(node, ast.Name) and node.id == other):
            yield ast.Subscript(node, ast.Name(other, ast.Load()), ast.Load())
            yield ast.Subscript(node, ast.Slice(upper=ast.Name(other, ast.Load())), ast.Load())
            both = ast.Tuple([ast.Slice(upper=ast.Name(other, ast.Load()))] * 2, ast.Load())
            yield ast.Subscript(node, both, ast.Load())


def _other_entries(entry: ast.expr) -> Iterator[ast.expr]:
    match entry:
        case ast.Slice(lower=lower, upper=upper, step=step):
            if lower or upper:
                yield ast.Slice(lower=upper, upper=lower, step=step)
            for bound in _shifted(lower):
                yield ast.Slice(lower=bound, upper=upper, step=step)
            for bound in _shifted(upper):
                yield ast.Slice(lower=lower, upper=bound, step=step)
            if step:
                yield ast.Slice(lower=lower, upper=upper)
            else:
                for stride in ("2", "-1"):
                    yield ast.Slice(lower=lower, upper=upper, step=written(stride))
            if not lower and not upper and not step:
                yield written("None")
        case ast.Constant(value=None):
            yield ast.Slice()
        case _:
            yield from (one for one in _shifted(entry) if one is not None)
            yield ast.Slice()
            yield ast.Slice(upper=entry)
            yield ast.Slice(lower=entry)


def _shifted(bound: ast.expr | None) -> Iterator[ast.expr | None]:
    if bound is None:
        yield written("1")
        yield written("-1")
        return
    number = number_in(bound)
    if isinstance(number, int):
        for other in (number + 1, number - 1, -number, 0, 2 * number):
            if other != number:
                yield written(str(other))
    else:
        for op in (ast.Add(), ast.Sub()):
            yield ast.BinOp(bound, op, ast.Constant(1))
    match bound:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub()):
            yield left
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield operand
        case ast.Name():
            yield ast.UnaryOp(ast.USub(), bound)
    yield None


def _is_new_axis(entry: ast.expr) -> bool:
    match entry:
        case ast.Constant(value=None) | ast.Attribute(attr="newaxis"):
            return True
    return False


def _subscript(node: ast.Subscript, entries: list[ast.expr]) -> ast.expr:
    index = entries[0] if len(entries) == 1 else ast.Tuple(entries, ast.Load())
    return ast.Subscript(node.value, index, node.ctx)


FAMILIES = (
    Family("an index", _another_index, "the index in {}"),
    Family("a function", _another_function, "whether {} is meant", of_call=True),
)
NAMES = (Family("a name", _another_name, "whether {} is meant"),)
RARER = (
    Family("a name", _a_known_name, "whether {} is meant"),
    Family("a number", _a_name_for_a_number, "the {} in it"),
    Family("a name", _a_name_of_another_kind, "whether {} is meant"),
    Family("a size", _a_size_for_a_name, "whether {} is meant"),
    Family("an index", _index_added, "which part of {} is meant"),
)
