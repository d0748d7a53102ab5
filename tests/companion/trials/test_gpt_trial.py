"""Modules with caches are tried whole and in chunks, and what is wrong is seen."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from companion import LibraryGPT
from companion.gpt.attention import LibraryRotaryAttention
from companion.trials.gpt_trial import WeightMismatch, try_attention, try_gpt
from solutions import your_gpt as reference
from solutions.exams.printed_numbers import numbers
from solutions.exams.your_gpt._modules import attention_shapes, gpt_shapes, printed

SIZES = {"d_model": 8, "num_heads": 4, "num_kv_heads": 2}
GPT_SIZES = {"vocabulary": 7, **SIZES, "d_hidden": 3, "num_blocks": 2}
INPUTS = numbers(2, 5, 8)
IDS = torch.tensor([[1, 2, 3, 4, 0], [6, 5, 4, 4, 1]])
CHUNKS = [(), (5,), (2, 1, 2), (1, 1, 1, 1, 1)]


def assert_same(found: dict[str, Any], expected: dict[str, Any]) -> None:
    assert list(found) == list(expected)
    for name, value in found.items():
        if isinstance(value, Tensor):
            torch.testing.assert_close(value, expected[name])
        else:
            assert value == expected[name], name


def tried(module_class: Any, chunks: tuple[int, ...] = ()) -> dict[str, Any]:
    return try_attention(module_class, SIZES, printed(attention_shapes(SIZES)), (INPUTS,), chunks)


def model_tried(model_class: Any, chunks: tuple[int, ...] = ()) -> dict[str, Any]:
    return try_gpt(model_class, GPT_SIZES, printed(gpt_shapes(GPT_SIZES)), (IDS,), chunks)


@pytest.mark.parametrize("chunks", CHUNKS)
def test_library_does_what_the_reference_does(chunks: tuple[int, ...]) -> None:
    assert_same(tried(LibraryRotaryAttention, chunks), tried(reference.RotaryAttention, chunks))
    assert_same(model_tried(LibraryGPT, chunks), model_tried(reference.GPT, chunks))


@pytest.mark.parametrize("chunks", CHUNKS[1:])
def test_chunks_give_what_the_whole_gives(chunks: tuple[int, ...]) -> None:
    found, whole = tried(LibraryRotaryAttention, chunks), tried(LibraryRotaryAttention)
    torch.testing.assert_close(found["output"], whole["output"].detach())
    assert found["the same output without a cache"] is True
    assert found["the cache: length"] == 5
    assert found["the cache: keys"].shape == (2, 2, 5, 2)
    assert model_tried(LibraryGPT, chunks)["caches[1]: length"] == 5


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_complex_buffer_keeps_its_imaginary_part(dtype: torch.dtype) -> None:
    class Turning(reference.RotaryAttention):
        def __init__(self, *sizes: Any, **named: Any) -> None:
            super().__init__(*sizes, **named)
            self.register_buffer("turn", torch.tensor(1j, dtype=torch.complex64))

        def forward(self, inputs: Tensor, cache: Any = None) -> Tensor:
            return super().forward(inputs * (-self.turn * 1j).real, cache)

    weights = {name: one.to(dtype) for name, one in printed(attention_shapes(SIZES)).items()}
    inputs = (INPUTS.to(dtype),)
    both = Turning, reference.RotaryAttention
    found, expected = (try_attention(one, SIZES, weights, inputs, ()) for one in both)
    torch.testing.assert_close(found["output"], expected["output"])


def test_another_text_is_noticed() -> None:
    class Counting(reference.RotaryAttention):
        calls = 0

        def forward(self, inputs: Tensor, cache: Any = None) -> Tensor:
            self.calls += 1
            return self.calls * super().forward(inputs, cache)

    assert tried(Counting)["the same output in a second call"] is False
    assert tried(Counting, (5,))["the same output without a cache"] is False


def test_what_gets_no_gradient_is_named() -> None:
    class Detached(reference.GPT):
        def forward(self, ids: Tensor, caches: Any = None) -> Tensor:
            self.norm.weight.requires_grad_(False)
            return super().forward(ids, caches)

    assert model_tried(Detached)["parameters without a gradient"] == ["norm.weight"]


def test_shared_weights_are_one() -> None:
    class Tied(reference.GPT):
        def __init__(self, vocabulary: int, d_model: int, *sizes: Any, **named: Any) -> None:
            super().__init__(vocabulary, d_model, *sizes, **named)
            self.head = nn.Linear(d_model, vocabulary, bias=False)
            self.head.weight = self.tokens.weight

    assert_same(model_tried(Tied), model_tried(reference.GPT))


def test_other_parameters_are_refused() -> None:
    class Headed(reference.GPT):
        def __init__(self, **sizes: Any) -> None:
            super().__init__(**sizes)
            self.head = nn.Linear(sizes["d_model"], sizes["vocabulary"], bias=False)

    class Biased(reference.RotaryAttention):
        def __init__(self, **sizes: Any) -> None:
            super().__init__(**sizes)
            self.W_key = nn.Linear(8, 4)

    class Wide(reference.RotaryAttention):
        def __init__(self, **sizes: Any) -> None:
            super().__init__(**sizes)
            self.W_key = nn.Linear(8, 8, bias=False)

    with pytest.raises(WeightMismatch, match=r"not asked for, of shape \(7, 8\)"):
        model_tried(Headed)
    with pytest.raises(WeightMismatch, match=r"not asked for: W_key.bias"):
        tried(Biased)
    with pytest.raises(WeightMismatch, match=r"W_key, an nn.Linear\(8, 4\); W_key.weight is"):
        tried(Wide)


def test_new_model_is_looked_at() -> None:
    sizes = {**GPT_SIZES, "vocabulary": 1000}
    looked_at = try_gpt(reference.GPT, sizes, {}, ())
    assert looked_at == {
        "standard deviation of tokens.weight, to one digit": 0.02,
        "mean of tokens.weight, up to chance": 0,
        "kurtosis of tokens.weight, to one digit": 3.0,
    }

    class Uniform(reference.GPT):
        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            nn.init.uniform_(self.tokens.weight, -0.035, 0.035)

    assert try_gpt(Uniform, sizes, {}, ()) == {
        **looked_at,
        "kurtosis of tokens.weight, to one digit": 2.0,
    }

    class Shifted(reference.GPT):
        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            self.tokens.weight.data += 0.01

    assert try_gpt(Shifted, sizes, {}, ())["mean of tokens.weight, up to chance"] > 0.009
