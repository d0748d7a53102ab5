"""Wrong answers made of right ones: small changes of their source, as a slip would make them.

They are made independently of the table by which the learner's check looks for a place.
"""

import ast
import copy
import random
from collections.abc import Iterator
from dataclasses import dataclass

_AXIS_WORDS = {"dim", "axis"}
_SWITCHED = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Div,),
    ast.Pow: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
}
_COMPARED = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
}
_RENAMED = {
    "triu": ("tril",),
    "tril": ("triu",),
    "sum": ("mean", "max"),
    "mean": ("sum",),
    "sin": ("cos",),
    "cos": ("sin",),
    "ones": ("zeros",),
    "zeros": ("ones",),
    "cat": ("stack",),
    "stack": ("cat",),
    "all": ("any",),
    "any": ("all",),
    "exp": ("square",),
    "repeat_interleave": ("repeat",),
    "concatenate": ("stack",),
    "max": ("min",),
    "argmax": ("argmin",),
}


_MARK = "a_mark_at_the_changed_line"


@dataclass(frozen=True)
class Changed:
    """A changed source, the lines of it that were changed, and what was done.

    Of two changes, `alone` has the sources with each of them, as far as lines tell them apart.
    """

    text: str
    lines: tuple[int, ...]
    what: str
    alone: tuple[str, ...] = ()


def one_step(text: str) -> list[Changed]:
    """Every change of one step of a function's or class's source, each once."""
    tree = _parsed(text)
    found: dict[str, Changed] = {}
    for place in _places(tree):
        changed = _changed(tree, place)
        found.setdefault(changed.text, changed)
    found.pop(ast.unparse(tree), None)
    return list(found.values())


def two_steps(text: str, rng: random.Random) -> Changed | None:
    """A change of two steps, drawn at random."""
    before = ast.unparse(_parsed(text))
    for _ in range(20):
        first = _drawn(before, rng)
        second = _drawn(first.text, rng) if first else None
        if first and second and before not in (first.text, second.text):
            lines = (*second.lines, *first.lines)
            alone = (first.text, *_without_first(before, first.text, second.text))
            return Changed(second.text, lines, f"{first.what}; {second.what}", alone)
    return None


def _without_first(before: str, first: str, both: str) -> Iterator[str]:
    """The source with the second of two changes alone, where they are in different lines."""
    texts = [text.split("\n") for text in (before, first, both)]
    if len({*map(len, texts)}) == 1:
        lines = [*zip(*texts, strict=True)]
        if not any(old != one != two for old, one, two in lines):
            yield "\n".join(two if two != one else old for old, one, two in lines)


def _drawn(text: str, rng: random.Random) -> Changed | None:
    tree = _parsed(text)
    places = list(_places(tree))
    return _changed(tree, rng.choice(places)) if places else None


@dataclass(frozen=True)
class _Place:
    """The how-manieth expression, or block, of a source, and which of its changes."""

    in_block: bool
    n: int
    k: int


def _places(tree: ast.Module) -> Iterator[_Place]:
    for n, slot in enumerate(_expressions(tree)):
        for k, _ in enumerate(_of_expression(slot.node())):
            yield _Place(False, n, k)
    for n, block in enumerate(_blocks(tree)):
        for k, _ in enumerate(_of_block(block)):
            yield _Place(True, n, k)


def _changed(tree: ast.Module, place: _Place) -> Changed:
    before, tree = ast.unparse(tree), copy.deepcopy(tree)
    if place.in_block:
        block = list(_blocks(tree))[place.n]
        what, block[:] = list(_of_block(block))[place.k]
        text = ast.unparse(ast.fix_missing_locations(tree))
        first = _first_difference(before, text)
        # What is missing is missing between two lines.
        return Changed(text, (first, first - 1)[: 1 + (what == "a line left out")], what)
    slot = list(_expressions(tree))[place.n]
    what, new = list(_of_expression(slot.node()))[place.k]
    slot.put(new)
    text = ast.unparse(ast.fix_missing_locations(tree))
    # Where it stands once it is written out: a mark in its place tells.
    slot.put(ast.copy_location(ast.Name(_MARK, ast.Load()), new))
    lines = ast.unparse(tree).splitlines()
    line = next((n for n, one in enumerate(lines, 1) if _MARK in one), 0)
    return Changed(text, (line,), what)


@dataclass(frozen=True)
class _Slot:
    holder: ast.AST
    field: str
    index: int | None

    def node(self) -> ast.expr:
        found = getattr(self.holder, self.field)
        node: ast.expr = found if self.index is None else found[self.index]
        return node

    def put(self, new: ast.AST) -> None:
        if self.index is None:
            setattr(self.holder, self.field, new)
        else:
            getattr(self.holder, self.field)[self.index] = new


def _first_difference(before: str, after: str) -> int:
    pairs = zip(before.splitlines(), after.splitlines(), strict=False)
    return next((n for n, (one, other) in enumerate(pairs, 1) if one != other), 1)


