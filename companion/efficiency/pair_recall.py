"""A small model that has to remember pairs, with softmax attention or with a linear one."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, elu

_NAMES, _VALUES, _BATCH = 64, 16, 64
PAIRS = (4, 8, 16, 32, 64)


def learn_pairs(
    kind: str,
    d_k: int,
    *,
    counts: Sequence[int] = PAIRS,
    steps: int = 300,
    seed: int = 0,
) -> list[float]:
    """Train one head to name the value that stood beside a name, and test it on new texts.

    A text is a list of pairs, each of a name and one of 16 values, no name twice. Random guessing
    is right one time in 16.

    Args:
        kind: "softmax", or "linear" with the features elu(x) + 1.
        d_k: features of queries and keys, and of values.
        counts: how many pairs there are in a text, at most 64; it is trained on all of them.
        steps: how many batches of 64 texts to learn from; 300 take about three seconds.
        seed: of the texts and of the first weights.

    Returns:
        The share of values that it names, for each count.
    """
    generator = torch.Generator().manual_seed(seed)
    # Forked, so that the learner's own random numbers are left alone.
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = _Memory(kind, d_k)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-2)
    for step in range(steps):
        names, values = _texts(counts[step % len(counts)], _BATCH, generator)
        loss = cross_entropy(model(names, values).flatten(0, 1), values.flatten())
        optimizer.zero_grad()
        torch.autograd.backward([loss])
        optimizer.step()
    with torch.no_grad():
        tests = [_texts(count, 400, generator) for count in counts]
        return [(model(*test).argmax(dim=-1) == test[1]).double().mean().item() for test in tests]


def _texts(count: int, batch: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """The names and the values of some texts, each (batch, count)."""
    names = torch.rand(batch, _NAMES, generator=generator).argsort(dim=-1)[:, :count]
    return names, torch.randint(_VALUES, (batch, count), generator=generator)


class _Memory(nn.Module):
    """Each name asks once for its value."""

    def __init__(self, kind: str, d_k: int) -> None:
        super().__init__()
        self.kind = kind
        self.keys = nn.Embedding(_NAMES, d_k)
        self.queries = nn.Embedding(_NAMES, d_k)
        self.values = nn.Embedding(_VALUES, d_k)
        self.answers = nn.Linear(d_k, _VALUES)

    def forward(self, names: Tensor, values: Tensor) -> Tensor:
        queries, keys = self.queries(names), self.keys(names)
        if self.kind == "softmax":
            weights = torch.softmax(queries @ keys.mT / keys.shape[-1] ** 0.5, dim=-1)
        else:
            weights = (elu(queries) + 1) @ (elu(keys) + 1).mT
            weights = weights / weights.sum(dim=-1, keepdim=True)
        answers: Tensor = self.answers(weights @ self.values(values))
        return answers
