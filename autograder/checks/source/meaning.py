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
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import TypeAlias

from autograder.checks.source.cell_code import DEEPEST
from autograder.checks.source.own_files import is_own
from autograder.checks.source.written import RUN, Statement, Written, parsed, words_in

_FUNCTION: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_GETTERS = {"get", "pop", "__getitem__"}
_MOST_STEPS = 30  # from one local name to the next

# What a name is bound to: an expression, a library's module (True), one's own (False) or whatever.
_Source: TypeAlias = ast.expr | bool | None


@dataclass
class _Scope:
    """The names that a function, a class or a comprehension binds, and what it stands in."""

    parent: "_Scope | None"
    bound: Mapping[str, list[_Source]]
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
            bound = _bindings([one.tree], self._modules) if one.tree else {}
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

    def _run(self, node: ast.Call, scope: _Scope | None, depth: int) -> Iterator[tuple[str, int]]:
        """What text leads to that is run as code; of one that is not Python, all words."""
        if _called(node) not in RUN or _is_method_of_ones_own(node):
            return
        for text in filter(None, map(_text, [*node.args, *(word.value for word in node.keywords)])):
            body = parsed(text) if depth < DEEPEST else None
            if body is None:
                found: Iterable[tuple[str, int]] = _words(text)
            else:
                inner = _Scope(scope, _bindings(body, self._modules))
                found = self._read(body, inner, depth + 1)
            yield from ((name, node.lineno) for name, _ in found)

    def _is_of_library(self, source: _Source, scope: _Scope | None, steps: int = 0) -> bool:
        """Whether what an expression gives is a library's, and certainly so."""
        while True:
            match source:
                case bool():
                    return source
                case ast.Attribute(value=value) | ast.Subscript(value=value):
                    source = value
                case ast.NamedExpr(value=value):
                    source = value
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
            inner = _Scope(scope, _bindings(body, modules), is_class=True, later=_is_later(scope))
            yield from _split(node, body, inner, scope)
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            bound = _bindings([one.target for one in node.generators], modules)
            inner = _Scope(scope, bound, later=_is_later(scope))
            yield node.generators[0].iter, scope
            yield from ((one, inner) for one in ast.iter_child_nodes(node))
        case _:
            yield from ((one, scope) for one in ast.iter_child_nodes(node))


def _split(
    node: ast.AST, body: Sequence[ast.AST], inner: _Scope, outer: _Scope | None
) -> Iterator[tuple[ast.AST, _Scope | None]]:
    inside = {id(one) for one in body}
    for one in ast.iter_child_nodes(node):
        yield one, inner if id(one) in inside else outer


def _of_function(node: _FUNCTION, scope: _Scope | None, modules: set[str]) -> _Scope:
    body = node.body if isinstance(node.body, list) else [node.body]
    bound = _bindings(body, modules)
    for one in ast.walk(node.args):
        if isinstance(one, ast.arg):
            bound[one.arg] = [None]
    inside = list(_inside(body))
    for one in inside:
        if isinstance(one, ast.Nonlocal | ast.Global):
            for name in one.names:
                bound.pop(name, None)
    of_module = {name for one in inside if isinstance(one, ast.Global) for name in one.names}
    return _Scope(scope, bound, frozenset(of_module), later=True)


def _is_later(scope: _Scope | None) -> bool:
    return scope is not None and scope.later


def _lookup(name: str, scope: _Scope | None) -> tuple[list[_Source], _Scope] | None:
    """What binds a name within a statement, and where; None if nothing does."""
    first = scope
    while scope is not None and name not in scope.of_module:
        if name in scope.bound and (scope is first or not scope.is_class):
            return scope.bound[name], scope
        scope = scope.parent
    return None


def _bindings(nodes: Iterable[ast.AST], modules: set[str]) -> dict[str, list[_Source]]:
    """The names that code binds where it stands, and to what; "*" for all of a file's."""
    bound = defaultdict[str, list[_Source]](list)
    for node in _inside(nodes):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Name):
                        bound[target.id].append(value)
            case ast.AnnAssign(target=ast.Name(id=name), value=value) if value:
                bound[name].append(value)
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                bound[name].append(value)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                bound[name].append(None)
            case ast.ClassDef(name=name):
                bound[name].append(None)
            case ast.Import(names=aliases):
                for alias in aliases:
                    top = alias.name.partition(".")[0]
                    bound[alias.asname or top].append(top not in modules)
            case ast.ImportFrom(names=aliases):
                top = (node.module or "").partition(".")[0]
                is_beside = bool(node.level) or top in modules
                for alias in aliases:
                    if alias.name != "*" or is_beside:
                        bound[alias.asname or alias.name].append(not is_beside)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                bound[name].append(None)
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                bound[name].append(None)
            case ast.Global(names=names):
                for name in names:
                    bound[name].append(None)
    simple = {id(target) for node in _inside(nodes) for target in _simple_targets(node)}
    for node in _inside(nodes):
        # Loops, unpacking, `with`, `+=`: whatever that gives.
        if (
            isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Store)
            and id(node) not in simple
        ):
            bound[node.id].append(None)
    return dict(bound)


def _simple_targets(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Assign(targets=targets):
            yield from targets
        case ast.AnnAssign(target=target) | ast.NamedExpr(target=target):
            yield target


def _inside(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes of the same scope; of inner scopes, what they bind outside of themselves."""
    left = list(nodes)
    while left:
        node = left.pop()
        yield node
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Lambda():
                yield from (one for one in ast.walk(node) if isinstance(one, ast.Global))
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                yield from (one for one in ast.walk(node) if isinstance(one, ast.NamedExpr))
            case _:
                left += ast.iter_child_nodes(node)


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
