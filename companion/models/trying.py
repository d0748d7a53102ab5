"""An additive attention of one's own, put into the trained translator."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from companion.models.translator import WIDTH, Translator, load_translator


class BahdanauAttention(nn.Module):
    """The attention of Bahdanau, Cho and Bengio (2014), in the place of one that is not ready.

    Call it with (query, annotations, lengths), of shapes (batch, query_dim), (batch, source,
    key_dim) and (batch,). It returns the context vectors, (batch, key_dim), and the weights,
    (batch, source).

    Args:
        query_dim: width of the decoder's states.
        key_dim: width of the annotations.
        hidden_dim: width of the hidden layer, in which both are added.
    """

    W_query: nn.Linear
    W_key: nn.Linear
    v: nn.Linear

    def __init__(self, query_dim: int, key_dim: int, hidden_dim: int) -> None:
        super().__init__()
        sizes = {"W_query": (query_dim, hidden_dim), "W_key": (key_dim, hidden_dim)}
        for name, size in {**sizes, "v": (hidden_dim, 1)}.items():
            self.add_module(name, nn.Linear(*size, bias=False))

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Context vectors and weights."""
        sums = self.W_query(query)[:, None] + self.W_key(annotations)
        is_padding = torch.arange(annotations.shape[1]) >= lengths[:, None]
        scores = self.v(sums.tanh())[..., 0].masked_fill(is_padding, -math.inf)
        weights = scores.softmax(dim=-1)
        return torch.einsum("bs,bsd->bd", weights, annotations), weights


def translator_through(attention_class: Callable[[int, int, int], nn.Module]) -> Translator:
    """The shipped translator, which attends through a module of this class.

    The module is given the trained weights of the translator's own attention.

    Args:
        attention_class: a class like `AdditiveAttention(query_dim, key_dim, hidden_dim)`, with the
            parameters `W_query`, `W_key` and `v`.
    """
    translator = load_translator(attention=True)
    own = attention_class(WIDTH, 2 * WIDTH, WIDTH)
    _hand_over(translator, own)
    translator.look_through(own)
    return translator


def _hand_over(translator: Translator, own: nn.Module) -> None:
    """Load the translator's weights, whether into an nn.Linear or into an nn.Parameter."""
    trained = {
        "W_query": translator.from_state.weight,
        "W_key": translator.from_annotation.weight,
        "v": translator.rating.weight,
    }
    state = own.state_dict()
    for name, weight in trained.items():
        if name in state:
            state[name] = weight.T.reshape(state[name].shape)
        else:
            state[f"{name}.weight"] = weight
    own.load_state_dict(state)
