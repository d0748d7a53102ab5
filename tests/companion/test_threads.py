"""One thread, and afterwards as many as before."""

import pytest
import torch

from companion.threads import one_thread


def test_threads_come_back() -> None:
    before = torch.get_num_threads()
    with one_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before


def test_threads_come_back_after_an_error() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with pytest.raises(ValueError, match="inside"), one_thread():
            raise ValueError("inside")
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
