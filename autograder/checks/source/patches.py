"""What code changes of the libraries that it shares with the grader: `torch.softmax = mine`.

In a student's process that is no more than a part of the answer, and gains nothing. Whoever looks
at a submission should know of it all the same. What is told is what can be read off the text.
"""

import ast
from collections.abc import Iterable, Iterator

from autograder.checks.source.cell_code import statements_of

SHARED = ("autograder", "companion", "numpy", "torch")
_SETTERS = ("setattr", "delattr")


def patches_in(texts: Iterable[str]) -> list[str]:
    """The attributes of shared libraries that cells give another value, each once, in their order.

    Args:
        texts: the cells, in the order in which they run.
    """
    named: dict[str, str] = {}
    found: dict[str, None] = {}
    for text in texts:
        for statement in statements_of(text):
            for node in ast.walk(statement):
                named |= dict(_imported(node))
                found |= dict.fromkeys(_changed(node, named))
    return list(found)


def _imported(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The names that an import gives to what is shared, and what these lead to."""
    match node:
        case ast.Import(names):
            for one in names:
                top = one.name.partition(".")[0]
                if top in SHARED:
                    yield one.asname or top, one.name if one.asname else top
        case ast.ImportFrom(module=str(module), names=names, level=0):
            if module.partition(".")[0] in SHARED:
                yield from ((one.asname or one.name, f"{module}.{one.name}") for one in names)


def _changed(node: ast.AST, named: dict[str, str]) -> Iterator[str]:
    match node:
        case ast.Attribute(ctx=ast.Store() | ast.Del()):
            if path := _path(node, named):
                yield path
        case ast.Call(ast.Name(setter), [owner, ast.Constant(str(name)), *_]):
            if setter in _SETTERS and (path := _path(owner, named)):
                yield f"{path}.{name}"


def _path(node: ast.expr, named: dict[str, str]) -> str:
    """The full name of an attribute of what is shared; "" for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in named:
        return ""
    return ".".join([named[node.id], *reversed(parts)])
