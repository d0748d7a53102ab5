"""The grammar in which values cross between two processes, of which one may lie.

Nothing here runs what came over: no pickle, no names to import, no methods of foreign objects. A
value crosses if its *exact* type is one of those below; a subclass could answer for itself, so it
is not looked at and arrives as `Unsupported`, with the name of its type. What arrives is always of
the exact type too, and fresh: arrays are writable and in C order, tensors are leaves.

The grammar; sizes, counts and axes are unsigned, all numbers big-endian unless said otherwise:

    message   = value                      and nothing after it
    value     = "N" | "T" | "F" | "E"      None, True, False, Ellipsis
              | "i" int64                  int
              | "I" size32 byte*           int, two's complement
              | "f" float64                float, any bits
              | "c" float64 float64        complex
              | "s" size32 byte*           str, valid UTF-8
              | "b" size32 byte*           bytes
              | "[" count32 value*         list
              | "(" count32 value*         tuple; torch.Size arrives as one
              | "{" count32 (key value)*   dict, no key twice
              | ":" value value value      slice
              | "n" number byte*           NumPy scalar
              | "a" number shape byte*     numpy.ndarray
              | "t" flags8 number shape byte*    torch.Tensor; flags: 1 requires a gradient,
                                                 2 is a torch.nn.Parameter
              | "w" kind8 value            a place in WRAPPINGS, and what it is made of: a set, …
              | "r" name number64          Reference
              | "u" name                   Unsupported
    key       = value that is None, a bool, an int, a float, a str, or a tuple of keys
    number    = code8                      a place in ARRAY_NUMBERS or TENSOR_NUMBERS
    shape     = ndim8 axis64*
    name      = size32 byte*               UTF-8, at most 200 printable characters

The bytes of an array or tensor are exactly as many as its shape and the kind of its numbers ask
for, in C order; those of a tensor are in the machine's byte order, as both ends are on one machine.
A bool is True if its byte is anything but 0.

Decisions that the grammar does not show:

- A str with a lone surrogate is not text that could be saved or shown: it arrives as `Unsupported`.
- All counts are of the whole message, so that no nesting multiplies them. A list that contains
  itself is nested too deep. Neither side calls itself, so depth costs no stack.
- Before memory is taken, a size is checked against the bytes that are left and against the limits.
  Decoding n bytes takes at most about 5 n bytes, and 120 for each item.
- Numbers can be chosen so that a dict slows down with the square of its size. Keys other than
  strings, whose hashes nobody can foresee, may therefore take `limits.key_bytes` in all.
- An axis counts as at least 1 in the size of an array, so that no empty array of a few bytes grows
  to gigabytes in a sum over its other axis.
"""

import functools
import math
import struct
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType, NoneType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

ARRAY_NUMBERS = (
    *("|b1", "|i1", "|u1", "<i2", ">i2", "<i4", ">i4", "<i8", ">i8", "<u2", ">u2", "<u4", ">u4"),
    *("<u8", ">u8", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "<c8", ">c8", "<c16", ">c16"),
)
TENSOR_NUMBERS = (
    *("bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
)

TENSOR_CODES = {f"torch.{name}": code for code, name in enumerate(TENSOR_NUMBERS)}
REQUIRES_GRAD, PARAMETER = 1, 2
MOST_AXES = 32
NAME_LENGTH = 200

# What an object of Python, NumPy or torch takes beside its numbers, in items.
ARRAY_ITEMS = 10

NUMBER = struct.Struct(">Q")
KEY_TYPES = frozenset(id(cls) for cls in (NoneType, bool, int, float, str))


@dataclass(frozen=True, slots=True)
class Reference:
    """What stays where it is: `kind` and `number` are for those who made it to find it again."""

    kind: str
    number: int


@dataclass(frozen=True, slots=True)
class Unsupported:
    """What could not be sent, by the name of its type: "pandas.core.frame.DataFrame"."""

    name: str

    def in_words(self) -> str:
        """What it was, for whoever sent it."""
        return f"a {self.name.rpartition('.')[2]}"


def number_of_dtype(value: object) -> int | None:
    """The place of one of torch's dtypes in TENSOR_NUMBERS; None for anything else."""
    torch = sys.modules.get("torch")
    if type(torch) is not ModuleType or type(value) is not vars(torch).get("dtype"):
        return None
    return TENSOR_CODES.get(str(value))


def dtype_of_number(number: int) -> "torch.dtype":
    """The dtype in this place of TENSOR_NUMBERS.

    Raises:
        LookupError: when there is none.
    """
    import torch

    dtype: torch.dtype = getattr(torch, TENSOR_NUMBERS[number])
    return dtype


def volume(shape: Iterable[int], itemsize: int) -> int:
    return itemsize * math.prod(max(axis, 1) for axis in shape)


@functools.cache
def int_bound(digits: int) -> int:
    bound: int = 10**digits
    return bound


def is_name(name: str) -> bool:
    return len(name) <= NAME_LENGTH and name.isprintable()
