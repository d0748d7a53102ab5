"""Feature maps to try linear attention with: each takes (…, tokens, d), or (…, d)."""

import torch
from torch import Tensor
from torch.nn.functional import elu


def elu_plus_one(x: Tensor, /) -> Tensor:
    """As many features as there were, all positive: x + 1 above zero, exp(x) below it.

    Katharopoulos and others, Transformers are RNNs (2020), equation 7.
    """
    return elu(x) + 1


def both_signs(x: Tensor, /) -> Tensor:
    """Twice as many features as there were, all positive: exp(x), and after it exp(-x)."""
    return torch.cat([x.exp(), (-x).exp()], dim=-1)
