"""Every place in a source at which a small change can be made, and the making of it."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.checks.locate.families.change import Scope
from autograder.checks.locate.seen import Kinds
from autograder.checks.locate.source import AnswerSource, Definition

_NOT_CHANGED = {"annotation", "returns", "decorator_list", "type_comment", "ctx", "type_params"}
# Called at the beginning of every turn of a loop, so that a changed one comes to an end.
TICK = "_tick_"


@dataclass(frozen=True)
class Slot:
    """A place at which something else can stand: a field of a node, or an entry of that.

    It makes no difference to a call that runs none of `lines`, from the first to the last.
    """

    holder: ast.AST
    field: str
    index: int | None
    scope: Scope
    lines: tuple[int, int] | None

    @property
    def content(self) -> Any:
        """What stands there."""
        found = getattr(self.holder, self.field)
        return found if self.index is None else found[self.index]

    def put(self, content: Any) -> None:
        """Have something else stand there."""
        if self.index is None:
            setattr(self.holder, self.field, content)
        else:
            getattr(self.holder, self.field)[self.index] = content


def slots_of(source: AnswerSource, kinds: Kinds) -> tuple[list[Slot], list[Slot]]:
    """All expressions of a source's functions, and all of their blocks, in their order."""
    slots = list(_slots(source, kinds))
    is_block = [isinstance(slot.content, list) for slot in slots]
    return (
        [slot for slot, block in zip(slots, is_block, strict=True) if not block],
        [slot for slot, block in zip(slots, is_block, strict=True) if block],
    )


def with_ticks(source: AnswerSource) -> None:
    """Have every loop of a source count its turns, and every function within another its calls."""
    tick = ast.parse(f"{TICK}()").body[0]
    for definition in source.definitions:
        outer = _functions(definition)
        for node in ast.walk(definition):
            if isinstance(node, ast.For | ast.While | ast.FunctionDef) and node not in outer:
                node.body.insert(0, ast.copy_location(tick, node))


def is_tick(statement: ast.stmt) -> bool:
    """Whether this statement is ours."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id=name))):
            return name == TICK
    return False


def _slots(source: AnswerSource, kinds: Kinds) -> Iterator[Slot]:
    for definition in source.definitions:
        attributes = tuple(dict.fromkeys(_attributes(definition)))
        for function in _functions(definition):
            names, seen = _names(function), kinds.get(function.name, {})
            unused = tuple(_unused(names, function, attributes, definition))
            scope = Scope(names, attributes, source.namespace, seen, unused)
            yield from _within(function, scope, None)


def _functions(definition: Definition) -> Sequence[ast.FunctionDef]:
    if isinstance(definition, ast.FunctionDef):
        return [definition]
    return [one for one in definition.body if isinstance(one, ast.FunctionDef)]


def _within(node: ast.AST, scope: Scope, lines: tuple[int, int] | None) -> Iterator[Slot]:
    for name, content in ast.iter_fields(node):
        if name in _NOT_CHANGED:
            continue
        if isinstance(content, list) and content and isinstance(content[0], ast.stmt):
            yield Slot(node, name, None, scope, _head(content))
        children = enumerate(content) if isinstance(content, list) else [(None, content)]
        for index, child in children:
            if isinstance(child, ast.stmt) and (is_tick(child) or _is_text(child)):
                continue
            if isinstance(child, ast.expr):
                yield Slot(node, name, index, scope, lines)
            if isinstance(child, ast.AST):
                own = _head([child]) if isinstance(child, ast.stmt) else lines
                yield from _within(child, scope, own)


def _head(block: Sequence[ast.stmt]) -> tuple[int, int] | None:
    """The lines of a block's first statement, without those of the statements inside of that."""
    for one in block:
        if not is_tick(one) and not _is_text(one):
            inside = [part for part in getattr(one, "body", []) if not is_tick(part)]
            last = inside[0].lineno - 1 if inside else one.end_lineno or one.lineno
            return one.lineno, max(one.lineno, last)
    return None


def _is_text(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(value=ast.Constant(value=str())) | ast.Raise():
            return True
    return False


def _names(function: ast.FunctionDef) -> tuple[str, ...]:
    arguments = function.args
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    stored = [
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    return tuple(dict.fromkeys([*(one.arg for one in given), *stored]))


def _unused(
    names: Sequence[str],
    function: ast.FunctionDef,
    attributes: Sequence[str],
    definition: Definition,
) -> Iterator[str]:
    """The names, and attributes as "self.…", that nothing is made of."""
    loaded = [
        one for one in ast.walk(definition) if isinstance(getattr(one, "ctx", None), ast.Load)
    ]
    inside = {id(one) for one in ast.walk(function)}
    used = {one.id for one in loaded if isinstance(one, ast.Name) and id(one) in inside}
    yield from (name for name in names if name not in used and name.strip("_"))
    kept = {one.attr for one in loaded if isinstance(one, ast.Attribute)}
    yield from (f"self.{name}" for name in attributes if name not in kept)


def _attributes(definition: Definition) -> Iterator[str]:
    for node in ast.walk(definition):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                yield name
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="self"), attr="register_buffer"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield name
