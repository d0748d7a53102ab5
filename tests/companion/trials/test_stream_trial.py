import torch
from torch.testing import assert_close

from companion.trials.stream_trial import try_stream

X = torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
MATRICES = [torch.randn(4, 4, generator=torch.Generator().manual_seed(n)).double() for n in (1, 2)]
GAINS = [torch.full((4,), 2.0).double(), torch.ones(4).double()]


def test_there_and_back() -> None:
    found = try_stream(lambda x, layers, norms: layers[1](norms[0](x)), X, MATRICES, GAINS)
    normed = torch.nn.functional.rms_norm(X, (4,), eps=1e-5) * 2
    assert_close(found["output"].detach(), torch.tanh(normed @ MATRICES[1]))
    assert found["gradient for layer 1"] is None
    assert found["gradient for layer 2"].abs().sum() > 0


def test_first_layer_mixes_tokens_with_those_before() -> None:
    found = try_stream(lambda x, layers, _: layers[0](x), X, MATRICES, GAINS)
    means = torch.stack([X[:, : n + 1].mean(dim=1) for n in range(3)], dim=1)
    assert_close(found["output"].detach(), torch.tanh(means @ MATRICES[0]))


def test_no_layers_and_no_tensor() -> None:
    found = try_stream(lambda x, *_: x, X, [], [])
    assert found["gradient for x"].shape == X.shape
    assert try_stream(lambda *_: None, X, [], [])["output"] is None
