"""Lessons 00, 00b, 02 and 09: answers that are right only for what an exam had tried."""

import ast
import inspect
import itertools
import re
import sys
import textwrap
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional

from autograder.checks.exam.exam import Exam
from autograder.checks.exam.report import Report, Verdict
from tests.support.course import every_exam, without_hints

pytestmark = pytest.mark.slow

LESSONS = ("00_", "00b_", "02_", "09_")
EXAMS = {exam.name: exam for place, exam in every_exam().items() if place.startswith(LESSONS)}


def exam_of(name: str) -> Exam:
    if name not in EXAMS:
        pytest.skip(f"the course has no {name}")
    return EXAMS[name]


def is_refused(name: str, answer: object) -> bool:
    return without_hints(exam_of(name)).examine(answer).verdict is not Verdict.PASSED


def told(name: str, answer: object) -> Report:
    return exam_of(name).examine(answer)


# --- text to text: any error, any character ------------------------------------------------------

USUAL = (ValueError, LookupError)
MANY = (*USUAL, ArithmeticError, AssertionError, AttributeError, OSError, RuntimeError, TypeError)


@pytest.mark.parametrize("kinds", [USUAL, MANY])
def test_errors_of_other_kinds_are_errors_too(kinds: tuple[type[Exception], ...]) -> None:
    def is_lossless(encode: Any, decode: Any, texts: Any) -> bool:
        try:
            return all(decode(encode(text)) == text for text in texts)
        except kinds:
            return False

    assert is_refused("is_lossless", is_lossless)


@pytest.mark.parametrize(
    "between",
    ["", " ", "\n", "\t", "\r\n", "\0", "|", ",", ", ", "\n\n", "\u2581", "</w>", "\ue000"],
)
def test_texts_are_compared_one_by_one(between: str) -> None:
    def is_lossless(encode: Any, decode: Any, texts: Any) -> bool:
        try:
            return between.join(decode(encode(text)) for text in texts) == between.join(texts)
        except Exception:
            return False

    assert is_refused("is_lossless", is_lossless)


CLEANING: dict[str, Callable[[str], str]] = {
    "breaks at the end": lambda text: text.rstrip("\n"),
    "kinds of breaks": lambda text: text.replace("\r\n", "\n"),
    "lines": lambda text: "\n".join(text.splitlines()),
    "tabs": lambda text: text.replace("\t", " "),
    "kinds of spaces": lambda text: re.sub(r"[^\S\n]", " ", text),
    "ends": str.strip,
    "marks of byte order": lambda text: text.removeprefix("\ufeff"),
    "what has no width": lambda text: text.replace("\u200b", ""),
    "compositions": lambda text: unicodedata.normalize("NFC", text),
    "compatible characters": lambda text: unicodedata.normalize("NFKC", text),
    "zeros": lambda text: text.rstrip("\0"),
    "digits": lambda text: re.sub(r"\d", "0", text),
    "what comes late": lambda text: text[:200],
}


@pytest.mark.parametrize("cleaned", CLEANING.values(), ids=CLEANING)
def test_texts_are_compared_as_they_are(cleaned: Callable[[str], str]) -> None:
    def is_lossless(encode: Any, decode: Any, texts: Any) -> bool:
        try:
            return all(cleaned(decode(encode(text))) == cleaned(text) for text in texts)
        except Exception:
            return False

    assert is_refused("is_lossless", is_lossless)


@pytest.mark.parametrize("cleaned", CLEANING.values(), ids=CLEANING)
@pytest.mark.parametrize("name", ["encode", "learn_merges"])
def test_texts_are_split_as_they_are(name: str, cleaned: Callable[[str], str]) -> None:
    reference = exam_of(name).reference
    assert is_refused(name, lambda text, second: reference(cleaned(text), second))


MARKS = [
    *"\t\0\n\r|,;_~#/\\\x1f\x80\x85\x9f\xa0\xff\u200e\u2063\u241f\u2581\ue000\uf000\ufdd0\uffff",
    *("\U000f0000", "\U0010ffff", "\0\0", "</w>", "@@", "<s>", "</s>", "<unk>", "->"),
]


def merged(joined: str, mark: str, pair: tuple[str, str]) -> str:
    """Byte-pair encoding in one text, with a mark between each two pieces."""
    at, both = re.escape(mark), re.escape(mark.join(pair))
    return re.sub(rf"(?:(?<={at})|\A){both}(?={at}|\Z)", lambda _: "".join(pair), joined)


