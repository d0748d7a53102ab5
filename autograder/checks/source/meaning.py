"""What do the names in an answer mean: what its author has made, or what a library offers?

A name means a library's where an import binds it to that, or an assignment to a part of it, and
nothing else; and where its author binds it nowhere, for then it comes from a given cell or from
Python. A parameter, a variable, a function or a class of one's own may be called as one likes, and
so may the key of a dict or the text of a message. What a reader can't tell for certain (an
attribute of `self`, a name that is made when the code runs) is not said here; who watches the
answer run can see it.
"""

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import TypeAlias

from autograder.checks.source.cell_code import DEEPEST
from autograder.checks.source.own_files import is_own
from autograder.checks.source.written import (
    RUN,
    Source,
    Statement,
    Written,
    bindings,
    defaults,
    inside,
    parsed,
    words_in,
)

_FUNCTION: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_GETTERS = {"get", "pop", "__getitem__"}
# What finds something by a text: pkgutil's, pydoc's and inspect's.
_FINDERS = {"resolve_name", "locate", "getattr_static"}
_MOST_STEPS = 30  # from one local name to the next


@dataclass
class _Scope:
    """The names that a function, a class or a comprehension binds, and what it stands in."""

    parent: "_Scope | None"
    bound: Mapping[str, list[Source]]
    of_module: frozenset[str] = frozenset()  # by `global`
    is_class: bool = False
    later: bool = False  # whether its code runs when the statement has long been run


