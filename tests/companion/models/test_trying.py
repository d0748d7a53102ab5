import pytest
import torch
from torch import Tensor, nn

from companion.inputs.translation import EXAMPLE, held_out_pairs, training_pairs
from companion.models.training import translation_batches
from companion.models.translator import NO_WORD, accuracy_by_length, load_translator
from companion.models.trying import BahdanauAttention, translator_through
from solutions.additive_attention import AdditiveAttention


class WithParameters(nn.Module):
    def __init__(self, query_dim: int, key_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.zeros(query_dim, hidden_dim))
        self.W_key = nn.Parameter(torch.zeros(key_dim, hidden_dim))
        self.v = nn.Parameter(torch.zeros(hidden_dim))

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        hidden = torch.tanh((query @ self.W_query)[:, None] + annotations @ self.W_key)
        weights = torch.softmax(hidden @ self.v, dim=-1)
        return torch.einsum("bs,bsd->bd", weights, annotations), weights


@pytest.mark.parametrize("attention", [AdditiveAttention, BahdanauAttention, WithParameters])
def test_own_attention_translates_alike(attention: type[nn.Module]) -> None:
    expected = load_translator(attention=True).translate(EXAMPLE)
    done = translator_through(attention).translate(EXAMPLE)
    assert done.english == expected.english
    torch.testing.assert_close(done.weights, expected.weights)


def test_stand_in_is_the_reference() -> None:
    one, other = BahdanauAttention(2, 3, 4), AdditiveAttention(2, 3, 4)
    one.load_state_dict(other.state_dict())
    inputs = torch.randn(2, 2), torch.randn(2, 5, 3), torch.tensor([5, 2])
    torch.testing.assert_close(one(*inputs), other(*inputs))


@pytest.mark.long
def test_attention_alone_can_be_trained() -> None:
    """As lesson 01 does, whose text says what comes of it, but on fewer sentences."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        own = BahdanauAttention(48, 96, 48)
        for parameter in own.parameters():
            nn.init.normal_(parameter, std=0.1)
    student = load_translator(attention=True).requires_grad_(False)
    student.look_through(own)
    test = held_out_pairs(100)
    assert accuracy_by_length(student, test, [0])[0] < 0.1
    optimizer = torch.optim.Adam(own.parameters(), lr=0.01)
    for german, english in translation_batches(training_pairs(2000), size=32):
        logits = student(german, english).flatten(0, 1)
        loss = nn.functional.cross_entropy(logits, english.flatten(), ignore_index=NO_WORD)
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()
    assert accuracy_by_length(student, test, [0])[0] > 0.6
    shipped = load_translator(attention=True).state_dict()
    kept = {name: w for name, w in student.state_dict().items() if not name.startswith("other.")}
    assert kept.keys() == shipped.keys()
    assert all(torch.equal(kept[name], weight) for name, weight in shipped.items())
