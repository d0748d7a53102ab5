"""Ways to write one step of an answer that are all right: put into a source that has the step.

Each idiom is a line of the table below: what it is called, how a step may stand in a source, and
how else it is written. In these templates a name that begins with `_` stands for any expression,
the same one wherever it returns, and `_n` for one that is a plain number by its looks.
"""

import ast
import inspect
import linecache
import math
import re
import textwrap
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from itertools import count
from types import FunctionType
from typing import Any

import numpy as np
import torch

# What reads like a size: in a source, nothing else tells a number from a tensor.
_NUMBER = re.compile(r"\.shape\[[^]]*\]|\.size\([^)]*\)|len\(.*\)|\w*(dim|d_k|d_in|d_out|width)")
_numbers = count(1)


@dataclass(frozen=True)
class Idiom:
    """`steps` are pairs of templates: as it stands, and as it is written instead.

    `unless` is what a source must not hold: the lowest number of float64 is none of float32, and
    no tensor with an axis can be an argument called alpha.
    """

    name: str
    library: str
    steps: tuple[tuple[str, str], ...]
    unless: str = ""


def _idiom(name: str, library: str, written: str, *found: str) -> Idiom:
    unless = {"in float32": "finfo", "dtype=float32": "finfo", "FloatTensor": "alpha="}
    word = next((unless[one] for one in unless if name.endswith(one)), "")
    return Idiom(name, library, tuple((one, written) for one in found), word)


_ROOTS = ("_n ** 0.5", "math.sqrt(_n)", "sqrt(_n)", "np.sqrt(_n)")
_OVER_ROOT = tuple(f"_x / {root}" for root in _ROOTS)
_PRODUCT_OVER_ROOT = tuple(f"_a @ _b / {root}" for root in _ROOTS)
_SOFTMAX = (
    *("torch.softmax(_x, dim=_d)", "torch.softmax(_x, _d)", "_x.softmax(dim=_d)", "_x.softmax(_d)"),
    *("F.softmax(_x, dim=_d)", "nn.functional.softmax(_x, dim=_d)"),
)
_ARRAY_SOFTMAX = ("softmax(_x, axis=_d)", "softmax(_x, _d)")
_HIDDEN = (
    *("_x.masked_fill(_m, -torch.inf)", "_x.masked_fill(_m, -math.inf)"),
    *("_x.masked_fill(_m, float('-inf'))",),
)

IDIOMS = (
    _idiom("root of a tensor", "torch", "torch.sqrt(torch.tensor(_n))", *_ROOTS),
    _idiom("root in a tensor", "torch", "torch.tensor(_n ** 0.5)", *_ROOTS),
    _idiom("root in a FloatTensor", "torch", "torch.sqrt(torch.FloatTensor([_n]))", *_ROOTS),
    _idiom("root of a float tensor", "torch", "torch.tensor(float(_n)).sqrt()", *_ROOTS),
    _idiom("times n ** -0.5", "torch", "_x * _n ** -0.5", *_OVER_ROOT),
    _idiom("times 1 / root", "torch", "_x * (1 / math.sqrt(_n))", *_OVER_ROOT),
    _idiom("times rsqrt", "torch", "_x * torch.rsqrt(torch.tensor(float(_n)))", *_OVER_ROOT),
    _idiom("queries scaled first", "torch", "(_a / _n ** 0.5) @ _b", *_PRODUCT_OVER_ROOT),
    _idiom("keys scaled first", "torch", "_a @ (_b / _n ** 0.5)", *_PRODUCT_OVER_ROOT),
    _idiom("both scaled", "torch", "(_a * _n ** -0.25) @ (_b * _n ** -0.25)", *_PRODUCT_OVER_ROOT),
    _idiom(
        *("softmax in float32", "torch"),
        *("torch.softmax(_x.float(), dim=_d).type_as(_x)", *_SOFTMAX),
    ),
    _idiom(
        *("softmax with dtype=float32", "torch"),
        *("F.softmax(_x, dim=_d, dtype=torch.float32).to(_x.dtype)", *_SOFTMAX),
    ),
    _idiom(
        *("exp less logsumexp", "torch"),
        *("torch.exp(_x - torch.logsumexp(_x, dim=_d, keepdim=True))", *_SOFTMAX),
    ),
    _idiom("exp of log_softmax", "torch", "F.log_softmax(_x, dim=_d).exp()", *_SOFTMAX),
    _idiom(
        *("exp over its sum", "torch"),
        "(_x - _x.max(dim=_d, keepdim=True).values).exp() / "
        "(_x - _x.max(dim=_d, keepdim=True).values).exp().sum(dim=_d, keepdim=True)",
        *_SOFTMAX,
    ),
    _idiom(
        *("exp normalised", "torch"),
        "F.normalize(torch.exp(_x - _x.amax(dim=_d, keepdim=True)), p=1, dim=_d)",
        *_SOFTMAX,
    ),
    _idiom("product in float32", "torch", "(_a.float() @ _b.float()).type_as(_a)", "_a @ _b"),
    _idiom("tanh in float32", "torch", "torch.tanh(_x.float()).type_as(_x)", "torch.tanh(_x)"),
    _idiom("torch.where for a mask", "torch", "torch.where(_m, -torch.inf, _x)", *_HIDDEN),
    _idiom(
        *("mask that is added", "torch"),
        "_x + torch.zeros_like(_x).masked_fill(_m, torch.finfo(_x.dtype).min)",
        *_HIDDEN,
    ),
    _idiom("root in float32", "np", "np.sqrt(np.float32(_n))", *_ROOTS),
    _idiom("root as a Python number", "np", "float(_n) ** 0.5", *_ROOTS),
    _idiom("times n ** -0.5", "np", "_x * _n ** -0.5", *_OVER_ROOT),
    _idiom(
        *("softmax in float32", "np"),
        *("softmax(_x.astype(np.float32), axis=_d).astype(_x.dtype)", *_ARRAY_SOFTMAX),
    ),
    _idiom(
        *("exp less logaddexp", "np"),
        *("np.exp(_x - np.logaddexp.reduce(_x, axis=_d, keepdims=True))", *_ARRAY_SOFTMAX),
    ),
    _idiom(
        *("exp over its sum", "np"),
        "np.exp(_x - np.max(_x, axis=_d, keepdims=True)) / "
        "np.sum(np.exp(_x - np.max(_x, axis=_d, keepdims=True)), axis=_d, keepdims=True)",
        *_ARRAY_SOFTMAX,
    ),
    _idiom(
        *("exp in float32", "np"),
        *("np.exp(_x.astype(np.float32)).astype(_x.dtype)", "np.exp(_x)"),
    ),
    _idiom(
        *("product in float32", "np"),
        *("(_a.astype(np.float32) @ _b.astype(np.float32)).astype(_a.dtype)", "_a @ _b"),
    ),
    _idiom("np.matmul", "np", "np.matmul(_a, _b)", "_a @ _b"),
)


