"""Small changes of statements: their order, one too many, where a `return` stands, what is kept."""

import ast
import copy
from collections.abc import Iterator

from autograder.checks.locate.families.change import Scope, StatementFamily

Made = Iterator[tuple[ast.stmt, list[ast.stmt]]]
Block = ast.For | ast.While | ast.With | ast.If


def _left_out(body: list[ast.stmt], n: int, scope: Scope) -> Made:
    if isinstance(body[n], ast.Return | ast.FunctionDef):
        return
    rest = [*body[:n], *body[n + 1 :]]
    yield body[n], rest or [ast.Pass()]
    match body[n]:
        case ast.If(body=inner, orelse=other):
            yield body[n], [*body[:n], *inner, *body[n + 1 :]]
            if other:
                yield body[n], [*body[:n], *other, *body[n + 1 :]]


def _exchanged(body: list[ast.stmt], n: int, scope: Scope) -> Made:
    if n + 1 < len(body):
        yield body[n], [*body[:n], body[n + 1], body[n], *body[n + 2 :]]
    if n + 2 < len(body):
        yield body[n], [*body[:n], *body[n + 1 : n + 3], body[n], *body[n + 3 :]]


def _moved(body: list[ast.stmt], n: int, scope: Scope) -> Made:
    """The last statement of a block, behind it, and the one behind it, in it; the same before."""
    one = body[n]
    if not isinstance(one, Block):
        return
    before, after = body[:n], body[n + 1 :]
    if len(one.body) > 1:
        first, last = one.body[0], one.body[-1]
        yield last, [*before, _with_body(one, one.body[:-1]), last, *after]
        yield first, [*before, first, _with_body(one, one.body[1:]), *after]
    if after:
        yield after[0], [*before, _with_body(one, [*one.body, after[0]]), *after[1:]]
    if before:
        yield before[-1], [*before[:-1], _with_body(one, [before[-1], *one.body]), *after]


def _kept_otherwise(body: list[ast.stmt], n: int, scope: Scope) -> Made:
    """`x += y`, `x = x + y` and `x = y`."""
    match body[n]:
        case ast.AugAssign(target=target, op=op, value=value):
            load = _loaded(target)
            yield body[n], [*body[:n], ast.Assign([target], value), *body[n + 1 :]]
            yield (
                body[n],
                [*body[:n], ast.Assign([target], ast.BinOp(load, op, value)), *body[n + 1 :]],
            )
            for instead in (ast.Add(), ast.Sub(), ast.Mult(), ast.Div(), ast.MatMult()):
                yield body[n], [*body[:n], ast.AugAssign(target, instead, value), *body[n + 1 :]]
        case ast.Assign(targets=[target], value=value) if isinstance(
            target, ast.Name | ast.Attribute | ast.Subscript
        ):
            yield body[n], [*body[:n], ast.AugAssign(target, ast.Add(), value), *body[n + 1 :]]
            call = ast.Call(ast.Attribute(value, "clone", ast.Load()), [], [])
            yield body[n], [*body[:n], ast.Assign([target], call), *body[n + 1 :]]
            call = ast.Call(ast.Attribute(value, "copy", ast.Load()), [], [])
            yield body[n], [*body[:n], ast.Assign([target], call), *body[n + 1 :]]
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value) if len(targets) <= 4:
            for one in range(len(targets)):
                for other in range(one + 1, len(targets)):
                    order = list(targets)
                    order[one], order[other] = order[other], order[one]
                    other_way = ast.Assign([ast.Tuple(order, ast.Store())], value)
                    yield body[n], [*body[:n], other_way, *body[n + 1 :]]
        case ast.For(target=ast.Tuple(elts=[first, second])):
            swapped = copy.copy(body[n])
            assert isinstance(swapped, ast.For)
            swapped.target = ast.Tuple([second, first], ast.Store())
            yield body[n], [*body[:n], swapped, *body[n + 1 :]]


def _returned(body: list[ast.stmt], n: int, scope: Scope) -> Made:
    """A `return` that is missing at the end."""
    match body[n]:
        case ast.Assign(targets=[ast.Name(id=name)]) if n + 1 == len(body):
            yield body[n], [*body, ast.Return(ast.Name(name, ast.Load()))]
        case ast.Expr(value=value) if not isinstance(value, ast.Constant):
            yield body[n], [*body[:n], ast.Return(value), *body[n + 1 :]]


def _raised(body: list[ast.stmt], n: int, scope: Scope) -> Made:
    """A `return` of an error."""
    match body[n]:
        case ast.Return(value=ast.Call(func=ast.Name(id=name)) as error) if name.endswith("Error"):
            yield body[n], [*body[:n], ast.Raise(error), *body[n + 1 :]]


def _said_of_another(body: list[ast.stmt], n: int, scope: Scope) -> Made:
    """The same line for something else: what is done with the values, but not with the keys."""
    one = body[n]
    if not isinstance(one, ast.Assign | ast.AugAssign | ast.Expr):
        return
    own = (*scope.names, *scope.attributes)
    used = dict.fromkeys(name for name in _names_in(one) if name in own and name != "self")
    for old in used:
        for new in dict.fromkeys(own):
            if new not in used and new != "self" and scope.are_alike(old, new):
                yield one, [*body[: n + 1], _Renaming(old, new).visit(copy.deepcopy(one)),
                            *body[n + 1 :]]  # fmt: skip


def _names_in(statement: ast.stmt) -> Iterator[str]:
    for node in ast.walk(statement):
        match node:
            case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="self"), attr=name):
                yield name


class _Renaming(ast.NodeTransformer):
    """Has a name, and an attribute of that name, be another."""

    def __init__(self, old: str, new: str) -> None:
        self._old, self._new = old, new

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._new if node.id == self._old else node.id
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        self.generic_visit(node)
        node.attr = self._new if node.attr == self._old else node.attr
        return node


def _with_body(one: Block, body: list[ast.stmt]) -> ast.stmt:
    made = copy.copy(one)
    made.body = body or [ast.Pass()]
    return made


def _loaded(target: ast.expr) -> ast.expr:
    match target:
        case ast.Name(id=name):
            return ast.Name(name, ast.Load())
        case ast.Attribute(value=value, attr=name):
            return ast.Attribute(value, name, ast.Load())
        case ast.Subscript(value=value, slice=index):
            return ast.Subscript(value, index, ast.Load())
    return target


FAMILIES = (
    StatementFamily("where a line stands", _moved, "whether it belongs inside or outside"),
    StatementFamily("the order of two lines", _exchanged, "which of the lines comes first"),
    StatementFamily("a line too many", _left_out, "whether this line is needed"),
    StatementFamily(
        "what a line stores, and where", _kept_otherwise, "what its left side holds afterwards"
    ),
    StatementFamily("a missing `return`", _returned, "what the function gives back"),
    StatementFamily("an error that is returned", _raised, "whether the error is raised"),
)
RARER = (
    StatementFamily(
        "a missing line",
        _said_of_another,
        "whether the same has to be done with something else as well",
    ),
)
