"""Lesson 08: answers that are right only for what an exam had tried."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from functools import cache, wraps
from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.checks.exam.case import Case, is_mistaken
from autograder.checks.values.outcome import observe
from tests.support.course import every_exam, exam_of, is_refused, without_hints

pytestmark = pytest.mark.slow

EXAMS = {exam.name: exam for place, exam in every_exam().items() if place.startswith("08_")}
Function = Callable[..., Any]


@cache
def cases_of(name: str) -> list[Case]:
    return without_hints(exam_of(name)).hidden_cases()


def is_refused_soon(name: str, answer: Function) -> bool:
    """The same without the text that is too long for a table, which takes seconds."""
    return any(
        is_mistaken(case.observe(answer), case)
        or any(
            observe(answer, case.arguments, holds).value is not True
            for holds in case.properties.values()
            if holds.__name__ != "table_does_not_fit"
        )
        for case in cases_of(name)
    )


# --- answers with one expression changed ---------------------------------------------------------

Chosen = Callable[[ast.AST], bool]
Change = Callable[[Any], ast.expr]


class _OneChanged(ast.NodeTransformer):
    """Changes one of the expressions that are chosen, by its number."""

    def __init__(self, chosen: Chosen, change: Change, number: int) -> None:
        self.chosen, self.change, self.left, self.found = chosen, change, number, ""

    def visit(self, node: ast.AST) -> Any:
        if self.chosen(node):
            self.left -= 1
            if self.left < 0 and not self.found:
                self.found = ast.unparse(node)
                return self.change(node)
        return self.generic_visit(node)


def each_changed(
    answer: Function, chosen: Chosen, change: Change
) -> Iterator[tuple[str, Function]]:
    """The answer with each of the chosen expressions changed, and what stood there."""
    source = textwrap.dedent(inspect.getsource(answer))
    for number in range(len(source)):
        tree = ast.parse(source)
        changed = _OneChanged(chosen, change, number)
        changed.visit(tree)
        if not changed.found:
            return
        (function,) = tree.body
        assert isinstance(function, ast.FunctionDef)
        function.decorator_list = []
        there = dict(answer.__globals__)
        exec(compile(ast.fix_missing_locations(tree), answer.__name__, "exec"), there)
        yield changed.found, there[answer.__name__]


def every_right_answer() -> list[tuple[str, Function]]:
    """The references and all accepted styles, each by the name of its exercise."""
    return [
        (name, answer)
        for name, exam in EXAMS.items()
        for answer in (exam.reference, *exam.accepted.values())
    ]


def those_with(chosen: Chosen, answers: list[tuple[str, Function]]) -> list[Any]:
    """Those of the answers in which something is chosen."""
    return [
        pytest.param(name, answer, id=f"{name}-{answer.__name__}")
        for name, answer in answers
        if any(map(chosen, ast.walk(ast.parse(textwrap.dedent(inspect.getsource(answer))))))
    ]


# --- scores and weights near 0, and far from it --------------------------------------------------


def is_minus_infinity(node: ast.AST) -> bool:
    return isinstance(node, ast.expr) and ast.unparse(node) in ("-torch.inf", "float('-inf')")


@pytest.mark.parametrize("number", [-1e4, -1e5, -1e9, -1e10])
@pytest.mark.parametrize(("name", "answer"), those_with(is_minus_infinity, every_right_answer()))
def test_no_number_is_minus_infinity(name: str, answer: Function, number: float) -> None:
    """A published style starts with -1e30, and hides with it: no score is below that."""
    assert any("-1e30" in inspect.getsource(right) for _, right in every_right_answer())
    for there, wrong in each_changed(answer, is_minus_infinity, lambda _: ast.Constant(number)):
        assert is_refused_soon(name, wrong), there


@pytest.mark.parametrize("bound", [1e3, 1e4, 1e5, 1e9])
@pytest.mark.parametrize("name", ["linformer_attention", "online_softmax_attention"])
@pytest.mark.parametrize("sides", [(-1, 1), (-1, None), (None, 1)])
def test_scores_are_not_clamped(
    name: str, bound: float, sides: tuple[float | None, float | None]
) -> None:
    low, high = (None if side is None else side * bound for side in sides)

    def is_scores(node: ast.AST) -> bool:
        return is_division(node) and "queries @" in ast.unparse(node)

    def clamped(node: ast.BinOp) -> ast.expr:
        return called(node, "clamp", low, high)

    for there, wrong in each_changed(exam_of(name).reference, is_scores, clamped):
        assert is_refused_soon(name, wrong), there


def is_division(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)


def called(value: ast.expr, method: str, *arguments: float | None) -> ast.expr:
    """A call of a method, with numbers."""
    return ast.Call(
        ast.Attribute(value, method, ast.Load()), [ast.Constant(one) for one in arguments], []
    )


# What keeps a divisor away from 0 in any case, so that no answer has to.
FAR_FROM_ZERO = {
    "queries.shape[-1] ** 0.5": "there is a feature at least",
    "x.shape[-1] ** 0.25": "there is a number at least",
    "len(directions) ** 0.5": "there is a direction at least",
    "2": "it is a number",
    "total": "the key with the largest score has a weight of 1",
    "sum_of_both": "the key with the largest score has a weight of 1",
}


def may_be_small(node: ast.AST) -> bool:
    return is_division(node) and ast.unparse(node.right) not in FAR_FROM_ZERO  # type: ignore[attr-defined]


def raised(by: float) -> Change:
    return lambda node: ast.BinOp(
        node.left, ast.Div(), ast.BinOp(node.right, ast.Add(), ast.Constant(by))
    )


def at_least(least: float) -> Change:
    return lambda node: ast.BinOp(node.left, ast.Div(), called(node.right, "clamp", least))


@pytest.mark.parametrize("little", [1e-4, 1e-5, 3e-6, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize(
    ("name", "answer"),
    those_with(may_be_small, [(name, exam.reference) for name, exam in EXAMS.items()]),
)
def test_nothing_is_added_to_a_divisor(name: str, answer: Function, little: float) -> None:
    """But for what is published: the code of the paper adds a millionth, and is accepted."""
    assert any("1e-6" in inspect.getsource(right) for right in EXAMS[name].accepted.values())
    for there, wrong in each_changed(answer, may_be_small, raised(little)):
        assert is_refused(exam_of(name), wrong) is (little > 1e-6), there
    for there, wrong in each_changed(answer, may_be_small, at_least(little)):
        assert is_refused(exam_of(name), wrong) is (little > 5e-6), there


def test_divisors_are_far_from_zero_where_the_test_says_so() -> None:
    sources = [inspect.getsource(exam.reference) for exam in EXAMS.values()]
    if len(sources) > 10:
        for divisor in FAR_FROM_ZERO:
            assert any(f"/ {divisor}" in source for source in sources), divisor


@pytest.mark.parametrize("little", [1e-4, 1e-5])
@pytest.mark.parametrize("kept", [lambda x, by: x + by, lambda x, by: x.clamp(min=by)])
@pytest.mark.parametrize(
    "name", ["linear_attention", "causal_linear_attention", "linear_attention_step"]
)
def test_nothing_is_added_to_features(
    name: str, kept: Callable[[Tensor, float], Tensor], little: float
) -> None:
    reference = exam_of(name).reference

    @wraps(reference)
    def answer(*given: Any) -> object:
        *others, feature_map = given
        return reference(*others, lambda x: kept(feature_map(x), little))

    assert is_refused(exam_of(name), answer)


@pytest.mark.parametrize("little", [1e-4, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("kept", [lambda x, by: x + by, lambda x, by: x.clamp(min=by)])
def test_random_features_may_be_nearly_zero(
    kept: Callable[[Tensor, float], Tensor], little: float
) -> None:
    reference: Function = exam_of("positive_random_features").reference
    assert is_refused(
        exam_of("positive_random_features"),
        lambda x, directions: kept(reference(x, directions), little),
    )


@pytest.mark.parametrize("most", [10, 20, 30])
def test_random_features_may_be_large(most: float) -> None:
    def positive_random_features(x: Tensor, directions: Tensor) -> Tensor:
        scaled = x / x.shape[-1] ** 0.25
        half_square = scaled.square().sum(dim=-1, keepdim=True) / 2
        exponent = (scaled @ directions.T - half_square).clamp(max=most)
        return torch.exp(exponent) / len(directions) ** 0.5

    assert is_refused(exam_of("positive_random_features"), positive_random_features)


# --- positions and counts ------------------------------------------------------------------------


def is_arange(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "torch.arange"


def of_dtype(name: str) -> Change:
    dtype = ast.keyword("dtype", ast.Attribute(ast.Name("torch", ast.Load()), name, ast.Load()))
    return lambda node: ast.Call(node.func, node.args, [dtype])


@pytest.mark.parametrize("dtype", ["uint8", "int8", "bfloat16"])
@pytest.mark.parametrize(("name", "answer"), those_with(is_arange, every_right_answer()))
def test_positions_do_not_fit_into_a_byte(name: str, answer: Function, dtype: str) -> None:
    for there, wrong in each_changed(answer, is_arange, of_dtype(dtype)):
        assert is_refused_soon(name, wrong) or is_refused(exam_of(name), wrong), there


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8])
def test_a_count_of_pairs_does_not_fit_into_a_byte(dtype: torch.dtype) -> None:
    def visible_blocks(hidden: Tensor, block_size: int) -> Tensor:
        rows = [torch.split(part, block_size, dim=1) for part in torch.split(~hidden, block_size)]
        return torch.tensor([[bool(block.sum(dtype=dtype)) for block in row] for row in rows])

    assert is_refused(exam_of("visible_blocks"), visible_blocks)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8])
def test_a_count_of_patterns_does_not_fit_into_a_byte(dtype: torch.dtype) -> None:
    def see_either(masks: list[Tensor]) -> Tensor:
        return torch.stack(masks).sum(dim=0, dtype=dtype) == len(masks)

    assert is_refused(exam_of("see_either"), see_either)


@pytest.mark.parametrize("share", [1e-2, 1e-3, 1e-4])
def test_one_visible_pair_is_a_small_share_of_a_block(share: float) -> None:
    """Down to blocks of 100; in those of a thousand, loops over pairs would take seconds."""

    def visible_blocks(hidden: Tensor, block_size: int) -> Tensor:
        visible = (~hidden).float()[None, None]
        found = torch.nn.functional.avg_pool2d(visible, block_size, ceil_mode=True)[0, 0]
        return found > share

    assert is_refused(exam_of("visible_blocks"), visible_blocks)


@pytest.mark.parametrize("most", [10, 36, 62, 64, 65, 66, 67, 100])
def test_layers_are_not_tried_up_to_a_number(most: int) -> None:
    reference: Function = exam_of("layers_until_all_meet").reference

    def layers_until_all_meet(hidden: Tensor, causal: bool = False) -> int | None:
        layers: int | None = reference(hidden, causal)
        return layers if layers is None or layers < most else None

    assert is_refused(exam_of("layers_until_all_meet"), layers_until_all_meet)


def test_shares_that_are_passed_on_are_small() -> None:
    """Each token takes equal shares of what it sees; in 32 bits, those from far away are 0."""

    def layers_until_all_meet(hidden: Tensor, causal: bool = False) -> int | None:
        shares = torch.softmax(torch.zeros(hidden.shape).masked_fill(hidden, -torch.inf), dim=-1)
        received = torch.eye(len(hidden), dtype=torch.float32)
        needed = torch.ones_like(received).tril() if causal else torch.ones_like(received)
        for layers in range(len(hidden) + 1):
            if ((received > 0) >= (needed > 0)).all():
                return layers
            received = shares @ received
        return None

    assert is_refused(exam_of("layers_until_all_meet"), layers_until_all_meet)


# --- what is close -------------------------------------------------------------------------------

Close = Callable[[Tensor, Tensor], Any]


def is_exact_by(close: Close) -> Function:
    """A test of attention functions that compares in this way."""

    def is_exact(attention: Function, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
        scores = queries @ keys.T / queries.shape[-1] ** 0.5
        expected = torch.softmax(scores, dim=-1) @ values
        sizes = range(1, len(keys) + 1)
        return all(close(attention(queries, keys, values, size), expected) for size in sizes)

    return is_exact


RELATIVE: dict[str, Close] = {
    "allclose without atol": lambda a, b: torch.allclose(a, b, rtol=1e-4, atol=0),
    "share of each number": lambda a, b: ((a - b).abs() <= 1e-4 * b.abs()).all(),
    "largest share": lambda a, b: ((a - b) / b).abs().max() <= 1e-4,
}
# Right in 64 bits, in which the other cases are.
FOR_64_BITS: dict[str, Close] = {
    "bound": lambda a, b: (a - b).abs().max() < 1e-9,
    "allclose of a bound": lambda a, b: torch.allclose(a, b, rtol=0, atol=1e-9),
    "allclose with a small atol": lambda a, b: torch.allclose(a, b, atol=1e-12),
}
ON_AVERAGE: dict[str, Close] = {
    "mean": lambda a, b: (a - b).abs().mean() < 1e-4,
    "small mean": lambda a, b: (a - b).abs().mean() < 1e-6,
    "mean square": lambda a, b: (a - b).square().mean() < 1e-8,
    "length": lambda a, b: (a - b).norm() < 1e-5 * b.norm(),
}


@pytest.mark.parametrize("close", FOR_64_BITS.values(), ids=FOR_64_BITS)
def test_numbers_of_32_bits_are_rounded(close: Close) -> None:
    assert is_refused(exam_of("is_exact"), is_exact_by(close))


@pytest.mark.parametrize("close", RELATIVE.values(), ids=RELATIVE)
def test_a_zero_may_be_rounded(close: Close) -> None:
    report = without_hints(exam_of("is_exact")).examine(is_exact_by(close))
    assert report.right_but_for == "rounding errors of a 0, or of 32 bits"


@pytest.mark.parametrize("close", ON_AVERAGE.values(), ids=ON_AVERAGE)
def test_a_difference_may_be_small_on_average(close: Close) -> None:
    report = without_hints(exam_of("is_exact")).examine(is_exact_by(close))
    assert report.right_but_for == "a small difference in one number of many"


@pytest.mark.parametrize("atol", [1e-4, 1e-6, 1e-8])
def test_usual_tolerances_are_right(atol: float) -> None:
    close = is_exact_by(lambda a, b: torch.allclose(a, b, atol=atol))
    assert not is_refused(exam_of("is_exact"), close)


# --- masks that are not square, and what is visible of the future --------------------------------


def test_there_may_be_more_keys_than_queries() -> None:
    def see_either(masks: list[Tensor]) -> Tensor:
        hidden = torch.ones(len(masks[0]), len(masks[0]), dtype=torch.bool)
        for mask in masks:
            hidden = hidden & mask
        return hidden

    assert exam_of("see_either").examine(see_either).misconception == "always_square"


@pytest.mark.parametrize("seed", range(8))
def test_the_past_may_arrive_through_later_tokens(seed: int) -> None:
    reference: Function = exam_of("layers_until_all_meet").reference

    def layers_until_all_meet(hidden: Tensor, causal: bool = False) -> object:
        future = torch.ones_like(hidden).triu(1)
        return reference(hidden | future if causal else hidden, causal)

    report = exam_of("layers_until_all_meet").examine(layers_until_all_meet, seed)
    assert report.misconception == "future_cut_off"


@pytest.mark.parametrize("seed", range(4))
def test_what_arrives_of_the_future_is_passed_on(seed: int) -> None:
    def layers_until_all_meet(hidden: Tensor, causal: bool = False) -> int | None:
        received = torch.eye(len(hidden))
        needed = torch.ones_like(received).tril() if causal else torch.ones_like(received)
        for layers in range(len(hidden) + 1):
            if (received >= needed).all():
                return layers
            received = ((~hidden).float() @ received > 0).float() * needed
        return None

    assert is_refused(exam_of("layers_until_all_meet"), layers_until_all_meet, seed)