def with_idioms(right: Callable[..., object]) -> Iterator[tuple[str, Callable[..., object]]]:
    """A right answer in each idiom for which its source has a step, with the idiom's name."""
    try:
        source = textwrap.dedent(inspect.getsource(right))
    except (OSError, TypeError):
        return
    tree = ast.parse(source)
    defined = tree.body[0]
    if not isinstance(defined, ast.FunctionDef | ast.ClassDef):
        return
    defined.decorator_list = []
    known = around(right)
    library = "torch" if re.search(r"\b(torch|Tensor|nn)\b", source) else "np"
    for idiom in IDIOMS:
        if idiom.library == library and not (idiom.unless and idiom.unless in source):
            written = _Rewriting(idiom)
            changed = ast.fix_missing_locations(written.visit(deepcopy(tree)))
            if written.count:
                yield idiom.name, _made(ast.unparse(changed), defined.name, known)


def around(right: Callable[..., object]) -> dict[str, Any]:
    """What a function, or a class by its methods, finds around it."""
    parts = (right, *vars(right).values()) if isinstance(right, type) else (right,)
    found = next(part.__globals__ for part in parts if isinstance(part, FunctionType))
    return dict(found)


def _made(source: str, name: str, known: dict[str, Any]) -> Callable[..., object]:
    file = f"<idiom {next(_numbers)}>"
    # What looks at how an answer is written asks for its lines.
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace = {**known, "np": np, "torch": torch, "math": math, "F": torch.nn.functional}
    exec(compile(source, file, "exec"), namespace)
    made: Callable[..., object] = namespace[name]
    return made


class _Rewriting(ast.NodeTransformer):
    """Puts an idiom in place of all steps that it can stand for, and counts them."""

    def __init__(self, idiom: Idiom) -> None:
        self._steps = [(_template(one), _template(other)) for one, other in idiom.steps]
        self.count = 0

    def visit(self, node: ast.AST) -> Any:
        node = super().generic_visit(node)
        for step, written in self._steps:
            bound: dict[str, ast.expr] = {}
            if isinstance(node, ast.expr) and _fits(step, node, bound):
                self.count += 1
                return _Filling(bound).visit(deepcopy(written))
        return node


class _Filling(ast.NodeTransformer):
    def __init__(self, bound: dict[str, ast.expr]) -> None:
        self._bound = bound

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return deepcopy(self._bound.get(node.id, node))


def _is_number(node: ast.expr) -> bool:
    return bool(_NUMBER.search(ast.unparse(node))) and not isinstance(node, ast.BinOp)


@cache
def _template(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _fits(template: object, node: object, bound: dict[str, ast.expr]) -> bool:
    """Whether a node is as the template has it; binds what the template's own names stand for."""
    if isinstance(template, ast.Name) and template.id.startswith("_"):
        if not isinstance(node, ast.expr):
            return False
        text = ast.unparse(node)
        if template.id == "_n" and not _is_number(node):
            return False
        return ast.unparse(bound.setdefault(template.id, node)) == text
    if isinstance(template, ast.AST):
        return type(template) is type(node) and all(
            _fits(value, getattr(node, name), bound)
            for name, value in ast.iter_fields(template)
            if name not in ("ctx", "kind")
        )
    if isinstance(template, list):
        return (
            isinstance(node, list)
            and len(template) == len(node)
            and all(_fits(one, other, bound) for one, other in zip(template, node, strict=True))
        )
    return template == node
