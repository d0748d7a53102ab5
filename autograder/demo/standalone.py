"""An answer of an exam as a student would have written it: in a cell, under the exercise's name.

It can stand in a notebook only when all that it uses is there. It brings along the functions that
it calls and the classes that it derives from, where the notebook does not have them.
"""

import ast
import builtins
import dis
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType

_Definition = ast.FunctionDef | ast.ClassDef


def standing_alone(answer: Callable[..., object], name: str, known: set[str]) -> str:
    """The source of a function or class of an exam by another name, undocumented.

    Returns an empty string when it needs more than `known` names.
    """
    return "\n\n\n".join(map(ast.unparse, _definitions(answer, name, known) or []))


def with_body(source: str, body: str) -> str:
    """The same signature, or the same methods, over another body."""
    definition = ast.parse(source).body[0]
    assert isinstance(definition, ast.FunctionDef | ast.ClassDef)
    for function in _functions(definition):
        function.body = ast.parse(body).body
    return ast.unparse(definition)


def _definitions(answer: object, name: str, known: set[str]) -> list[_Definition] | None:
    """An answer behind the bases and helpers that the notebook lacks; None if it needs other names.

    A base may have the name of the exercise too: the class that comes last keeps it.
    """
    if not isinstance(answer, type | FunctionType) or answer.__name__ == "<lambda>":
        return None
    if isinstance(answer, FunctionType) and answer.__closure__:
        # What it was made from is not in its source.
        return None
    definition, brought = _definition(answer), list[_Definition]()
    for place, (written, base) in enumerate(_bases(definition, answer)):
        if not known.issuperset(_names(written)):
            # Two bases may have a base in common: one class of it is enough, and all else is wrong.
            have = {one.name for one in brought}
            needed = _definitions(base, base.__name__, known) or []
            brought += [one for one in needed if one.name not in have]
            definition.bases[place] = ast.Name(base.__name__)  # type: ignore[union-attr]
    for statement in definition.body:
        # A function that calls itself; a base of the same name is another class, and keeps it.
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and node.id == definition.name:
                node.id = name
    definition.name = name
    have = known | {one.name for one in brought}
    for missing in sorted(_needed(definition) - have):
        helper = vars(sys.modules[answer.__module__]).get(missing)
        found = isinstance(helper, FunctionType) and _definitions(helper, missing, have | {missing})
        if not found:
            return None
        brought += found
    return [*brought, definition]


def _bases(definition: _Definition, answer: type | FunctionType) -> list[tuple[ast.expr, type]]:
    """The bases of a class, as they are written and as they are."""
    if not isinstance(definition, ast.ClassDef) or not isinstance(answer, type):
        return []
    return list(zip(definition.bases, answer.__bases__, strict=False))


def _definition(answer: type | FunctionType) -> _Definition:
    """What an answer is made by, without its decorators, its docstring and its annotations."""
    definition = ast.parse(textwrap.dedent(_text(answer))).body[0]
    assert isinstance(definition, ast.FunctionDef | ast.ClassDef)
    definition.decorator_list = []
    if ast.get_docstring(definition) is not None:
        definition.body = definition.body[1:] or [ast.Pass()]
    for function in _functions(definition):
        _unannotate(function)
    return definition


def _text(answer: type | FunctionType) -> str:
    """The source of a function or class; that of a class that a call made says what it is made of.

    Such a class adds nothing to its bases.
    """
    try:
        return inspect.getsource(answer)
    except OSError:
        if not isinstance(answer, type):
            raise
        bases = ", ".join(base.__name__ for base in answer.__bases__)
        return f"class {answer.__name__}({bases}):\n    pass"


def _functions(definition: ast.stmt) -> Iterator[ast.FunctionDef]:
    """A function itself, or all the methods of a class."""
    if isinstance(definition, ast.FunctionDef):
        yield definition
    elif isinstance(definition, ast.ClassDef):
        for statement in definition.body:
            yield from _functions(statement)


def _unannotate(function: ast.FunctionDef) -> None:
    function.returns = None
    arguments = function.args
    for argument in (
        *(*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs),
        *filter(None, (arguments.vararg, arguments.kwarg)),
    ):
        argument.annotation = None


def _names(expression: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}


def _needed(definition: _Definition) -> set[str]:
    """The names that a function or class looks up outside of itself."""
    needed: set[str] = set()
    for code in _codes(compile(ast.unparse(definition), "<answer>", "exec")):
        named = {"LOAD_NAME": set[str](), "LOAD_GLOBAL": set[str](), "STORE_NAME": set[str]()}
        for instruction in dis.get_instructions(code):
            if instruction.opname in named:
                named[instruction.opname].add(instruction.argval)
        # A class's body finds what it has stored itself; its methods do not.
        needed |= named["LOAD_GLOBAL"] | (named["LOAD_NAME"] - named["STORE_NAME"])
    return needed - {definition.name, *dir(builtins), "__annotations__"}


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
