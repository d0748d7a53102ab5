import numpy as np
import pytest
import torch

from companion import both_signs, elu_plus_one


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_features_are_positive_and_numpys(dtype: torch.dtype) -> None:
    x = torch.linspace(-5, 5, 24, dtype=dtype).reshape(2, 4, 3)
    numbers = x.numpy()
    expected = np.where(numbers > 0, numbers + 1, np.exp(numbers))
    np.testing.assert_allclose(elu_plus_one(x).numpy(), expected, rtol=1e-5)
    pairs = np.concatenate([np.exp(numbers), np.exp(-numbers)], axis=-1)
    np.testing.assert_allclose(both_signs(x).numpy(), pairs, rtol=1e-5)
    for features in (elu_plus_one(x), both_signs(x)):
        assert features.dtype is dtype
        assert bool((features > 0).all())
