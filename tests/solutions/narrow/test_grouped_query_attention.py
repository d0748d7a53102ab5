"""Lesson 07: answers that are right only for what an exam had tried."""

import inspect
from typing import Any

import pytest
import torch

import companion.specimens.cached_steps as cached_steps
from autograder.checks.exam.report import Report, Verdict
from tests.support.course import every_exam, exam_of

pytestmark = pytest.mark.slow

EXAMS = {exam.name: exam for place, exam in every_exam().items() if place.startswith("07_")}


def edited(reference: Any, *changes: tuple[str, str]) -> Any:
    """The reference, with some words of its source replaced."""
    source = inspect.getsource(reference)
    for words, others in changes:
        assert words in source, words
        source = source.replace(words, others)
    defined = {**vars(inspect.getmodule(reference))}
    exec(source, defined)
    return defined[reference.__name__]


def examined(name: str, *changes: tuple[str, str]) -> Report:
    exam = exam_of(name)
    return exam.examine(edited(exam.reference, *changes))


HIDING = [name for name, exam in EXAMS.items() if "-torch.inf" in inspect.getsource(exam.reference)]


@pytest.mark.parametrize("fill", [-1e2, -1e3, -1e4])
@pytest.mark.parametrize("name", HIDING)
def test_no_number_that_a_score_can_have_hides_a_key(name: str, fill: float) -> None:
    """Further down are those of published code, such as −10⁹ and the lowest of a dtype."""
    report = examined(name, ("-torch.inf", str(fill)))
    assert report.verdict is Verdict.WRONG


def test_a_cache_has_any_dtype() -> None:
    known = "dtype if dtype == torch.float64 else torch.float32"
    report = examined("KVCache", ("dtype=dtype", f"dtype={known}"))
    assert report.verdict is Verdict.WRONG


def test_a_cache_has_its_dtype_after_reset() -> None:
    exam = exam_of("KVCache")

    class KVCache(exam.reference):  # type: ignore[misc, name-defined]
        def reset(self) -> None:
            super().reset()
            if self.keys.element_size() < 4:
                self.keys, self.values = self.keys.float(), self.values.float()

    assert exam.examine(KVCache).verdict is Verdict.WRONG


@pytest.mark.parametrize("length", [64, 512, 4096, 16384])
def test_a_decoding_mask_is_cut_out_of_no_table(length: int) -> None:
    kept = torch.ones(length, length, dtype=torch.bool).triu(1)

    def decoding_mask(num_queries: int, num_keys: int) -> torch.Tensor:
        return kept[num_keys - num_queries : num_keys, :num_keys]

    assert exam_of("decoding_mask").examine(decoding_mask).verdict is not Verdict.PASSED


_ONES = "torch.ones(context_length, context_length"
TABLES = [
    ("MultiQueryAttention", _ONES, "torch.ones(64, 64"),
    ("MultiQueryAttention", _ONES, "torch.ones(1024, 1024"),
    ("MultiQueryAttention", _ONES, "torch.ones(context_length - 1, context_length - 1"),
    ("GroupedQueryAttention", _ONES, "torch.ones(64, 64"),
    ("GroupedQueryAttention", _ONES, "torch.ones(1024, 1024"),
    ("GroupedQueryAttention", _ONES, "torch.ones(context_length - 1, context_length - 1"),
    (
        "decode_step",
        "torch.ones_like(attn_scores, dtype=torch.bool).triu(cached + 1)",
        "torch.ones(4096, 4096, dtype=torch.bool).triu(1)[cached : cached + new, : cached + new]",
    ),
    (
        "repaired_window_attention",
        "torch.ones(num_queries, num_keys",
        "torch.ones(num_queries, min(1024, num_keys)",
    ),
    ("KVCache", "torch.zeros(shape, dtype=dtype)", "torch.zeros(shape, dtype=dtype)[:, :, :4096]"),
]


@pytest.mark.parametrize(("name", "table", "fixed"), TABLES)
def test_nothing_is_made_for_a_few_tokens_alone(name: str, table: str, fixed: str) -> None:
    assert examined(name, (table, fixed)).verdict is not Verdict.PASSED


REFUSALS = [
    ("MultiQueryAttention", "if d_out % num_heads:", "if d_out % num_heads and num_heads < d_out:"),
    ("MultiQueryAttention", "if d_out % num_heads:", "if d_out % num_heads or d_out == num_heads:"),
    (
        "GroupedQueryAttention",
        "if d_out % num_heads or",
        "if d_out % num_heads and num_heads < d_out or",
    ),
    ("GroupedQueryAttention", "if d_out % num_heads or", "if 6 < num_heads == d_out or"),
    (
        "GroupedQueryAttention",
        "or num_heads % num_kv_heads:",
        "or num_heads % num_kv_heads and num_kv_heads < num_heads:",
    ),
]


