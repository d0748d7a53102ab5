"""Lesson 10: answers that are right only for what an exam had tried."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from autograder.checks.exam.report import Verdict
from companion import LIBRARY, Cache, Parts
from solutions import your_gpt as reference
from solutions.exams.positional_encoding._specimens import rates, turn
from tests.support.course import exam_of, is_refused

pytestmark = pytest.mark.slow

Run = tuple[int, ...]


# --- texts that are long -------------------------------------------------------------------------


def of_parts(**others: Any) -> type[reference.RotaryAttention]:
    """The reference, made of some other parts."""

    class RotaryAttention(reference.RotaryAttention):
        def __init__(
            self, d_model: int, num_heads: int, num_kv_heads: int, parts: Parts = LIBRARY
        ) -> None:
            super().__init__(d_model, num_heads, num_kv_heads, replace(LIBRARY, **others))

    return RotaryAttention


def rotated_by_a_table(length: int) -> Callable[[Tensor, Tensor], Tensor]:
    def apply_rope(x: Tensor, positions: Tensor) -> Tensor:
        return turn(x, (torch.arange(length)[:, None] * rates(x.shape[-1]))[positions])

    return apply_rope


@pytest.mark.parametrize("length", [72, 512, 1024, 4096])
def test_a_table_of_angles_has_its_end(length: int) -> None:
    layer = of_parts(apply_rope=rotated_by_a_table(length))
    report = exam_of("RotaryAttention").examine(layer)
    assert report.right_but_for == "texts of thousands of tokens"


def test_a_mask_of_a_fixed_size_has_its_end() -> None:
    def decoding_mask(new: int, tokens: int) -> Tensor:
        return torch.ones(1024, 1024, dtype=torch.bool).triu(1)[tokens - new : tokens, :tokens]

    report = exam_of("RotaryAttention").examine(of_parts(decoding_mask=decoding_mask))
    assert report.right_but_for == "texts of thousands of tokens"


@pytest.mark.parametrize("length", [48, 512, 8192])
def test_cached_tokens_may_be_many(length: int) -> None:
    def repaired(queries: Tensor, keys: Tensor, past: Tensor) -> tuple[Tensor, Tensor]:
        positions = past.shape[2] + torch.arange(keys.shape[2])
        queries, keys = (rotated_by_a_table(length)(x, positions) for x in (queries, keys))
        joined = torch.cat([past, keys], dim=2)
        return queries @ joined.mT / keys.shape[-1] ** 0.5, joined

    assert is_refused(exam_of("repaired_cached_scores"), repaired)


@pytest.mark.parametrize("score", [-1e4, -1e6])
def test_hidden_scores_are_below_all_others(score: float) -> None:
    def weights(scores: Tensor, hidden: Tensor) -> Tensor:
        return torch.softmax(scores.masked_fill(hidden, score), dim=-1)

    layer = of_parts(masked_attention_weights=weights)
    assert is_refused(exam_of("RotaryAttention"), layer)


@pytest.mark.parametrize("most", [4, 5])
def test_blocks_may_be_many(most: int) -> None:
    class GPT(reference.GPT):
        def forward(self, ids: Tensor, caches: Sequence[Cache] | None = None) -> Tensor:
            x = self.tokens(ids)
            for index, block in enumerate([*self.blocks][:most]):
                x = block(x, None if caches is None else caches[index])
            return self.norm(x) @ self.tokens.weight.T

    assert is_refused(exam_of("GPT"), GPT)


@pytest.mark.parametrize("most", [6, 8])
def test_new_tokens_may_be_many(most: int) -> None:
    def continue_with_cache(model: Any, ids: Tensor, caches: Any, new: int, choose: Any) -> Tensor:
        return reference.continue_with_cache(model, ids, caches, min(new, most), choose)

    assert is_refused(exam_of("continue_with_cache"), continue_with_cache)


@pytest.mark.parametrize(
    "parts_of",
    [
        *(lambda ids, size=size: ids.split(size, dim=1) for size in (16, 64, 512, 1024)),
        *(lambda ids, size=size: [ids[:, -size:]] for size in (16, 64, 512, 1024)),
    ],
)
def test_prompts_may_be_long(parts_of: Callable[[Tensor], Sequence[Tensor]]) -> None:
    def continue_with_cache(model: Any, ids: Tensor, caches: Any, new: int, choose: Any) -> Tensor:
        given = ids
        for _ in range(new):
            with torch.no_grad():
                for part in parts_of(given):
                    logits = model(part, caches)
            given = choose(logits[:, -1])[:, None]
            ids = torch.cat([ids, given], dim=1)
        return ids

    assert is_refused(exam_of("continue_with_cache"), continue_with_cache)


@pytest.mark.parametrize("special", [2, 9])
def test_no_token_ends_the_last_text(special: int) -> None:
    def continue_with_cache(model: Any, ids: Tensor, caches: Any, new: int, choose: Any) -> Tensor:
        given = ids
        for _ in range(new):
            with torch.no_grad():
                given = choose(model(given, caches)[:, -1])[:, None]
            ids = torch.cat([ids, given], dim=1)
            if (given == special).all():
                break
        return ids

    assert is_refused(exam_of("continue_with_cache"), continue_with_cache)


@pytest.mark.parametrize("most", [5, 7])
def test_drafted_tokens_may_be_many(most: int) -> None:
    def speculative_step(p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> Tensor:
        numbers = torch.cat([uniforms[:-1][:most], uniforms[-1:]])
        return reference.speculative_step(p[: most + 1], q[:most], drafted[:most], numbers)

    assert is_refused(exam_of("speculative_step"), speculative_step)


# --- what is drawn at the end, and what runs are compared by -------------------------------------


@pytest.mark.parametrize(
    ("drawn", "name"),
    [
        (lambda sums, u: torch.searchsorted(sums, u, right=True), "BeyondTheVocabulary"),
        (lambda sums, u: (sums <= u).sum(), "BeyondTheVocabulary"),
        (lambda sums, u: (sums > u).int().argmax(), "FirstTokenBeyondTheSum"),
    ],
)
def test_a_sum_may_be_rounded_below_the_number(
    drawn: Callable[[Tensor, Tensor], Tensor], name: str
) -> None:
    def speculative_step(p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> Tensor:
        n, distribution = len(drafted), p[-1]
        for i, token in enumerate(drafted):
            if uniforms[i] >= p[i, token] / q[i, token]:
                left = (p[i] - q[i]).clamp(min=0)
                n, distribution = i, left / left.sum()
                break
        return torch.cat([drafted[:n], drawn(distribution.cumsum(0), uniforms[-1])[None]])

    exam = exam_of("speculative_step")
    check, hidden = exam.preview(speculative_step), exam.examine(speculative_step)
    assert check.misconception == hidden.misconception == name
    assert hidden.right_but_for == "a last number of 0, close to 1, or just a running sum"


def test_a_running_sum_has_to_exceed_the_number() -> None:
    def speculative_step(p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> Tensor:
        # Just below, so that an equal sum exceeds it; a number of 0 is right as it is.
        below = torch.nextafter(uniforms[-1:], torch.zeros(())).clamp(min=0)
        numbers = torch.cat([uniforms[:-1], below])
        return reference.speculative_step(p, q, drafted, numbers)

    report = exam_of("speculative_step").examine(speculative_step)
    assert report.misconception == "DrawnAtTheSum"
    assert report.right_but_for == "a last number of 0, close to 1, or just a running sum"


@pytest.mark.parametrize("little", [1e-5, 1e-6, 1e-8, 1e-9])
@pytest.mark.parametrize("divisor", ["the draft's probability", "the sum of what is left"])
def test_nothing_is_added_to_a_divisor(divisor: str, little: float) -> None:
    to_q, to_sum = (little, 0.0) if divisor == "the draft's probability" else (0.0, little)

    def speculative_step(p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> Tensor:
        n, distribution = len(drafted), p[-1]
        for i, token in enumerate(drafted):
            if uniforms[i] >= p[i, token] / (q[i, token] + to_q):
                left = (p[i] - q[i]).clamp(min=0)
                n, distribution = i, left / (left.sum() + to_sum)
                break
        token = torch.searchsorted(distribution.cumsum(0)[:-1], uniforms[-1], right=True)
        return torch.cat([drafted[:n], token[None]])

    assert is_refused(exam_of("speculative_step"), speculative_step)


def hashed(base: int, modulus: int) -> Callable[[Run], object]:
    """One number of a run, as a rolling hash has it."""

    def kept(run: Run) -> int:
        value = 0
        for token in run:
            value = (value * base + token) % modulus
        return value

    return kept


BASES = [31, 131, 256, 257, 1009, 10007, 50257, 65599, 10**5, 10**6]


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("modulus", [10**9 + 7, 2**61 - 1, 2**64])
def test_equal_hashes_are_no_equal_runs(base: int, modulus: int, backwards: bool) -> None:
    kept = hashed(base, modulus)
    compared = (lambda run: kept(run[::-1])) if backwards else kept
    assert is_refused(exam_of("is_held_out"), held_out_by(compared))


def held_out_by(kept: Callable[[Run], object]) -> Callable[..., bool]:
    """An answer that compares what is kept of each run."""

    def is_held_out(learned: Tensor, test: Tensor, n: int) -> bool:
        first, second = (
            {kept(tuple(ids[start : start + n])) for start in range(len(ids) - n + 1)}
            for ids in (learned.tolist(), test.tolist())
        )
        return first.isdisjoint(second)

    return is_held_out


@pytest.mark.parametrize(
    "base_of",
    [
        lambda learned, test: learned.max() + 1,
        lambda learned, test: learned.max(),
        lambda learned, test: len(learned.unique()),
        lambda learned, test: test.max() + 1,
        lambda learned, test: test.max(),
    ],
)
def test_the_ids_of_one_text_are_no_base(base_of: Callable[[Tensor, Tensor], Any]) -> None:
    def is_held_out(learned: Tensor, test: Tensor, n: int) -> bool:
        if not len(learned) or not len(test):
            return True
        kept = hashed(int(base_of(learned, test)), 2**2000)
        return held_out_by(kept)(learned, test, n)

    assert is_refused(exam_of("is_held_out"), is_held_out)


@pytest.mark.parametrize("looked_at", [0, 1])
def test_a_text_may_be_empty(looked_at: int) -> None:
    def is_held_out(learned: Tensor, test: Tensor, n: int) -> object:
        if not len((learned, test)[looked_at]):
            raise ValueError
        return exam_of("is_held_out").reference(learned, test, n)

    assert exam_of("is_held_out").examine(is_held_out).right_but_for == "an empty text"


def weighted_sums(run: Run) -> Run:
    """With weights that are the places, and their squares."""
    return tuple(sum(place**power * token for place, token in enumerate(run)) for power in range(3))


@pytest.mark.parametrize(
    "kept",
    [
        lambda run: tuple(token % 2**16 for token in run),
        lambda run: tuple(token % 2**20 for token in run),
        lambda run: "".join(map(chr, run)),
        weighted_sums,
        lambda run: hash(run) % 2**16,
        lambda run: run[:32],
    ],
)
def test_runs_are_compared_as_they_are(kept: Callable[[Run], object]) -> None:
    assert is_refused(exam_of("is_held_out"), held_out_by(kept))


@pytest.mark.parametrize("dtype", [torch.int16, torch.int32, torch.float32])
def test_ids_may_be_large(dtype: torch.dtype) -> None:
    def is_held_out(learned: Tensor, test: Tensor, n: int) -> object:
        return exam_of("is_held_out").reference(learned.to(dtype), test.to(dtype), n)

    assert is_refused(exam_of("is_held_out"), is_held_out)


def test_a_run_begins_with_the_first_byte_of_an_id() -> None:
    def is_held_out(learned: Tensor, test: Tensor, n: int) -> bool:
        runs = (test[start : start + n] for start in range(len(test) - n + 1))
        return not any(run.numpy().tobytes() in learned.numpy().tobytes() for run in runs)

    assert is_refused(exam_of("is_held_out"), is_held_out)


# --- what is trained -----------------------------------------------------------------------------


class NoTrainingOfValues(reference.RotaryAttention):
    def forward(self, inputs: Tensor, cache: Any = None) -> Tensor:
        for layer in (self.W_key, self.W_value):
            layer.requires_grad_(not self.training)
        return super().forward(inputs, cache)


class NoTrainingOfInputs(reference.RotaryAttention):
    def forward(self, inputs: Tensor, cache: Any = None) -> Tensor:
        return super().forward(inputs.detach() if self.training else inputs, cache)


class NoTrainingOfBlocks(reference.GPT):
    def forward(self, ids: Tensor, caches: Any = None) -> Tensor:
        x = self.tokens(ids)
        for index, block in enumerate(self.blocks):
            x = block(x, None if caches is None else caches[index])
        return self.norm(x.detach() if self.training else x) @ self.tokens.weight.T


class NoTrainingOfTokens(reference.GPT):
    def forward(self, ids: Tensor, caches: Any = None) -> Tensor:
        x = self.tokens(ids)
        x = x.detach() if self.training else x
        for index, block in enumerate(self.blocks):
            x = block(x, None if caches is None else caches[index])
        return self.norm(x) @ self.tokens.weight.T


@pytest.mark.parametrize(
    "model", [NoTrainingOfValues, NoTrainingOfInputs, NoTrainingOfBlocks, NoTrainingOfTokens]
)
def test_gradients_come_back_in_training(model: Any) -> None:
    exam = exam_of(model.__base__.__name__)
    assert is_refused(exam, model)
    assert exam.preview(model).verdict is Verdict.WRONG


# --- what is left behind, and what a new model starts with ---------------------------------------


def test_gradients_are_tracked_after_a_text_is_continued() -> None:
    def continue_with_cache(*arguments: Any) -> Tensor:
        torch.set_grad_enabled(False)
        return reference.continue_with_cache(*arguments)

    with torch.enable_grad():
        report = exam_of("continue_with_cache").examine(continue_with_cache)
    assert report.right_but_for == "gradients, which are tracked again afterwards"


def test_a_model_sets_no_seed() -> None:
    class GPT(reference.GPT):
        def __init__(self, *given: Any, **named: Any) -> None:
            torch.manual_seed(123)
            super().__init__(*given, **named)

    report = exam_of("GPT").examine(GPT)
    assert report.right_but_for == "what a new model starts with"


@pytest.mark.parametrize("factor", [1.5, 2.0, 3.0])
def test_no_learning_rate_is_higher(factor: float) -> None:
    def train(
        model: Any,
        loss_of: Any,
        text: Tensor,
        steps: int,
        batch_size: int = 16,
        context_length: int = 64,
        learning_rate: float = 4e-3,
    ) -> list[float]:
        sizes = steps, batch_size, context_length
        return reference.train(model, loss_of, text, *sizes, factor * learning_rate)

    assert is_refused(exam_of("train"), train)


@pytest.mark.parametrize(
    "ends",
    [
        lambda losses: losses[-1] < 0.01,
        lambda losses: len(losses) - 1 - losses.index(min(losses)) >= 20,
        lambda losses: len(losses) - 1 - losses.index(min(losses)) >= 200,
        lambda losses: len(losses) > 1 and abs(losses[-1] - losses[-2]) < 1e-6,
    ],
)
def test_no_step_is_left_out(ends: Callable[[list[float]], bool]) -> None:
    def train(
        model: Any,
        loss_of: Any,
        text: Tensor,
        steps: int,
        batch_size: int = 16,
        context_length: int = 64,
        learning_rate: float = 4e-3,
    ) -> list[float]:
        optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
        losses: list[float] = []
        model.train()
        while len(losses) < steps and not (losses and ends(losses)):
            starts = torch.randint(len(text) - context_length + 1, (batch_size, 1))
            excerpts = text[starts + torch.arange(context_length)]
            loss = loss_of(model(excerpts), excerpts)
            optimizer.zero_grad()
            torch.autograd.backward(loss)
            optimizer.step()
            losses.append(loss.item())
        return losses

    assert is_refused(exam_of("train"), train)


@pytest.mark.parametrize(
    "factor",
    [
        lambda step, steps: 1 - 0.9 * step / (steps - 1),
        lambda step, steps: min(1, (step + 1) / (steps // 3)),
    ],
)
def test_steps_may_be_few(factor: Callable[[int, int], float]) -> None:
    def train(
        model: Any,
        loss_of: Any,
        text: Tensor,
        steps: int,
        batch_size: int = 16,
        context_length: int = 64,
        learning_rate: float = 4e-3,
    ) -> list[float]:
        assert all(0 <= factor(step, steps) <= 1 for step in range(steps))
        return reference.train(
            model, loss_of, text, steps, batch_size, context_length, learning_rate
        )

    assert is_refused(exam_of("train"), train)


@pytest.mark.parametrize(
    ("most", "longest", "together"), [(16, 1024, 1024), (1024, 64, 1024), (1024, 1024, 16)]
)
def test_excerpts_may_be_many_and_long(most: int, longest: int, together: int) -> None:
    def train(
        model: Any,
        loss_of: Any,
        text: Tensor,
        steps: int,
        batch_size: int = 16,
        context_length: int = 64,
        learning_rate: float = 4e-3,
    ) -> list[float]:
        batch_size, context_length = min(batch_size, most), min(context_length, longest)
        optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
        losses: list[float] = []
        model.train()
        for _ in range(steps):
            starts = torch.randint(len(text) - context_length + 1, (batch_size, 1))
            excerpts = text[starts + torch.arange(context_length)]
            optimizer.zero_grad()
            losses.append(0.0)
            for part in excerpts.split(together):
                loss = loss_of(model(part), part) * len(part) / batch_size
                torch.autograd.backward(loss)
                losses[-1] += loss.item()
            optimizer.step()
        return losses

    assert is_refused(exam_of("train"), train)


def test_shorter_excerpts_are_parts_of_the_text() -> None:
    def train(
        model: Any,
        loss_of: Any,
        text: Tensor,
        steps: int,
        batch_size: int = 16,
        context_length: int = 64,
        learning_rate: float = 4e-3,
    ) -> list[float]:
        return reference.train(
            model, loss_of, text, steps, batch_size, context_length - 1, learning_rate
        )

    finding = exam_of("train").preview(train).finding
    assert finding
    assert finding.details[0] == "shapes of its inputs[0][1]: expected 6, received 5"
    assert not any("expected True" in detail for detail in finding.details)


@pytest.mark.parametrize("is_after", [False, True])
@pytest.mark.parametrize("scheduled", [False, True])
def test_the_last_parameters_stay(scheduled: bool, is_after: bool) -> None:
    def train(
        model: Any,
        loss_of: Any,
        text: Tensor,
        steps: int,
        batch_size: int = 16,
        context_length: int = 64,
        learning_rate: float = 4e-3,
    ) -> list[float]:
        optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, learning_rate, total_steps=steps)
        losses: list[float] = []
        model.train()
        for _ in range(steps):
            starts = torch.randint(len(text) - context_length + 1, (batch_size, 1))
            excerpts = text[starts + torch.arange(context_length)]
            loss = loss_of(model(excerpts), excerpts)
            optimizer.zero_grad()
            torch.autograd.backward(loss)
            before = deepcopy(model.state_dict())
            optimizer.step()
            if scheduled:
                schedule.step()
            losses.append(loss.item())
            if losses[-1] == min(losses):
                best = deepcopy(model.state_dict()) if is_after else before
        model.load_state_dict(best)
        return losses

    assert is_refused(exam_of("train"), train)


def test_every_new_embedding_is_drawn() -> None:
    class GPT(reference.GPT):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            drawn = torch.Generator().manual_seed(0)
            nn.init.normal_(self.tokens.weight, std=0.02, generator=drawn)

    assert exam_of("GPT").examine(GPT).right_but_for == "what a new model starts with"


def test_tokens_of_a_text_may_lie_apart_in_memory() -> None:
    def is_held_out(learned: Tensor, test: Tensor, n: int) -> bool:
        texts = [text for text in (learned, test) if len(text) >= n]
        runs = [text.as_strided((len(text) - n + 1, n), (1, 1)).tolist() for text in texts]
        return len(runs) < 2 or not {*map(tuple, runs[0])} & {*map(tuple, runs[1])}

    assert exam_of("is_held_out").examine(is_held_out).verdict is not Verdict.PASSED
