"""What a statement at the top of a cell does to names: gives them a meaning, uses them, and changes
what they stand for.

A function's body counts where the function is used, not where it is written.
"""

import ast
import symtable
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from autograder.checks.source.words import words

_Names = frozenset[str]
_NONE: _Names = frozenset()


# Methods that leave lists, dicts, strings, arrays, tensors and frames as they are.
_LOOKS = words(
    "items keys values copy get index count mean sum std var min max head tail format join split "
    "strip lower upper reshape tolist detach numpy clone cpu item round dot argmax argmin ravel "
    "flatten astype all any size dim numel float double long int transpose unique startswith "
    "endswith replace encode decode describe groupby isna notna state_dict parameters"
)
WRITES = words(
    "append extend insert add update pop popitem popleft appendleft extendleft remove discard "
    "clear sort reverse setdefault fill resize put itemset seed shuffle rotate write writelines "
    "difference_update intersection_update symmetric_difference_update"
)
# Functions that write into what they are given.
FILLS = words(
    "setattr delattr next shuffle heappush heappop heapify heapreplace heappushpop insort "
    "insort_left insort_right fill_diagonal copyto place putmask put"
)


@dataclass(frozen=True)
class Effects:
    """The names that a statement binds, uses, changes for sure, and may change."""

    binds: _Names = _NONE
    uses: _Names = _NONE
    changes: _Names = _NONE
    may_change: _Names = _NONE

    def __or__(self, other: "Effects") -> "Effects":
        return Effects(
            self.binds | other.binds,
            self.uses | other.uses,
            self.changes | other.changes,
            self.may_change | other.may_change,
        )


@dataclass
class Reader:
    """Reads statements in their order: what a function does is known once it was read."""

    functions: dict[str, Effects] = field(default_factory=dict)
    # Functions that write into what they are given.
    writers: set[str] = field(default_factory=set)
    # What a name may be another name for, or a part of.
    aliases: dict[str, set[str]] = field(default_factory=dict)

    def read(self, statement: ast.stmt) -> Effects:
        """What a statement does, with the bodies of the functions that it uses."""
        own, later = _scopes(statement)
        changes, may = self._changes(statement)
        if (name := defined_by(statement)) is not None:
            known = _map(_aliases(statement))
            changes, may = _known_as(changes, known), _known_as(may, known)
            if (changes | may) & _parameters(statement):
                self.writers.add(name)
            outer = later.uses | later.binds
            self.functions[name] = self._whole(
                replace(later, changes=changes & outer, may_change=may & outer)
            )
            return own
        for name in own.binds:
            self.functions.pop(name, None)
            self.writers.discard(name)
        for alias, names in _map(_aliases(statement)).items():
            self.aliases.setdefault(alias, set()).update(names)
        found = self._whole(own | later | Effects(changes=changes, may_change=may))
        return replace(
            found,
            changes=_known_as(found.changes, self.aliases),
            may_change=_known_as(found.may_change, self.aliases),
        )

    def forget(self, names: Iterable[str]) -> None:
        """From here on these names are a student's: what they do is not known."""
        for name in names:
            self.functions.pop(name, None)
            self.writers.discard(name)

    def _whole(self, effects: Effects) -> Effects:
        for name in effects.uses:
            effects |= self.functions.get(name, Effects())
        return effects

    def _changes(self, statement: ast.stmt) -> tuple[_Names, _Names]:
        sure, perhaps = set[str](), set[str]()
        for node in ast.walk(statement):
            match node:
                case ast.AugAssign(target):
                    sure |= root_of(target)
                case ast.Subscript(ctx=ast.Store() | ast.Del()):
                    sure |= root_of(node)
                case ast.Attribute(ctx=ast.Store() | ast.Del()):
                    sure |= root_of(node)
                case ast.Call(ast.Attribute(of, method)):
                    if method in WRITES or method.endswith("_"):
                        sure |= root_of(of)
                    elif method not in _LOOKS:
                        perhaps |= root_of(of)
                    if method in FILLS:
                        sure |= _roots(node.args[:1])
                case ast.Call(ast.Name(name)) if name in FILLS:
                    sure |= _roots(node.args[:1])
                case ast.Call(ast.Name(name)) if name in self.writers:
                    sure |= _roots([*node.args, *(word.value for word in node.keywords)])
        return frozenset(sure), frozenset(perhaps - sure)


def _known_as(names: _Names, aliases: Mapping[str, set[str]]) -> _Names:
    found, left = set(names), list(names)
    while left:
        more = aliases.get(left.pop(), set()) - found
        found |= more
        left += more
    return frozenset(found)