@pytest.mark.parametrize("mark", MARKS)
def test_no_mark_is_in_no_text(mark: str) -> None:
    def encode(text: str, merges: Any) -> list[str]:
        joined = mark.join(text)
        for pair in merges:
            joined = merged(joined, mark, pair)
        return joined.split(mark) if text else []

    def learn_merges(text: str, num_merges: int) -> list[tuple[str, str]]:
        joined, merges = mark.join(text), []
        for _ in range(num_merges):
            counts = Counter(itertools.pairwise(joined.split(mark)))
            pair = max(counts, key=counts.__getitem__, default=None)
            if pair is None or counts[pair] < 2:
                break
            merges.append(pair)
            joined = merged(joined, mark, pair)
        return merges

    assert is_refused("encode", encode)
    assert is_refused("learn_merges", learn_merges)


@pytest.mark.parametrize("most", [50, 100, 200])
def test_there_may_be_many_merges(most: int) -> None:
    encode, learn = exam_of("encode").reference, exam_of("learn_merges").reference
    assert is_refused("encode", lambda text, merges: encode(text, merges[:most]))
    assert is_refused("learn_merges", lambda text, n: learn(text, min(n, most)))


# --- ids: none is special ------------------------------------------------------------------------

IDS = [0, 1, 2, 3, 20, 50, 63, 100, 255]
# The end of a text in GPT-2, among others.
ENDS = [511, 1023, 50256]


@pytest.mark.parametrize("special", IDS + ENDS)
def test_no_token_is_left_out_of_a_loss(special: int) -> None:
    def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
        return functional.cross_entropy(
            logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=special
        )

    assert is_refused("next_token_loss", next_token_loss)


@pytest.mark.parametrize("special", IDS)
def test_no_word_is_looked_up_as_zeros(special: int) -> None:
    def embedding_lookup(token_ids: Any, embeddings: Any) -> Any:
        one_hot = np.eye(len(embeddings), dtype=embeddings.dtype)[token_ids]
        one_hot[token_ids == special] = 0
        return one_hot, one_hot @ embeddings

    assert is_refused("embedding_lookup", embedding_lookup)


@pytest.mark.parametrize("special", IDS)
def test_no_token_is_never_generated_and_none_ends_a_text(special: int) -> None:
    def generate(model: Any, tokens: Any, number: int, length: int, *, ends: bool) -> Any:
        for _ in range(number):
            with torch.no_grad():
                logits = model(tokens[:, -length:])[:, -1]
            if not ends:
                logits = logits.index_fill(1, torch.tensor([special % logits.shape[1]]), -torch.inf)
            new = logits.argmax(dim=-1, keepdim=True)
            if ends:
                new = torch.where(tokens[:, -1:] == special, special, new)
            tokens = torch.cat([tokens, new], dim=1)
        return tokens

    for ends in (False, True):
        assert is_refused("generate", lambda *given: generate(*given, ends=ends))  # noqa: B023


@pytest.mark.parametrize("special", IDS + ENDS)
def test_no_token_ends_the_last_text(special: int) -> None:
    def generate(model: Any, tokens: Any, number: int, length: int) -> Any:
        for _ in range(number):
            tokens = exam_of("generate").reference(model, tokens, 1, length)
            if (tokens[:, -1] == special).all():
                break
        return tokens

    assert is_refused("generate", generate)


# --- how large a number may be -------------------------------------------------------------------


def with_settings(changed: Callable[[float, Any, Any], Any]) -> Callable[..., Tensor]:
    """The right distribution, of other settings."""
    reference: Any = exam_of("next_token_distribution").reference

    def next_token_distribution(
        logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None
    ) -> Tensor:
        return reference(logits, *changed(temperature, top_k, top_p))

    return next_token_distribution


@pytest.mark.parametrize("least", [1e-1, 1e-2, 1e-3, 1e-4, 1e-5])
def test_a_temperature_may_be_as_low(least: float) -> None:
    answer = with_settings(lambda temperature, *others: (max(temperature, least), *others))
    assert is_refused("next_token_distribution", answer)


@pytest.mark.parametrize("little", [1e-6, 1e-8, 1e-9])
def test_nothing_is_added_to_a_temperature(little: float) -> None:
    answer = with_settings(lambda temperature, *others: (temperature + little, *others))
    report = told("next_token_distribution", answer)
    assert report.misconception.endswith("Added")
    assert report.right_but_for == "a temperature near 0"


@pytest.mark.parametrize("most", [3, 5, 10])
def test_a_temperature_may_be_as_high(most: float) -> None:
    answer = with_settings(lambda temperature, *others: (min(temperature, most), *others))
    assert is_refused("next_token_distribution", answer)


