"""Right answers as published code has them, lesson 03."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from solutions.exams.trainable_weights.attend_columns import columns
from solutions.exams.trainable_weights.attend_token import token
from solutions.exams.trainable_weights.copy_weights_v2_to_v1 import copied
from solutions.exams.trainable_weights.is_key_shift_invariant import shifted
from solutions.exams.trainable_weights.project import projected
from solutions.exams.trainable_weights.scaled_dot_product_attention import attention
from solutions.exams.trainable_weights.score_variance import variance
from solutions.exams.trainable_weights.self_attention_v1 import v1
from solutions.exams.trainable_weights.self_attention_v2 import v2
from solutions.exams.trainable_weights.softmax_jacobian import jacobian


@projected.accepts
def projected_at_once(
    inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> tuple[Tensor, ...]:
    """One product with the three matrices side by side."""
    qkv = torch.mm(inputs, torch.cat([W_query, W_key, W_value], dim=-1))
    return torch.split(qkv, [W_query.size(1), W_key.size(1), W_value.size(1)], dim=-1)


@token.accepts
def token_by_letters(
    i: int, queries: Tensor, keys: Tensor, values: Tensor
) -> tuple[Tensor, Tensor]:
    """Letters, and a scale made as a tensor."""
    omega_i = torch.einsum("d,td->t", queries[i], keys)
    attention_weights_i = functional.softmax(omega_i / torch.sqrt(torch.tensor(keys.size(1))), -1)
    return torch.einsum("t,td->d", attention_weights_i, values), attention_weights_i


@token.accepts
def token_as_a_row(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """The query kept as a matrix of one row."""
    query = queries.narrow(0, i, 1)
    scores = torch.mm(query, keys.t()).div(math.sqrt(keys.size(-1)))
    weights = nn.Softmax(dim=-1)(scores)
    return torch.mm(weights, values).squeeze(0), weights.squeeze(0)


@attention.accepts
def attention_in_float32(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """The softmax in float32 and back, as in published models."""
    scores = torch.matmul(queries, keys.transpose(-2, -1)) * queries.size(-1) ** -0.5
    weights = functional.softmax(scores, dim=-1, dtype=torch.float32).to(queries.dtype)
    return torch.matmul(weights, values)


@attention.accepts
def attention_scaled_first(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """The queries scaled before the product."""
    scale = torch.FloatTensor([keys.shape[-1]]).sqrt().type_as(queries)
    return ((queries / scale) @ keys.mT).softmax(dim=-1) @ values


@variance.accepts
def variance_by_hand(d_k: int, n: int, seed: int) -> float:
    """The mean of the squares less the square of the mean."""
    g = torch.Generator().manual_seed(seed)
    q, k = torch.randn(n, d_k, generator=g), torch.randn(n, d_k, generator=g)
    scores = torch.einsum("nd,nd->n", q, k)
    return float((scores**2).mean() - scores.mean() ** 2)


@columns.accepts
def columns_as_rows(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """Words turned into rows and back."""
    Q, K, V = (functional.linear(X.T, W) for W in (W_query, W_key, W_value))
    return functional.scaled_dot_product_attention(Q, K, V).T


@columns.accepts
def columns_by_letters(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """Letters for all axes."""
    Q, K, V = (torch.einsum("oi,iw->ow", W, X) for W in (W_query, W_key, W_value))
    A = torch.softmax(torch.einsum("dk,dq->kq", K, Q) / math.sqrt(len(K)), dim=0)
    return torch.einsum("dk,kq->dq", V, A)


@v1.accepts
class LazyV1(nn.Module):
    """Layers that are told of their inputs by the first ones."""

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W_query = nn.LazyLinear(d_out, bias=False)
        self.W_key = nn.LazyLinear(d_out, bias=False)
        self.W_value = nn.LazyLinear(d_out, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        scores = self.W_query(x) @ self.W_key(x).T
        weights = torch.softmax(scores / self.W_key.out_features**0.5, dim=-1)
        result: Tensor = weights @ self.W_value(x)
        return result


@v1.accepts
class FusedV1(nn.Module):
    """Parameters that are put side by side for one product."""

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        for name in ("W_query", "W_key", "W_value"):
            self.register_parameter(name, nn.Parameter(torch.empty(d_in, d_out).uniform_(-1, 1)))

    def forward(self, x: Tensor) -> Tensor:
        parts: list[Tensor] = [*self.parameters()]
        q, k, v = torch.chunk(x @ torch.cat(parts, dim=1), 3, dim=-1)
        return functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]


@v2.accepts
class LazyV2(nn.Module):
    """Lazy layers, and the weights from a logarithm."""

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.W_query, self.W_key, self.W_value = (
            nn.LazyLinear(d_out, bias=qkv_bias) for _ in range(3)
        )
        self.scale = 1 / math.sqrt(d_out)

    def forward(self, x: Tensor) -> Tensor:
        dots = torch.einsum("id,jd->ij", self.W_query(x), self.W_key(x)) * self.scale
        attn = torch.exp(dots - torch.logsumexp(dots, dim=-1, keepdim=True))
        return torch.einsum("ij,jd->id", attn, self.W_value(x))


@copied.accepts
def copied_by_transposing(v2_state: dict[str, Tensor]) -> dict[str, Tensor]:
    """A loop over the state."""
    state = {}
    for key, weight in v2_state.items():
        if key.endswith(".weight"):
            state[key.replace(".weight", "")] = torch.transpose(weight, 0, 1).contiguous()
    return state


@shifted.accepts
def shifted_by_isclose(
    attention: Callable[[Tensor, Tensor, Tensor], Tensor],
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    shift: Tensor,
) -> bool:
    """torch.isclose on all numbers, the keys copied first."""
    moved = keys.clone().add_(shift)
    expected, actual = attention(queries, keys, values), attention(queries, moved, values)
    return torch.isclose(actual, expected, rtol=1e-4, atol=1e-6).all().item() is True


@jacobian.accepts
def jacobian_by_factors(p: Tensor) -> Tensor:
    """Kronecker's delta less p, times p."""
    delta = torch.eye(p.shape[0], dtype=p.dtype)
    return p.reshape(-1, 1) * (delta - p.reshape(1, -1))


@jacobian.accepts
def jacobian_by_diagflat(p: Tensor) -> Tensor:
    """A column times a row."""
    column = p.reshape(-1, 1)
    return torch.diagflat(column) - torch.mm(column, column.T)


@jacobian.accepts
def jacobian_by_letters(p: Tensor) -> Tensor:
    """An index expression."""
    return p.diag_embed() - torch.einsum("i,j->ij", p, p)


@jacobian.accepts
def jacobian_by_autograd(p: Tensor) -> Tensor:
    """PyTorch's own derivatives, at scores that have these weights."""
    scores = torch.log(p).requires_grad_()
    weights = functional.softmax(scores, dim=0)
    rows = [torch.autograd.grad(weight, scores, retain_graph=True)[0] for weight in weights]
    return torch.stack(rows)