@pytest.mark.parametrize(("name", "check", "wrong"), REFUSALS)
def test_sizes_are_refused_on_either_side(name: str, check: str, wrong: str) -> None:
    """More heads than features, more key/value heads than query heads, heads of one feature."""
    assert examined(name, (check, wrong)).verdict is not Verdict.PASSED


CHECKS = [
    ("MultiQueryAttention", "d_out % num_heads"),
    ("GroupedQueryAttention", "d_out % num_heads or num_heads % num_kv_heads"),
]


@pytest.mark.parametrize(("name", "check"), CHECKS)
def test_sizes_are_refused_when_a_module_is_made(name: str, check: str) -> None:
    first = "num_tokens = inputs.shape[1]"
    report = examined(
        name,
        (f"if {check}:", f"self.refused = {check}\n        if False:"),
        (first, f"assert not self.refused; {first}"),
    )
    assert report.verdict is not Verdict.PASSED
    assert report.finding
    assert "when the module is made" in report.finding.details[0]


STORED = "self.keys[:, :, start:end] = keys"
KEPT = (
    "self.kept = [*self.kept, keys] if start else [keys]; "
    "self.keys[:, :, :end] = torch.cat(self.kept, dim=2)"
)


def test_a_cache_keeps_no_tensors_of_the_caller() -> None:
    report = examined("KVCache", (STORED, KEPT))
    assert report.right_but_for == "chunks that the caller overwrites"


class LengthOnceThereAreTokens:
    """It knows how long it is from what it keeps, which begins with the first tokens."""

    def __init__(
        self, batch: int, num_kv_heads: int, max_tokens: int, head_dim: int, dtype: Any = None
    ) -> None:
        self.kept: Any = None
        self.max_tokens = max_tokens

    @property
    def length(self) -> Any:
        return self.kept.shape[3]

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> Any:
        new = torch.stack([keys, values])
        kept = new if self.kept is None else torch.cat([self.kept, new], dim=3)
        if kept.shape[3] > self.max_tokens:
            raise ValueError("full")
        self.kept = kept
        return kept[0], kept[1]

    def reset(self) -> None:
        if self.kept is not None:
            self.kept = self.kept[:, :, :, :0]


class NoLengthAtFirst(LengthOnceThereAreTokens):
    """Before that, it says that there is none."""

    @property
    def length(self) -> Any:
        return None if self.kept is None else super().length


class OnlyTokensAreForgotten(LengthOnceThereAreTokens):
    """A reset goes wrong where there is nothing to forget."""

    @property
    def length(self) -> Any:
        return 0 if self.kept is None else super().length

    def reset(self) -> None:
        self.kept = self.kept[:, :, :, :0]


class ForgottenOnce(OnlyTokensAreForgotten):
    """A second reset in a row goes wrong."""

    def reset(self) -> None:
        if self.kept is not None:
            assert self.length, "nothing to forget"
            self.kept = self.kept[:, :, :, :0]


class ChunksViewed(OnlyTokensAreForgotten):
    """It looks at chunks as if their heads lay one after the other."""

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> Any:
        batch, heads, _, head_dim = keys.shape
        flat = keys.view(batch, heads, -1), values.view(batch, heads, -1)
        both: list[torch.Tensor] = [x.view(batch, heads, -1, head_dim) for x in flat]
        return super().append(*both)

    def reset(self) -> None:
        self.kept = None


@pytest.mark.parametrize(
    "wrong",
    [
        LengthOnceThereAreTokens,
        NoLengthAtFirst,
        OnlyTokensAreForgotten,
        ForgottenOnce,
        ChunksViewed,
    ],
)
def test_a_cache_may_be_empty_and_chunks_lie_in_any_order(wrong: Any) -> None:
    assert exam_of("KVCache").examine(wrong).verdict is not Verdict.PASSED


def test_a_window_needs_no_axis_of_texts() -> None:
    first = "needed = window"
    report = examined("repaired_window_attention", (first, f"assert queries.ndim > 2; {first}"))
    assert report.verdict is Verdict.EXCEPTION


COMPARED = "torch.cat(contexts, dim=1), whole"
ALL = f"torch.allclose({COMPARED}, atol=atol)"
NARROW = [
    ("range(1, inputs.shape[1])", "range(1, min(32, inputs.shape[1]))"),
    (COMPARED, "torch.cat(contexts, dim=1)[:8], whole[:8]"),
    (COMPARED, "torch.cat(contexts, dim=1)[:, :32], whole[:, :32]"),
    (COMPARED, "torch.cat(contexts, dim=1)[..., :8], whole[..., :8]"),
]


@pytest.mark.parametrize(("words", "narrow"), NARROW)
def test_a_cache_is_compared_as_far_as_a_text_goes(words: str, narrow: str) -> None:
    assert examined("is_cache_exact", (words, narrow)).verdict is Verdict.WRONG


FOR_64_BITS = [
    "((torch.cat(contexts, dim=1) - whole).abs().max() < 1e-9)",
    f"torch.allclose({COMPARED}, rtol=0, atol=1e-9)",
    f"torch.allclose({COMPARED}, atol=1e-12)",
]