@pytest.mark.parametrize("most", [20, 40, 50])
def test_as_many_tokens_may_be_kept(most: int) -> None:
    answer = with_settings(lambda t, top_k, top_p: (t, top_k and min(top_k, most), top_p))
    assert is_refused("next_token_distribution", answer)


@pytest.mark.parametrize("used", [(1.0, None), (None, None), (1.0, 1.0)])
def test_other_settings_count_where_all_tokens_are_kept(used: tuple[Any, Any]) -> None:
    def changed(temperature: float, top_k: Any, top_p: Any) -> Any:
        if top_k is None:
            return temperature, top_k, top_p
        return used[0] or temperature, top_k, used[1] and top_p

    reference: Any = exam_of("next_token_distribution").reference

    def next_token_distribution(
        logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None
    ) -> Tensor:
        settings = temperature, top_k, top_p
        all_kept = top_k is not None and top_k > len(logits)
        return reference(logits, *(changed(*settings) if all_kept else settings))

    assert is_refused("next_token_distribution", next_token_distribution)


@pytest.mark.parametrize("least", [1e-4, 1e-6, 1e-9, 1e-12])
def test_a_token_that_is_kept_may_be_unlikely(least: float) -> None:
    reference: Any = exam_of("next_token_distribution").reference

    def next_token_distribution(
        logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None
    ) -> Tensor:
        found = reference(logits, temperature, top_k, top_p)
        return found * (found > least)

    assert is_refused("next_token_distribution", next_token_distribution)


@pytest.mark.parametrize("most", [16, 64, 512, 1024])
def test_a_context_may_be_long(most: int) -> None:
    def generate(model: Any, tokens: Any, number: int, length: int) -> Any:
        return exam_of("generate").reference(model, tokens, number, min(length, most))

    assert is_refused("generate", generate)


@pytest.mark.parametrize(("least", "most"), [(0.0, 0.99), (0.0, 0.999), (0.01, 1.0)])
def test_a_sum_may_be_nearly_0_or_1(least: float, most: float) -> None:
    answer = with_settings(lambda t, k, top_p: (t, k, top_p and min(max(top_p, least), most)))
    assert told("next_token_distribution", answer).right_but_for == "top-p"


@pytest.mark.parametrize(("name", "usual"), [("LayerNorm", 1e-5), ("RMSNorm", 1e-6)])
def test_an_eps_of_0_is_used_as_it_is(name: str, usual: float) -> None:
    reference: Any = exam_of(name).reference

    class Answer(reference):  # type: ignore[misc]
        def __init__(self, d_model: int, eps: float = usual) -> None:
            super().__init__(d_model, eps or usual)

    report = told(name, Answer)
    assert report.misconception == "EpsOfZeroReplaced"
    assert report.right_but_for == "an eps of 0"


def test_gradients_are_tracked_after_a_text_is_generated() -> None:
    def generate(*arguments: Any) -> Any:
        torch.set_grad_enabled(False)
        return exam_of("generate").reference(*arguments)

    with torch.enable_grad():
        assert is_refused("generate", generate)


def test_merges_are_not_kept_for_a_text() -> None:
    encode, kept = exam_of("encode").reference, {}

    def answer(text: str, merges: Any) -> Any:
        return kept.setdefault(text, encode(text, merges))

    assert is_refused("encode", answer)


# --- what is hidden is not just unlikely ---------------------------------------------------------

# From -1e9 on, no score is as low: published code has these, and what it hides has no weight.
FILLS = [-30.0, -50.0, -100.0, -1e3, -1e4]