def _map(pairs: Iterable[tuple[str, set[str]]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, names in pairs:
        found.setdefault(name, set()).update(names)
    return found


def _parameters(statement: ast.stmt) -> set[str]:
    """The parameters of a function, or of a class's methods but for what they call self."""
    found = set[str]()
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            named = [*node.args.posonlyargs, *node.args.args]
            own = named[1:] if isinstance(statement, ast.ClassDef) else named
            found |= {one.arg for one in (*own, *node.args.kwonlyargs)}
    return found


def root_of(node: ast.AST) -> set[str]:
    """The name at the beginning of `name.attribute[index]`, if there is one."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def _roots(nodes: Iterable[ast.AST]) -> set[str]:
    return set[str]().union(*map(root_of, nodes))


def defined_by(statement: ast.stmt) -> str | None:
    match statement:
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
            return name
        case ast.Assign([ast.Name(name)], ast.Lambda()):
            return name
    return None


def _aliases(statement: ast.stmt) -> Iterator[tuple[str, set[str]]]:
    """Names that may stand for the same object as others, or for a part of it, from here on."""
    for node in ast.walk(statement):
        match node:
            case ast.Assign(targets, value):
                pairs = [(target, value) for target in targets]
            case ast.AnnAssign(target, _, ast.expr() as value) | ast.NamedExpr(target, value):
                pairs = [(target, value)]
            case ast.For(target, value) | ast.comprehension(target, value):
                pairs = [(target, value)]
            case ast.withitem(value, ast.expr() as target):
                pairs = [(target, value)]
            case _:
                continue
        for target, value in pairs:
            names = set(_shared(value))
            for one in ast.walk(target):
                if isinstance(one, ast.Name) and names - {one.id}:
                    yield one.id, names - {one.id}
                    if isinstance(target, ast.Name) and isinstance(node, ast.Assign):
                        # Either may be written to: `row = table[0]`, `table = [row]`.
                        for name in names - {one.id}:
                            yield name, {one.id}


def _shared(value: ast.expr) -> Iterator[str]:
    """The names whose objects a value may hold: not those that it computes something new from."""
    match value:
        case ast.Name(name):
            yield name
        case ast.Attribute(of) | ast.Subscript(of) | ast.Starred(of) | ast.NamedExpr(_, of):
            yield from _shared(of)
        case ast.Tuple(entries) | ast.List(entries) | ast.Set(entries):
            for entry in entries:
                yield from _shared(entry)
        case ast.Dict(_, entries):
            for entry in entries:
                yield from _shared(entry)
        case ast.IfExp(_, one, other):
            yield from _shared(one)
            yield from _shared(other)
        case ast.BoolOp(_, entries):
            for entry in entries:
                yield from _shared(entry)
        case ast.Call(ast.Name("zip" | "enumerate" | "reversed" | "iter"), args):
            for entry in args:
                yield from _shared(entry)
        case ast.Call(ast.Attribute(of, "items" | "values" | "reshape" | "view" | "ravel"), _):
            yield from _shared(of)


def names_in(statement: ast.stmt) -> Effects:
    """The notebook's names that a statement binds and uses, in the bodies of functions too."""
    now, later = _scopes(statement)
    return now | later


def locals_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The names that a function has for itself alone; none where its scopes can't be told."""
    try:
        (scope,) = _table(function).get_children()
    except (SyntaxError, ValueError, RecursionError):
        return set()
    return {one.get_name() for one in scope.get_symbols() if one.is_local()}


def _table(statement: ast.stmt) -> symtable.SymbolTable:
    return symtable.symtable(ast.unparse(statement), "<cell>", "exec")


def _scopes(statement: ast.stmt) -> tuple[Effects, Effects]:
    """What a statement does at once, and what a function that it defines does when it is used."""
    table = _table(statement)
    now = Effects(
        binds=frozenset(one.get_name() for one in table.get_symbols() if _is_bound(one)),
        uses=frozenset(one.get_name() for one in table.get_symbols() if one.is_referenced()),
    )
    inside = Effects()
    for scope in table.get_children():
        inside |= _globals_in(scope)
    if defined_by(statement) is not None:
        return now, inside
    return now | inside, Effects()


def _is_bound(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported()


def _globals_in(scope: symtable.SymbolTable) -> Effects:
    found = Effects(
        binds=frozenset(
            one.get_name()
            for one in scope.get_symbols()
            if one.is_declared_global() and _is_bound(one)
        ),
        uses=frozenset(one.get_name() for one in scope.get_symbols() if one.is_global()),
    )
    for inner in scope.get_children():
        found |= _globals_in(inner)
    return found