def _parsed(text: str) -> ast.Module:
    """A source without docstrings, and without what an exam says of it."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            if node in tree.body:
                node.decorator_list = []
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[1:] or [ast.Pass()]
    return tree


def _expressions(tree: ast.AST) -> Iterator[_Slot]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise | ast.arguments | ast.arg):
            continue
        for field, value in ast.iter_fields(node):
            if field in {"annotation", "returns", "decorator_list", "targets", "ctx", "bases"}:
                continue
            if isinstance(value, ast.expr):
                yield _Slot(node, field, None)
            for index, entry in enumerate(value if isinstance(value, list) else ()):
                if isinstance(entry, ast.expr):
                    yield _Slot(node, field, index)


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            continue
        for field in ("body", "orelse"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block:
                yield block


def _of_expression(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            for other in _SWITCHED.get(type(op), ()):
                yield "another operator", ast.BinOp(left, other(), right)
            if isinstance(op, ast.Sub | ast.Div | ast.MatMult | ast.Pow):
                yield "operands swapped", ast.BinOp(right, op, left)
            yield "a step left out", left
            if isinstance(op, ast.MatMult):
                yield "a transpose more", ast.BinOp(left, op, ast.Attribute(right, "T", ast.Load()))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            for other_op in _COMPARED.get(type(op), ()):
                yield "another comparison", ast.Compare(left, [other_op()], [right])
        case ast.Constant(value=bool(flag)):
            yield "the other truth", ast.Constant(not flag)
        case ast.Constant(value=int(number)):
            for other_number in dict.fromkeys((number + 1, number - 1, 0)):
                if other_number != number:
                    yield "another number", ast.Constant(other_number)
        case ast.Constant(value=float(number)):
            yield "another number", ast.Constant(number + 1)
            yield "another number", ast.Constant(number / 2)
        case ast.UnaryOp(op=ast.USub() | ast.Not() | ast.Invert(), operand=operand):
            yield "a sign left out", operand
        case ast.Tuple(elts=[first, second]):
            yield "results swapped", ast.Tuple([second, first], ast.Load())
        case ast.Attribute(value=value, attr="T" | "mT"):
            yield "a transpose less", value
        case ast.Subscript(value=value, slice=ast.Tuple(elts=[first, second]), ctx=ast.Load()):
            yield "indices swapped", ast.Subscript(value, ast.Tuple([second, first]), ast.Load())
        case ast.Call():
            yield from _of_call(node)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield "the other way round", ast.IfExp(test, orelse, body)


def _of_call(node: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    for n, word in enumerate(node.keywords):
        rest = [*node.keywords[:n], *node.keywords[n + 1 :]]
        if word.arg in {"keepdims", "keepdim", "diagonal", "bias", "dtype", "persistent"}:
            yield f"no {word.arg}", ast.Call(node.func, node.args, rest)
        if word.arg in _AXIS_WORDS:
            for axis in (-1, -2, 0, 1):
                other = ast.keyword(word.arg, ast.parse(str(axis), mode="eval").body)
                if ast.dump(other.value) != ast.dump(word.value):
                    yield "another axis", ast.Call(node.func, node.args, [*rest, other])
    if len(node.args) >= 2:
        yield (
            "arguments swapped",
            ast.Call(node.func, [node.args[1], node.args[0], *node.args[2:]], node.keywords),
        )
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if isinstance(node.func, ast.Attribute):
        for other_name in _RENAMED.get(name, ()):
            function = ast.Attribute(node.func.value, other_name, ast.Load())
            yield "another function", ast.Call(function, node.args, node.keywords)
        if name in {"transpose", "masked_fill", "clone", "swapaxes", "repeat_interleave"}:
            yield "a step left out", node.func.value
    if name in {"softmax", "dropout", "sqrt", "exp", "abs", "out_proj", "cat"} and node.args:
        yield "a step left out", node.args[0]


def _of_block(body: list[ast.stmt]) -> Iterator[tuple[str, list[ast.stmt]]]:
    for n, one in enumerate(body):
        rest = [*body[:n], *body[n + 1 :]]
        if isinstance(one, ast.Assign | ast.AugAssign | ast.If | ast.Expr) and rest:
            yield "a line left out", rest
        if isinstance(one, ast.For) and n + 1 < len(body) and isinstance(body[n + 1], ast.Return):
            inside = ast.For(one.target, one.iter, [*one.body, body[n + 1]], one.orelse)
            yield "the return inside the loop", [*body[:n], inside, *body[n + 2 :]]
        if isinstance(one, ast.Assign) and n + 1 < len(body):
            yield "two lines exchanged", [*body[:n], body[n + 1], one, *body[n + 2 :]]
        if isinstance(one, ast.AugAssign):
            yield "not added up", [*body[:n], ast.Assign([one.target], one.value), *body[n + 1 :]]
    for n, one in enumerate(body):
        yield from (
            ("a wrong name", [*body[:n], new, *body[n + 1 :]]) for new in _names_exchanged(one)
        )


_LIBRARIES = {"self", "torch", "np", "nn", "math"}


def _names_exchanged(statement: ast.stmt) -> Iterator[ast.stmt]:
    """The statement with one of two names that it uses in the place of the other."""
    if not isinstance(statement, ast.Assign | ast.Return | ast.AugAssign):
        return
    called = {id(node.func) for node in ast.walk(statement) if isinstance(node, ast.Call)}
    names = [one for one in _used(statement) if id(one) not in called]
    words = sorted({one.id for one in names})
    for n, one in enumerate(_used(statement)):
        for other in words if id(one) not in called else ():
            if other != one.id:
                changed = copy.deepcopy(statement)
                _used(changed)[n].id = other
                yield changed


def _used(statement: ast.stmt) -> list[ast.Name]:
    return [
        node
        for node in ast.walk(statement)
        if isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Load)
        and node.id not in _LIBRARIES
    ]
