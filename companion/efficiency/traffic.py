"""A slow memory that counts what is read from it and written to it."""

import torch
from torch import Tensor


class SlowMemory:
    """Named tensors, such as those in the main memory of a GPU, and how many numbers have moved.

    Attributes:
        read: how many numbers were read.
        written: how many numbers were written.
    """

    def __init__(self, **tensors: Tensor) -> None:
        self._kept = {name: tensor.clone() for name, tensor in tensors.items()}
        self.read = self.written = 0

    def load(self, name: str, rows: slice = slice(None)) -> Tensor:
        """Some rows of a tensor, or all of them."""
        part = self._kept[name][rows].clone()
        self.read += part.numel()
        return part

    def store(self, name: str, part: Tensor, rows: slice = slice(None)) -> None:
        """Write some rows of a tensor, or all of them, where it is made if there is none."""
        if name not in self._kept or rows == slice(None):
            self._kept[name] = part.clone()
        else:
            missing = max(0, (rows.stop or 0) - len(self._kept[name]))
            room = part.new_zeros(missing, *part.shape[1:])
            self._kept[name] = torch.cat([self._kept[name], room])
            self._kept[name][rows] = part
        self.written += part.numel()

    def look(self, name: str) -> Tensor:
        """A tensor, not counted."""
        return self._kept[name]