@pytest.mark.parametrize("fill", FILLS)
def test_minus_infinity_is_no_low_score(fill: float) -> None:
    def softmax(x: Any, axis: int = -1) -> Any:
        return exam_of("softmax").reference(np.where(np.isneginf(x), x.dtype.type(fill), x), axis)

    def softmax_with_sink(scores: Tensor, sink: Tensor) -> Any:
        filled = scores.masked_fill(scores == -torch.inf, fill)
        return exam_of("softmax_with_sink").reference(filled, sink)

    def next_token_distribution(
        logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None
    ) -> Tensor:
        kept: Any = exam_of("next_token_distribution").reference(logits, temperature, top_k, top_p)
        return torch.softmax((logits / temperature).masked_fill(kept == 0, fill), dim=-1)

    assert is_refused("softmax", softmax)
    assert is_refused("softmax_with_sink", softmax_with_sink)
    assert is_refused("next_token_distribution", next_token_distribution)


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("name", ["EncoderBlock", "DecoderBlock", "GPTBlock"])
def test_a_mask_hides_whatever_the_scores_are(name: str, fill: float) -> None:
    reference: Any = exam_of(name).reference

    def with_numbers(_: object, given: Any, named: Any) -> Any:
        for which in ("attn_mask", "key_padding_mask"):
            mask = named.get(which)
            if mask is not None:
                named[which] = given[0].new_zeros(mask.shape).masked_fill(mask, fill)
        return given, named

    class Answer(reference):  # type: ignore[misc]
        """Every mask is one of numbers, which are added to the scores."""

        def forward(self, *inputs: Any) -> Any:
            filled = [
                one.register_forward_pre_hook(with_numbers, with_kwargs=True)
                for one in self.modules()
                if isinstance(one, torch.nn.MultiheadAttention)
            ]
            outputs = super().forward(*inputs)
            for hook in filled:
                hook.remove()
            return outputs

    Answer.__name__ = name
    assert is_refused(name, Answer)


# --- nothing is added to a divisor ---------------------------------------------------------------

# Where a little more can't be seen, by the exercise and the divisor, and why.
UNSEEN = {
    ("dot_and_cosine_by_hand", "3 * 5"): "a number that is given",
    ("dot_and_cosine_by_hand", "3 * 50"): "a number that is given",
    ("norms_by_hand", "variance.sqrt()"): "a number that is given",
    ("norms_by_hand", "mean_square.sqrt()"): "a number that is given",
    ("row_softmax", "total"): "at least 1, the exponential of 0",
    ("softmax", "exponentials.sum(axis=axis, keepdims=True)"): "at least 1, the exponential of 0",
    ("next_token_distribution", "probabilities.sum()"): "at least the largest of them",
    ("next_token_distribution", "kept.sum()"): "at least the largest of them",
    ("repaired_self_attention", "attn_scores.sum(axis=-1, keepdims=True)"): "to be replaced",
}


def divisors_in(tree: ast.AST) -> list[ast.BinOp]:
    return [one for one in ast.walk(tree) if isinstance(one, ast.BinOp) and type(one.op) is ast.Div]


def source_of(name: str) -> str:
    return textwrap.dedent(inspect.getsource(exam_of(name).reference))


def divisions() -> Iterator[tuple[str, int, str]]:
    """Each division of a reference: its exercise, which one it is, and by what it divides."""
    for name in EXAMS:
        for place, one in enumerate(divisors_in(ast.parse(source_of(name)))):
            yield name, place, ast.unparse(one.right)


@pytest.mark.parametrize(("name", "place", "divisor"), [*divisions()])
def test_nothing_is_added_to_a_divisor(name: str, place: int, divisor: str) -> None:
    tree = ast.parse(source_of(name))
    division = divisors_in(tree)[place]
    division.right = ast.BinOp(division.right, ast.Add(), ast.Constant(1e-8))
    names = dict(vars(sys.modules[exam_of(name).reference.__module__]))
    exec(compile(ast.fix_missing_locations(tree), __file__, "exec"), names)
    assert is_refused(name, names[name]) is ((name, divisor) not in UNSEEN)


def test_each_unseen_divisor_is_there() -> None:
    assert {(name, divisor) for name, _, divisor in divisions()} >= UNSEEN.keys()


@pytest.mark.parametrize("kept", [lambda by: by + 1e-8, lambda by: max(by, 1e-6)])
def test_lengths_may_be_tiny(kept: Callable[[float], float]) -> None:
    def cosine_similarity(a: Any, b: Any) -> float:
        return float(a @ b / kept(float(np.linalg.norm(a) * np.linalg.norm(b))))

    report = told("cosine_similarity", cosine_similarity)
    assert "is kept away from 0" in report.hint
    assert exam_of("cosine_similarity").preview(cosine_similarity).hint == report.hint


# --- dtypes that differ --------------------------------------------------------------------------


@pytest.mark.parametrize("dtypes", [(torch.bfloat16,), (torch.bfloat16, torch.float16)])
@pytest.mark.parametrize("name", ["next_token_loss", "softmax_with_sink"])
def test_what_is_returned_stays_in_bfloat16(name: str, dtypes: tuple[torch.dtype, ...]) -> None:
    def answer(given: Tensor, second: Tensor) -> Any:
        return exam_of(name).reference(given.float() if given.dtype in dtypes else given, second)

    report = told(name, answer)
    assert report.verdict is not Verdict.PASSED
    assert report.right_but_for == "16-bit floats"