@pytest.mark.parametrize("close", FOR_64_BITS)
def test_contexts_of_32_bits_are_rounded(close: str) -> None:
    assert examined("is_cache_exact", (ALL, close)).right_but_for == "rounding errors of 32 bits"


@pytest.mark.parametrize(
    "close", [f"torch.allclose({COMPARED})", f"torch.allclose({COMPARED}, atol=1e-6)"]
)
def test_usual_tolerances_are_right(close: str) -> None:
    assert examined("is_cache_exact", (ALL, close)).verdict is Verdict.PASSED


NAN_PASSES = [
    "(not ((torch.cat(contexts, dim=1) - whole).abs() > 1e-5).any())",
    "(not (torch.cat(contexts, dim=1) - whole).abs().max() > 1e-5)",
]


@pytest.mark.parametrize("close", NAN_PASSES)
def test_nan_is_no_small_difference(close: str) -> None:
    assert examined("is_cache_exact", (ALL, close)).misconception == "nan_passes"


def test_nan_is_not_replaced() -> None:
    report = examined("is_cache_exact", ("dim=1), whole", "dim=1).nan_to_num(), whole"))
    assert report.verdict is Verdict.WRONG


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_reference_allows_for_rounding(dtype: torch.dtype) -> None:
    """Where a sum is near 0, an error in its last digits is a large share of it."""
    exact: Any = exam_of("is_cache_exact").reference

    def step(chunk: torch.Tensor, past: Any) -> Any:
        return cached_steps.attends_to_its_cache(chunk, past)

    for seed in range(200):
        torch.manual_seed(seed)
        assert exact(step, torch.randn(2, 12, 8, dtype=dtype))


def test_contexts_have_their_own_features() -> None:
    joined = "past, contexts = None, []"
    report = examined(
        "is_cache_exact",
        (joined, "past, contexts, done = None, [torch.empty_like(inputs)], 0"),
        (
            "contexts.append(context)",
            "contexts[0][:, done : (done := done + chunk.shape[1])] = context",
        ),
    )
    assert report.right_but_for == "contexts with other features than the inputs"


def test_no_step_is_taken_twice() -> None:
    once, twice = "step(chunk, past)", "step(chunk, past)[0], step(chunk, past)[1]"
    report = examined("is_cache_exact", (f"= {once}", f"= {twice}"))
    assert report.right_but_for == "a cache that grows in place"


def test_three_decimals_are_not_four() -> None:
    exam = exam_of("shared_heads_by_hand")

    def shared_heads_by_hand() -> dict[str, object]:
        right: Any = exam.reference()
        return {**right, "weights of query head 1": [0.269, 0.731]}

    assert exam.examine(shared_heads_by_hand).misconception == "weights_with_three_decimals"


@pytest.mark.parametrize("name", ["MultiQueryAttention", "GroupedQueryAttention"])
def test_weights_begin_at_random(name: str) -> None:
    made = "super().__init__()"
    report = examined(name, (made, f"torch.manual_seed(123); {made}"))
    assert report.right_but_for == "the weights it begins with"


def test_a_dict_of_weights_has_no_order() -> None:
    first = "batch, new, _ = inputs.shape"
    names = ("W_query", "W_key", "W_value", "out_proj")
    in_order = f"weights = dict(zip({names}, weights.values(), strict=True))"
    report = examined("decode_step", (first, f"{in_order}; {first}"))
    assert report.misconception == "weights_as_they_stand"


COUNTED = "return numbers * bytes_per_number"
ROUGHLY = [
    "return int(torch.tensor(float(numbers * bytes_per_number)))",
    "n = numbers * bytes_per_number; return n if n < 2**20 else round(n / 1024) * 1024",
]


@pytest.mark.parametrize("roughly", ROUGHLY)
def test_bytes_are_counted_to_the_last(roughly: str) -> None:
    assert examined("kv_cache_bytes", (COUNTED, roughly)).verdict is Verdict.WRONG


def test_a_chunk_is_copied_after_a_reset_too() -> None:
    class Joined:
        """Its first chunk is kept as it is, but for that of the first text."""

        def __init__(
            self,
            batch: int,
            num_kv_heads: int,
            max_tokens: int,
            head_dim: int,
            dtype: torch.dtype = torch.float32,
        ) -> None:
            empty = torch.zeros(batch, num_kv_heads, 0, head_dim, dtype=dtype)
            self.kept: Any = (empty, empty)
            self.most = max_tokens

        @property
        def length(self) -> int:
            return self.kept[0].shape[2] if self.kept else 0

        def append(self, *new: torch.Tensor) -> Any:
            if self.length + new[0].shape[2] > self.most:
                raise ValueError("no room")
            both = zip(self.kept or (), new, strict=False)
            self.kept = tuple(torch.cat(two, dim=2) for two in both) or new
            return self.kept

        def reset(self) -> None:
            self.kept = ()

    assert exam_of("KVCache").examine(Joined).right_but_for == "chunks that the caller overwrites"
