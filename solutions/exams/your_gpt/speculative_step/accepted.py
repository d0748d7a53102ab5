"""Right answers to `speculative_step` in other styles."""

import torch
from torch import Tensor
from torch.distributions import Categorical

from solutions.exams.your_gpt.speculative_step.exam import speculating


@speculating.accepts
def all_at_once(p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> Tensor:
    """All ratios at once, and a running product of what was accepted.

    It compares all drafted tokens at once. The running product of the comparisons is 1 up to the
    first rejection and 0 from there on, so its sum counts the accepted tokens.
    """
    places = torch.arange(len(drafted))
    ratios = p[places, drafted] / q[places, drafted]
    accepted = int((uniforms[:-1] < ratios).int().cumprod(dim=0).sum())
    if accepted < len(drafted):
        left = torch.relu(p[accepted] - q[accepted])
        distribution = left / left.sum()
    else:
        distribution = p[accepted]
    token = int((distribution.cumsum(dim=0)[:-1] <= uniforms[-1]).sum())
    return torch.tensor([*drafted[:accepted].tolist(), token])


@speculating.accepts
def returned_at_once(p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> Tensor:
    """Lists and loops, the ratio cut off at 1, and a return within the loop."""

    def draw(probabilities: list[float]) -> int:
        total = 0.0
        for token, probability in enumerate(probabilities):
            total += probability
            if total > uniforms[-1]:
                return token
        return len(probabilities) - 1

    tokens: list[int] = []
    for i in range(len(drafted)):
        token = int(drafted[i])
        if float(uniforms[i]) < min(1.0, float(p[i, token] / q[i, token])):
            tokens.append(token)
            continue
        left = [max(0.0, a - b) for a, b in zip(p[i].tolist(), q[i].tolist(), strict=True)]
        return torch.tensor([*tokens, draw([x / sum(left) for x in left])])
    return torch.tensor([*tokens, draw(p[-1].tolist())])


@speculating.accepts
def a_row_of_zeros(p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> Tensor:
    """A row of zeros below q, so that both ends are one case.

    With a row of zeros appended to q, max(0, p − q) is p itself after the last drafted token, so a
    rejected token and a draft that is accepted as a whole need no case of their own.
    """
    q = torch.cat([q, torch.zeros_like(q[:1])])
    accepted = 0
    while (
        accepted < len(drafted)
        and uniforms[accepted] * q[accepted, drafted[accepted]] < p[accepted, drafted[accepted]]
    ):
        accepted += 1
    sums = (p[accepted] - q[accepted]).clip(0).cumsum(0)
    token = (sums <= uniforms[-1] * sums[-1]).sum()
    return torch.hstack([drafted[:accepted], token])


@speculating.accepts
def by_its_first_rejection(p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> Tensor:
    """The places of all rejections, of which the first counts."""
    ratios = (p[:-1] / q).gather(1, drafted[:, None])[:, 0]
    rejected = (ratios <= uniforms[:-1]).nonzero()[:, 0].tolist()
    n = rejected[0] if rejected else len(drafted)
    weights = torch.maximum(p[n] - q[n], torch.zeros(())) if rejected else p[n]
    probabilities = Categorical(weights).probs
    token = (probabilities.cumsum(0) > uniforms[-1]).nonzero()[0]
    return torch.cat((drafted[:n], token))
