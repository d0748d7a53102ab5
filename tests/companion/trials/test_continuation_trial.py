"""The driver that notes what a model with caches is called with."""

import pytest
import torch
from torch import Tensor

from companion.trials.continuation_trial import Asked, try_continuation

PROMPT = torch.tensor([[1, 2]])


def nothing_written(model: object, ids: Tensor, *_: object) -> Tensor:
    return ids


def one_token(model, ids: Tensor, caches, num_new_tokens: int, choose) -> Tensor:  # type: ignore[no-untyped-def]
    logits = model(ids, caches)
    return torch.cat([ids, choose(logits[:, -1])[:, None]], dim=1)


def test_calls_are_noted() -> None:
    found = try_continuation(one_token, "adds_up", PROMPT, 1, "the most likely")
    (given,) = found["given to the model"]  # type: ignore[misc]
    assert torch.equal(given, PROMPT)
    assert found["shapes given to choose"] == [(1, 10)]
    assert found["gradients are tracked"]
    assert found["tokens in each cache"] == [2, 2]
    # 1 + 2, and one more.
    assert torch.equal(found["text"], torch.tensor([[1, 2, 4]]))  # type: ignore[arg-type]


def test_without_gradients() -> None:
    with torch.no_grad():
        found = try_continuation(one_token, "gpt", PROMPT, 1, "the least likely")
    assert not found["gradients are tracked"]


def test_nothing_to_write() -> None:
    assert try_continuation(nothing_written, "adds_up", PROMPT, 0, "in turn") == {"text": PROMPT}


def without_caches(model, ids: Tensor, caches, num_new_tokens: int, choose) -> Tensor:  # type: ignore[no-untyped-def]
    for _ in range(num_new_tokens):
        ids = torch.cat([ids, choose(model(ids)[:, -1])[:, None]], dim=1)
    for cache in caches:
        keys = torch.zeros(len(ids), 1, ids.shape[1] - 1, 1)
        cache.append(keys, keys)
    return ids


def test_what_is_over_there_says_nothing_of_calls_and_caches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The model beside the answer is replaced by one that says what is expected."""

    def forged(self: Asked, ids: Tensor, caches: object = None) -> Tensor:
        return self._logits_of(ids, [])

    monkeypatch.setattr(Asked, "forward", forged)
    found = try_continuation(without_caches, "adds_up", PROMPT, 2, "the most likely")
    assert [one.shape[1] for one in found["given to the model"]] == [2, 3]  # type: ignore[attr-defined]
    assert found["tokens in each cache"] == [0, 0]
