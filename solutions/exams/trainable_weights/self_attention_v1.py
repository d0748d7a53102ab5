"""The exam of `SelfAttention_v1`, lesson 03."""

from itertools import combinations

import torch
from torch import Tensor, nn

from autograder import Exam, run_module
from solutions import trainable_weights as reference
from solutions.exams.trainable_weights._self_attention import WithParameters, examine_module
from solutions.exams.trainable_weights._specimens import scaled_weights

v1 = Exam(reference.SelfAttention_v1, use=run_module, forbids=("companion",))

examine_module(v1, WithParameters)


@v1.misconception
class PlainTensors(nn.Module):
    """PyTorch finds no matrices in your module. Are they plain tensors, in a plain list, without
    `self.`, or not made at all? Wrap each in `nn.Parameter` and keep it as `self.W_…`, so that it
    can be found, loaded and trained.
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W_query = torch.rand(d_in, d_out)
        self.W_key = torch.rand(d_in, d_out)
        self.W_value = torch.rand(d_in, d_out)

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        queries, keys, values = x @ self.W_query, x @ self.W_key, x @ self.W_value
        attn_scores = queries @ keys.T / keys.shape[-1] ** 0.5
        return torch.softmax(attn_scores, dim=-1) @ values


def examine_plain(*plain: str) -> None:
    """Parameters, but for some that are plain tensors."""

    class Plain(WithParameters):
        def __init__(self, d_in: int, d_out: int) -> None:
            super().__init__(d_in, d_out)
            for name in plain:
                delattr(self, name)
                setattr(self, name, torch.rand(d_in, d_out))

    Plain.__name__ = f"Plain_{'_'.join(plain)}"
    names, one = " and ".join(f"`{name}`" for name in plain), len(plain) == 1
    Plain.__doc__ = (
        f"PyTorch does not find {names} in your module. "
        f"{'Is it a plain tensor' if one else 'Are they plain tensors'}, in a plain list, without "
        "`self.`, or not made at all? Wrap "
        f"{'it' if one else 'each'} in `nn.Parameter` and keep it as `self.W_…`, so that it can be "
        "found, loaded and trained."
    )
    v1.misconception(Plain)


for count in (1, 2):
    for plain in combinations(("W_query", "W_key", "W_value"), count):
        examine_plain(*plain)


@v1.misconception
class OneStartForAll(WithParameters):
    """Your three matrices share their numbers: what is loaded into one also changes the others, and
    queries, keys and values come out alike. Draw random numbers for each of them.
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__(d_in, d_out)
        start = torch.rand(d_in, d_out)
        self.W_query = nn.Parameter(start)
        self.W_key = nn.Parameter(start)
        self.W_value = nn.Parameter(start)


@v1.misconception
class OneUnderThreeNames(WithParameters):
    """`W_query`, `W_key` and `W_value` are three names of one and the same parameter, so queries,
    keys and values come out alike. Make a parameter for each of them.
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__(d_in, d_out)
        self.W_key = self.W_value = self.W_query


@v1.misconception
class TurnedParameters(nn.Module):
    """Your matrices have the shape (d_out, d_in), as nn.Linear has them. As a parameter for
    `x @ W` they are (d_in, d_out).
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_out, d_in))
        self.W_key = nn.Parameter(torch.rand(d_out, d_in))
        self.W_value = nn.Parameter(torch.rand(d_out, d_in))

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        queries, keys, values = x @ self.W_query.T, x @ self.W_key.T, x @ self.W_value.T
        attn_scores = queries @ keys.T / keys.shape[-1] ** 0.5
        return torch.softmax(attn_scores, dim=-1) @ values


@v1.misconception
class TurnedParametersUnturned(nn.Module):
    """Your matrices have the shape (d_out, d_in), as nn.Linear has them, which works only if d_in
    and d_out are equal. For `x @ W` they are (d_in, d_out).
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_out, d_in))
        self.W_key = nn.Parameter(torch.rand(d_out, d_in))
        self.W_value = nn.Parameter(torch.rand(d_out, d_in))

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        queries, keys, values = x @ self.W_query, x @ self.W_key, x @ self.W_value
        attn_scores = queries @ keys.T / keys.shape[-1] ** 0.5
        return torch.softmax(attn_scores, dim=-1) @ values


def examine_names(*names: str) -> None:
    """Parameters that are called otherwise."""

    class Renamed(nn.Module):
        """Your parameters have other names than the lesson's. The check looks for `W_query`,
        `W_key` and `W_value`.
        """

        def __init__(self, d_in: int, d_out: int) -> None:
            super().__init__()
            for name in names:
                self.register_parameter(name, nn.Parameter(torch.rand(d_in, d_out)))

        def forward(self, x: Tensor) -> Tensor:
            queries, keys, values = (x @ getattr(self, name) for name in names)
            return scaled_weights(queries, keys) @ values

    Renamed.__name__ = f"Named_{'_'.join(names)}"
    v1.misconception(Renamed)


examine_names("W_q", "W_k", "W_v")
examine_names("Wq", "Wk", "Wv")
examine_names("query", "key", "value")
examine_names("W_q", "W_key", "W_value")
examine_names("W_query", "W_key", "W_values")


@v1.accepts
class PublishedParameters(nn.Module):
    """Keys first, `torch.matmul`-free, as it is often printed."""

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        keys = x @ self.W_key
        queries = x @ self.W_query
        values = x @ self.W_value
        attn_scores = queries @ keys.T
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        return attn_weights @ values


@v1.accepts
class ParametersOfZeros(nn.Module):
    """Other starting values, and PyTorch's own function."""

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        for name in ("W_query", "W_key", "W_value"):
            self.register_parameter(name, nn.Parameter(torch.zeros(d_in, d_out)))

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        queries, keys, values = (torch.matmul(x, W) for W in self.parameters())
        return nn.functional.scaled_dot_product_attention(queries, keys, values)


@v1.accepts
class LayersInPlaceOfParameters(nn.Module):
    """Linear layers, though parameters were asked for."""

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        attn_scores = torch.einsum("id,jd->ij", queries, keys) / len(keys[0]) ** 0.5
        return attn_scores.softmax(dim=1) @ values
