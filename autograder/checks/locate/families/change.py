"""What a family of small changes is, and what its changes can see of the code around them."""

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType
from typing import Any


@dataclass(frozen=True)
class Scope:
    """What is around a piece of code.

    Attributes:
        names: the parameters and local names of the function that it stands in.
        attributes: what the class around it keeps in `self`, if there is one.
        namespace: what the notebook has under its names.
        kinds: of what kind the values of names and of "self.…" are, as far as that was seen.
        unused: of the names, and of "self.…", those of which nothing is made.
    """

    names: tuple[str, ...]
    attributes: tuple[str, ...]
    namespace: Mapping[str, object] = field(repr=False)
    kinds: Mapping[str, str] = field(default_factory=dict, repr=False)
    unused: tuple[str, ...] = ()

    def are_alike(self, one: str, other: str) -> bool:
        """Whether two names hold values of one kind, as far as is known."""
        kinds = {self.kinds.get(one, ""), self.kinds.get(other, "")} - {""}
        return len(kinds) < 2

    def is_module(self, node: ast.expr) -> bool:
        """Whether an expression is an imported module, such as `torch.nn.functional`."""
        return isinstance(self._found(node), ModuleType)

    def _found(self, node: ast.expr) -> object:
        match node:
            case ast.Name(id=name) if name not in self.names:
                return self.namespace.get(name)
            case ast.Attribute(value=value, attr=name):
                within = self._found(value)
                return vars(within).get(name) if isinstance(within, ModuleType) else None
        return None


MOST_QUOTED = 40

Changes = Callable[[ast.expr, Scope], Iterator[ast.expr]]
# From a block and a place in it to the statement that changes there, and what the block is then.
Reordered = Callable[[list[ast.stmt], int, Scope], Iterator[tuple[ast.stmt, list[ast.stmt]]]]


@dataclass(frozen=True)
class Family:
    """Small changes of an expression that belong together.

    Attributes:
        about: what they are about, after "The change is about".
        changes: what else could stand in the place of an expression.
        more: the same, narrowed down; `{}` stands for the expression, or for what it calls.
        of_call: whether it is what is called that `{}` stands for.
        from_the_end: whether it is more often at the end of an answer than at its beginning.
    """

    about: str
    changes: Changes
    more: str
    of_call: bool = False
    from_the_end: bool = False

    def quoted(self, node: ast.AST) -> str:
        """What of a place is quoted in `more`."""
        name = called(node) if self.of_call else ""
        text = name or (ast.unparse(node) if isinstance(node, ast.expr) else "")
        return text if len(text) <= MOST_QUOTED and "`" not in text else ""


@dataclass(frozen=True)
class StatementFamily:
    """Small changes of what a block does, at one of its statements."""

    about: str
    changes: Reordered
    more: str

    def quoted(self, node: ast.AST) -> str:
        """Nothing: the line says it all."""
        return ""


def in_words(family: Family | StatementFamily, quoted: str) -> str:
    """What narrows a place down, with what is quoted of it."""
    return family.more.format(f"`{quoted}`" if quoted else "a longer expression")


def called(node: ast.AST) -> str:
    """The name by which something is called: `softmax` for `torch.softmax(x, dim=1)`."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return name
    return ""


def number_in(node: ast.expr) -> int | float | None:
    """The number that is written here, with its sign."""
    match node:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
    return None


@cache
def written(text: str) -> ast.expr:
    """The expression that is written so; always the same one, which may stand in many places."""
    return ast.parse(text, mode="eval").body


def with_arguments(call: ast.Call, arguments: list[ast.expr]) -> ast.Call:
    """The same call with other arguments by position."""
    return ast.Call(call.func, arguments, call.keywords)


def replaced(node: Any, found: Mapping[str, ast.expr]) -> Any:
    """A copy of a piece of code in which other expressions stand for some of its names."""
    if isinstance(node, ast.Name) and node.id in found:
        return found[node.id]
    if isinstance(node, list):
        return [replaced(one, found) for one in node]
    if not isinstance(node, ast.AST) or not node._fields:
        return node
    return type(node)(**{name: replaced(value, found) for name, value in ast.iter_fields(node)})
