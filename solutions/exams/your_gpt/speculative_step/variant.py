"""A speculative step in steps, for misconceptions to get one of them wrong."""

from typing import Any

import torch
from torch import Tensor

from solutions.exams.in_steps import declares
from solutions.exams.your_gpt.speculative_step.exam import speculating


class Speculating:
    """An answer of which each step can be another one."""

    def __call__(self, p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> Any:
        """Accept, reject and draw."""
        accepted = self.accepted(p, q, drafted, uniforms)
        token = self.drawn(self.distribution(p, q, accepted), self.number(uniforms, accepted))
        return self.returned(drafted, accepted, token)

    def accepted(self, p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> int:
        for i, token in enumerate(drafted.tolist()):
            if not self.keeps(p[i], q[i], token, uniforms[i]):
                return i
        return len(drafted)

    def keeps(self, p: Tensor, q: Tensor, token: int, u: Tensor) -> bool:
        return bool(u < p[token] / q[token])

    def distribution(self, p: Tensor, q: Tensor, accepted: int) -> Tensor:
        if accepted == len(q):
            return p[accepted]
        return self.scaled(self.residual(p[accepted], q[accepted]))

    def residual(self, p: Tensor, q: Tensor) -> Tensor:
        return torch.clamp(p - q, min=0)

    def scaled(self, residual: Tensor) -> Tensor:
        return residual / residual.sum()

    def number(self, uniforms: Tensor, accepted: int) -> Tensor:
        return uniforms[-1]

    def drawn(self, distribution: Tensor, u: Tensor) -> Tensor:
        return torch.searchsorted(distribution.cumsum(0)[:-1], u, right=True)

    def returned(self, drafted: Tensor, accepted: int, token: Tensor) -> Any:
        return torch.cat([drafted[:accepted], token.view(1)])


class Beyond(Speculating):
    """An answer that draws a token past the vocabulary where no running sum exceeds the number."""

    def drawn(self, distribution: Tensor, u: Tensor) -> Tensor:
        return torch.searchsorted(distribution.cumsum(0), u, right=True)


class ByArgmax(Speculating):
    """An answer that draws token 0 where no running sum exceeds the number."""

    def drawn(self, distribution: Tensor, u: Tensor) -> Tensor:
        return (distribution.cumsum(0) > u).int().argmax()


declared = declares(speculating)
