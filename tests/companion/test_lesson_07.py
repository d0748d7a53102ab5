"""What lesson 07 imports: its picture, its timings, its small model, its driver, its specimens."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle
from torch.nn.functional import scaled_dot_product_attention
from torch.testing import assert_close

from companion.drawing.theme import DARK, LIGHT
from companion.models.decode_speed import milliseconds_per_token
from companion.models.shared_head_training import convert_and_train, train_multi_head
from companion.pictures.cache_buffer import cache_buffer
from companion.pictures.head_sharing import head_sharing
from companion.specimens import cached_steps
from companion.specimens.cached_steps import Past, Step
from companion.trials.cache_trial import try_cache

STEPS = [
    function
    for name, function in inspect.getmembers(cached_steps, inspect.isfunction)
    if not name.startswith("_") and function.__module__ == cached_steps.__name__
]


def fed(
    step: Callable[[torch.Tensor, Past], Step], inputs: torch.Tensor, size: int
) -> torch.Tensor:
    past, contexts = None, []
    for chunk in inputs.split(size, dim=1):
        context, past = step(chunk, past)
        contexts.append(context)
    return torch.cat(contexts, dim=1)


@pytest.mark.parametrize("step", STEPS)
def test_specimens_are_what_they_say(step: Callable[[torch.Tensor, Past], Step]) -> None:
    inputs = torch.randn(2, 6, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    before = inputs.clone()
    whole = fed(step, inputs, 6)
    exact = all(torch.allclose(fed(step, inputs, size), whole) for size in range(1, 6))
    assert torch.equal(inputs, before)
    assert inspect.getdoc(step).startswith("Exact" if exact else "Not exact")


def test_exact_specimens_are_torchs() -> None:
    inputs = torch.randn(2, 6, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    expected = scaled_dot_product_attention(inputs, inputs, inputs, is_causal=True)
    for step in (cached_steps.attends_to_its_cache, cached_steps.recomputes_everything):
        assert_close(fed(step, inputs, 2), expected)


def test_sharing_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = []

    class Recorded(Figure):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            figures.append(self)

    monkeypatch.setattr("companion.drawing.figure.Figure", Recorded)
    head_sharing({"grouped": (6, 2)}, alt="Six on two.")
    assert len(figures) == 2
    for figure in figures:
        (axes,) = figure.axes
        boxes = [patch for patch in axes.patches if isinstance(patch, FancyBboxPatch)]
        assert len(boxes) == 6 + 2 * 2
        ends = [np.asarray(line.get_xdata()) for line in axes.lines]
        assert [(start, end) for start, end in ends] == [
            (head + 0.5, 1.5 if head < 3 else 4.5) for head in range(6)
        ]
        assert axes.get_title() == "grouped"


def test_buffer_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = []

    class Recorded(Figure):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            figures.append(self)

    monkeypatch.setattr("companion.drawing.figure.Figure", Recorded)
    cache_buffer(["a", "b", "c"], new=2, max_tokens=5, alt="Two new tokens.")
    assert len(figures) == 2
    for figure, theme in zip(figures, (LIGHT, DARK), strict=True):
        (axes,) = figure.axes
        slots = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
        filled, new = to_rgba(theme.cycle[0]), to_rgba(theme.cycle[1])
        unwritten = to_rgba(theme.faint)
        expected = [filled, filled, *[new] * 4, *[unwritten] * 4]
        assert [slot.get_facecolor() for slot in slots] == expected
        texts = [text.get_text() for text in axes.texts]
        assert {"before: 1", "after: 3", "2 new keys and values"} < set(texts)
        assert [texts.count(word) for word in ("a", "b", "c")] == [2, 2, 2]


@pytest.mark.parametrize(("new", "max_tokens"), [(0, 3), (3, 3), (1, 1)])
def test_impossible_buffer_is_refused(new: int, max_tokens: int) -> None:
    with pytest.raises(ValueError, match="There are 2 words"):
        cache_buffer(["a", "b"], new=new, max_tokens=max_tokens, alt="Nothing.")


@pytest.mark.parametrize("panels", [{}, {"odd": (6, 4)}, {"none": (6, 0)}])
def test_uneven_sharing_is_refused(panels: dict[str, tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match=r"at least one panel|pass a multiple"):
        head_sharing(panels, alt="Nothing.")


def test_time_leaves_threads_alone() -> None:
    threads = torch.get_num_threads()
    assert milliseconds_per_token(4, 2, 8, 16, repeats=1) > 0
    assert torch.get_num_threads() == threads


def test_more_to_read_takes_longer() -> None:
    assert milliseconds_per_token(16, 16, 64, 8192, 3) > 2 * milliseconds_per_token(16, 1, 64, 8192)


@pytest.mark.long
def test_converted_model_recovers() -> None:
    """What the lesson says of the conversion, within a wide margin."""
    model = train_multi_head()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    same = convert_and_train(model, 8, steps=0)
    assert same.right > 0.99
    halved, mean = (convert_and_train(model, n, "mean") for n in (4, 2))
    first, drawn = convert_and_train(model, 2, "first"), convert_and_train(model, 2, "random")
    assert 0.5 < halved.right < 0.85
    assert 0.2 < mean.right < 0.6
    assert halved.right_in_the_end > 0.98
    assert mean.right_in_the_end > 0.95
    assert mean.losses[0] < first.losses[0]
    assert mean.losses[-1] < first.losses[-1] < drawn.losses[-1]
    assert len(mean.losses) == 41
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


class Scribe:
    """A cache that does its job."""

    def __init__(self, batch: int, num_kv_heads: int, max_tokens: int, head_dim: int, dtype):
        self.empty = torch.zeros(2, batch, num_kv_heads, 0, head_dim, dtype=dtype)
        self.reset()

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        self.kept = torch.cat([self.kept, torch.stack([keys, values])], dim=3)
        return self.kept[0], self.kept[1]

    def reset(self) -> None:
        self.kept = self.empty

    @property
    def length(self) -> int:
        return self.kept.shape[3]


class Narrow(Scribe):
    """Two tokens at most."""

    def append(self, keys, values):
        if self.length + keys.shape[2] > 2:
            raise ValueError("full")
        return super().append(keys, values)


def test_trial_goes_on_after_a_refusal() -> None:
    settings = {"batch": 1, "num_kv_heads": 1, "max_tokens": 2, "head_dim": 1}
    one, two = torch.ones(1, 1, 1, 1), torch.ones(1, 1, 2, 1)
    seen = try_cache(Narrow, settings, [[(one, one), (two, two), (one, one)]])
    assert seen["text 1, chunk 2"] == "refused, with a ValueError"
    assert [seen[f"text 1, chunk {n}: length"] for n in (1, 2, 3)] == [1, 1, 2]


def test_trial_tells_what_came_back() -> None:
    settings = {"batch": 1, "num_kv_heads": 2, "max_tokens": 4, "head_dim": 1}
    one, two = torch.ones(1, 2, 1, 1), torch.ones(1, 2, 2, 1)
    seen = try_cache(Scribe, settings, [[(one, 2 * one), (two, 2 * two)], [(3 * one, one)]])
    assert [key for key in seen if "length" in key] == [
        "length at first",
        "text 1, chunk 1: length",
        "text 1, chunk 2: length",
        "text 2: length after reset",
        "text 2, chunk 1: length",
        "second cache, chunk 2: length",
    ]
    keys, values = seen["text 1, chunk 2"]
    assert (keys.flatten().tolist(), values.flatten().tolist()) == ([1.0] * 6, [2.0] * 6)
    assert seen["text 2, chunk 1"][0].flatten().tolist() == [3, 3]
    assert seen["second cache, chunk 2"][0].flatten().tolist() == [-1] * 4
    assert (seen["length at first"], seen["text 2: length after reset"]) == (0, 0)


def test_trial_does_what_a_cache_may_not_expect() -> None:
    """Both are reset while they are empty, and one is given what lies in another order.

    A third one stands for arguments in order.
    """
    done = []

    class Noted(Scribe):
        def append(self, keys, values):
            done.append(keys.is_contiguous() and values.is_contiguous())
            return super().append(keys, values)

        def reset(self) -> None:
            super().reset()
            done.append("reset")

    settings = {"batch": 1, "num_kv_heads": 2, "max_tokens": 4, "head_dim": 3}
    one, two = torch.ones(1, 2, 1, 3), torch.ones(1, 2, 2, 3)
    try_cache(Noted, settings, [[(two, two), (one, one)], [(one, one)]])
    made = ["reset", "reset"]
    third = ["reset", True]
    assert done == [*made, "reset", False, True, True, "reset", "reset", True, False, *third]
