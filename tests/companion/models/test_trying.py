import torch
from torch import nn

from companion.inputs.translation import EXAMPLE
from companion.models.translator import load_translator
from companion.models.trying import translate_with
from solutions.additive_attention import AdditiveAttention


class WithParameters(nn.Module):
    def __init__(self, query_dim, key_dim, hidden_dim):
        super().__init__()
        self.W_query = nn.Parameter(torch.zeros(query_dim, hidden_dim))
        self.W_key = nn.Parameter(torch.zeros(key_dim, hidden_dim))
        self.v = nn.Parameter(torch.zeros(hidden_dim))

    def forward(self, query, annotations, lengths):
        hidden = torch.tanh((query @ self.W_query)[:, None] + annotations @ self.W_key)
        weights = torch.softmax(hidden @ self.v, dim=-1)
        return torch.einsum("bs,bsd->bd", weights, annotations), weights


class Unwritten(AdditiveAttention):
    def forward(self, query, annotations, lengths):
        raise NotImplementedError


class Crooked(AdditiveAttention):
    def forward(self, query, annotations, lengths):
        return query @ annotations


def test_own_attention_translates_alike():
    expected = load_translator(attention=True).translate(EXAMPLE)
    for attention in (AdditiveAttention, WithParameters):
        done = translate_with(attention, EXAMPLE)
        assert done.english == expected.english
        torch.testing.assert_close(done.weights, expected.weights)


def test_unfinished_attention_is_calm(capsys):
    assert translate_with(Unwritten, EXAMPLE) is None
    assert capsys.readouterr().out == "Your attention is not implemented yet.\n"


def test_wrong_attention_is_reported(capsys):
    assert translate_with(Crooked, EXAMPLE) is None
    assert "stopped with a RuntimeError" in capsys.readouterr().out