@dataclass
class Meaning:
    """Tells of all code of a submission what its names lead to.

    Attributes:
        written: the code.
        live: what names that are not bound in it have for their values, where that is known.
    """

    written: Written
    live: Mapping[str, object] | None = None
    _bound: dict[tuple[str, str], list[tuple[int, bool]]] = field(default_factory=dict, init=False)
    _place: dict[Statement, int] = field(default_factory=dict, init=False)
    _found: dict[Statement, Sequence[tuple[str, int]]] = field(default_factory=dict, init=False)
    _at: int = field(default=0, init=False)
    _file: str = field(default="", init=False)

    def __post_init__(self) -> None:
        self._modules = {file.partition(".")[0] for file in self.written.files}
        for place, one in enumerate(self.written.statements):
            self._place[one] = self._at = place
            self._file = one.file
            bound = bindings([one.tree], self._modules) if one.tree else {}
            found = [
                (name, self._is_of_library(source, None))
                for name, sources in bound.items()
                for source in sources
            ]
            for name, is_of_library in found:
                self._bound.setdefault((one.file, name), []).append((place, is_of_library))

    def of_libraries(self, one: Statement) -> Sequence[tuple[str, int]]:
        """The libraries' names that a statement leads to, each with its line."""
        if one not in self._found:
            self._found[one] = self._libraries_in(one)
        return self._found[one]

    def _libraries_in(self, one: Statement) -> Sequence[tuple[str, int]]:
        if one.tree is None:
            return list(_words(one.text))
        self._at, self._file = self._place[one], one.file
        try:
            return list(self._read([one.tree], None, 0))
        except RecursionError:
            return list(_words(one.text))

    def _read(
        self, nodes: Iterable[ast.AST], scope: _Scope | None, depth: int
    ) -> Iterator[tuple[str, int]]:
        left = [(node, scope) for node in nodes]
        while left:
            node, scope = left.pop()
            match node:
                case ast.Name(id=name, ctx=ast.Load()):
                    yield from ((found, node.lineno) for found in self._named(name, scope))
                case ast.Attribute(value=value, attr=name, ctx=ast.Load()):
                    if self._is_of_library(value, scope):
                        yield name, node.lineno
                case ast.Import() | ast.ImportFrom():
                    yield from ((name, node.lineno) for name in self._imported(node))
                case ast.Subscript():
                    yield from ((name, node.lineno) for name in self._looked_up(node, scope))
                case ast.Call():
                    yield from ((name, node.lineno) for name in self._asked_for(node, scope))
                    yield from self._run(node, scope, depth)
            left += _parts(node, scope, self._modules)

    def _named(self, name: str, scope: _Scope | None) -> Iterator[str]:
        if _lookup(name, scope) is not None or not self._is_given(name, scope):
            return
        yield name
        if name in self.written.given:
            yield self.written.given[name]
        if self.live is not None and name in self.live:
            yield path_of(self.live[name])

    def _imported(self, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
        names = [alias.name for alias in node.names]
        if isinstance(node, ast.Import):
            yield from (name for name in names if not self._is_beside(name))
        elif not node.level and not self._is_beside(node.module or ""):
            yield from [node.module or "", *names]

    def _looked_up(self, node: ast.Subscript, scope: _Scope | None) -> Iterator[str]:
        """`vars(torch)["exp"]` and its like."""
        text = _text(node.slice)
        match node.value:
            case ast.Call(func=ast.Name(id="globals" | "locals")):
                yield from self._named(text, scope) if text else ()
            case ast.Call(func=ast.Name(id="vars"), args=[_]) | ast.Attribute(attr="__dict__"):
                yield from [text] if self._is_of_library(node.value, scope) else ()
            case ast.Attribute(attr="modules") if not self._is_beside(text):
                yield from [text] if self._is_of_library(node.value, scope) else ()

    def _asked_for(self, node: ast.Call, scope: _Scope | None) -> Iterator[str]:
        """What is asked for by its name: `getattr(torch, "exp")` and its like."""
        texts = [text for text in map(_text, node.args) if text]
        match node:
            case ast.Call(func=ast.Name(id="getattr"), args=[asked, *_]):
                yield from texts if self._is_of_library(asked, scope) else ()
            case ast.Call(func=ast.Attribute(value=asked, attr="__getattribute__" | "__getattr__")):
                yield from texts if self._is_of_library(asked, scope) else ()
            case ast.Call(func=ast.Call(args=names) as getter, args=[asked]):
                if _called(getter) == "attrgetter" and self._is_of_library(asked, scope):
                    yield from filter(None, map(_text, names))
            case ast.Call(func=ast.Attribute(value=table, attr=getter)) if getter in _GETTERS:
                for text in texts[:1]:
                    asked_for = ast.Subscript(table, ast.Constant(text), ast.Load())
                    yield from self._looked_up(asked_for, scope)
        if _called(node) in ("__import__", "import_module"):
            yield from (text for text in texts if not self._is_beside(text))
        if _called(node) in _FINDERS:
            yield from (text.replace(":", ".") for text in texts)

    def _run(self, node: ast.Call, scope: _Scope | None, depth: int) -> Iterator[tuple[str, int]]:
        """What text leads to that is run as code; of one that is not Python, all words."""
        if _called(node) not in RUN or _is_method_of_ones_own(node):
            return
        for text in filter(None, map(_text, [*node.args, *(word.value for word in node.keywords)])):
            body = parsed(text) if depth < DEEPEST else None
            if body is None:
                found: Iterable[tuple[str, int]] = _words(text)
            else:
                inner = _Scope(scope, bindings(body, self._modules))
                found = self._read(body, inner, depth + 1)
            yield from ((name, node.lineno) for name, _ in found)

    def _is_of_library(self, source: Source, scope: _Scope | None, steps: int = 0) -> bool:
        """Whether what an expression gives is a library's, and certainly so."""
        while True:
            match source:
                case bool():
                    return source
                case ast.Attribute(value=value) | ast.Subscript(value=value):
                    source = value
                case ast.NamedExpr(value=value):
                    source = value
                case (
                    ast.List(elts=several)
                    | ast.Tuple(elts=several)
                    | ast.Dict(values=several)
                    | ast.BoolOp(values=several)
                ):
                    return self._is_any_of_library(several, scope, steps)
                case ast.IfExp(body=one, orelse=other):
                    return self._is_any_of_library([one, other], scope, steps)
                case ast.Call(func=ast.Name(id="getattr" | "vars"), args=[value, *_]):
                    source = value
                case ast.Call(args=[name, *_]) if _called(source) in (
                    "__import__",
                    "import_module",
                ):
                    return bool(_text(name)) and not self._is_beside(_text(name))
                case ast.Name(id=name):
                    found = _lookup(name, scope)
                    if found is None:
                        return self._is_given(name, scope)
                    sources, where = found
                    return steps < _MOST_STEPS and all(
                        self._is_of_library(one, where, steps + 1) for one in sources
                    )
                case _:
                    return False

    def _is_any_of_library(
        self, several: Iterable[Source], scope: _Scope | None, steps: int
    ) -> bool:
        """Whether any of several expressions is a library's."""
        return steps < _MOST_STEPS and any(
            self._is_of_library(one, scope, steps + 1) for one in several
        )

    def _is_given(self, name: str, scope: _Scope | None) -> bool:
        """Whether a name of the notebook's or file's is a library's, or from a given cell."""
        later = scope is not None and scope.later
        here = [of for at, of in self._bound.get((self._file, name), ()) if later or at < self._at]
        if (self._file, "*") in self._bound:
            here += [
                of for file in self.written.files for _, of in self._bound.get((file, name), ())
            ]
        if here:
            return all(here)
        return self.live is None or name not in self.live or is_of_others(self.live[name])

    def _is_beside(self, module: str) -> bool:
        return module.partition(".")[0] in self._modules


def path_of(value: object) -> str:
    """The full name that a library has given to a function, a class or a module."""
    if isinstance(value, ModuleType):
        return value.__name__
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    return f"{getattr(value, '__module__', '')}.{name}" if isinstance(name, str) else ""


def is_of_others(value: object) -> bool:
    """Whether a value is a module, function or class, and not of a cell or a file beside it."""
    if isinstance(value, ModuleType):
        return not is_own(getattr(value, "__file__", None) or "")
    module = getattr(value, "__module__", None)
    if not callable(value) or not hasattr(value, "__name__") or module == "__main__":
        return False
    # A class says by its methods where it stands: its module may have been taken away.
    parts = [value, *vars(value).values()] if isinstance(value, type) else [value]
    code = next((part.__code__ for part in parts if hasattr(part, "__code__")), None)
    home = getattr(sys.modules.get(str(module)), "__file__", None)
    return not is_own(code.co_filename if code else home or "")


def _parts(
    node: ast.AST, scope: _Scope | None, modules: set[str]
) -> Iterator[tuple[ast.AST, _Scope | None]]:
    """What a node is made of, each part with the scope that its names are looked up in."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
            inner = _of_function(node, scope, modules)
            body = node.body if isinstance(node.body, list) else [node.body]
            yield from _split(node, body, inner, scope)
        case ast.ClassDef(body=body):
            inner = _Scope(scope, bindings(body, modules), is_class=True, later=_is_later(scope))
            yield from _split(node, body, inner, scope)
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            bound = bindings([one.target for one in node.generators], modules)
            inner = _Scope(scope, bound, later=_is_later(scope))
            yield node.generators[0].iter, scope
            yield from ((one, inner) for one in ast.iter_child_nodes(node))
        case _:
            yield from ((one, scope) for one in ast.iter_child_nodes(node))


def _split(
    node: ast.AST, body: Sequence[ast.AST], inner: _Scope, outer: _Scope | None
) -> Iterator[tuple[ast.AST, _Scope | None]]:
    of_body = {id(one) for one in body}
    for one in ast.iter_child_nodes(node):
        yield one, inner if id(one) in of_body else outer


def _of_function(node: _FUNCTION, scope: _Scope | None, modules: set[str]) -> _Scope:
    body = node.body if isinstance(node.body, list) else [node.body]
    bound = bindings(body, modules)
    for one in ast.walk(node.args):
        if isinstance(one, ast.arg):
            bound[one.arg] = [None]
    # Who calls an answer leaves alone what it has for a default.
    bound |= {name: [default] for name, default in defaults(node.args)}
    within = list(inside(body))
    for one in within:
        if isinstance(one, ast.Nonlocal | ast.Global):
            for name in one.names:
                bound.pop(name, None)
    of_module = {name for one in within if isinstance(one, ast.Global) for name in one.names}
    return _Scope(scope, bound, frozenset(of_module), later=True)


def _is_later(scope: _Scope | None) -> bool:
    return scope is not None and scope.later


def _lookup(name: str, scope: _Scope | None) -> tuple[list[Source], _Scope] | None:
    """What binds a name within a statement, and where; None if nothing does."""
    first = scope
    while scope is not None and name not in scope.of_module:
        if name in scope.bound and (scope is first or not scope.is_class):
            return scope.bound[name], scope
        scope = scope.parent
    return None


def _called(node: ast.Call) -> str:
    """The last word of what is called."""
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _is_method_of_ones_own(node: ast.Call) -> bool:
    """`model.eval(…)` and `re.compile(…)` run no text."""
    match node.func:
        case ast.Attribute(value=value, attr="exec" | "eval" | "compile"):
            return not (isinstance(value, ast.Name) and value.id in ("builtins", "__builtins__"))
    return False


def _text(node: ast.AST) -> str:
    """A text that stands in the code as it is, or in parts; of all else nothing."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            parts = [left, right]
        case ast.JoinedStr(values=parts):
            pass
        case _:
            return ""
    texts = [_text(part) for part in parts]
    return "".join(texts) if all(texts) else ""


def _words(text: str) -> Iterator[tuple[str, int]]:
    for number, line in enumerate(text.splitlines(), start=1):
        yield from ((word, number) for word in words_in(line))
