"""Bytes as values: the reader of the codec, which trusts nothing that it reads."""

import math
import struct
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, Never

import numpy as np

from autograder.errors import ReplyNotUnderstood
from autograder.student.limits import Limits
from autograder.student.rpc.codec.grammar import (
    ARRAY_ITEMS,
    ARRAY_NUMBERS,
    KEY_TYPES,
    MOST_AXES,
    NAME_LENGTH,
    NUMBER,
    PARAMETER,
    REQUIRES_GRAD,
    TENSOR_NUMBERS,
    Reference,
    Unsupported,
    int_bound,
    is_name,
    volume,
)
from autograder.student.rpc.codec.wrapped import WRAPPINGS

if TYPE_CHECKING:
    import torch

_DTYPES = tuple(np.dtype(name) for name in ARRAY_NUMBERS)
_WRAPPED = tuple(WRAPPINGS.values())
_SIZE = struct.Struct(">I")
_INT = struct.Struct(">q")
_FLOAT = struct.Struct(">d")
_COMPLEX = struct.Struct(">dd")

Resolve = Callable[[Reference], object]


def decode(
    data: bytes | bytearray | memoryview,
    limits: Limits,
    *,
    resolve: Resolve = lambda found: found,
    unsupported: Callable[[str], object] = Unsupported,
) -> object:
    """The value in a message, whoever wrote it.

    `resolve` gives the object that a `Reference` means, and raises LookupError if there is none;
    `unsupported` makes what stands for a value that could not be sent, out of its type's name.

    Raises:
        ReplyNotUnderstood: for whatever is not in the grammar, or beyond the limits.
    """
    return _Reader(memoryview(data).cast("B"), limits, resolve, unsupported).message()


class _Reader:
    """One message on its way in; a method for a container is sent what is in it."""

    def __init__(
        self,
        data: memoryview,
        limits: Limits,
        resolve: Resolve,
        unsupported: Callable[[str], object],
    ) -> None:
        self._data = data
        self._limits = limits
        self._resolve = resolve
        self._unsupported = unsupported
        self._at = 0
        self._items = 0
        self._key_bytes = 0

    def message(self) -> object:
        if len(self._data) > self._limits.message_bytes:
            self._fail(f"it has more than {self._limits.message_bytes:,} bytes")
        self._claim(1)
        value = self._value()
        if self._at < len(self._data):
            self._fail(f"{len(self._data) - self._at:,} bytes after its end")
        return value

    def _value(self) -> object:
        collecting: list[Generator[None, Any, object]] = []
        while True:
            tag, value = self._byte(), None
            if tag in _COLLECTORS:
                if len(collecting) == self._limits.depth:
                    self._fail(f"nested more than {self._limits.depth:,} deep")
                collecting.append(_COLLECTORS[tag](self))
            elif tag in _READERS:
                value = _READERS[tag](self)
            else:
                self._fail(f"no value begins with {tag:#04x}")
            while collecting:
                try:
                    # To one that was just opened, the None that starts it.
                    collecting[-1].send(value)
                    break
                except StopIteration as finished:
                    collecting.pop()
                    value = finished.value
            else:
                return value

    def get_list(self) -> Generator[None, Any, list[object]]:
        items = []
        for _ in range(self._count(1)):
            items.append((yield))
        return items

    def get_tuple(self) -> Generator[None, Any, tuple[object, ...]]:
        return tuple((yield from self.get_list()))

    def get_dict(self) -> Generator[None, Any, dict[object, object]]:
        count, found = self._count(2), {}
        for _ in range(count):
            start = self._at
            key = yield
            if type(key) is not str:
                self._claim_key(key, self._at - start)
            found[key] = yield
        if len(found) < count:
            self._fail("a dict has a key twice")
        return found

    def get_wrapped(self) -> Generator[None, Any, object]:
        place = self._byte()
        if place >= len(_WRAPPED):
            self._fail(f"no kind of container has the number {place}")
        self._claim(1)
        wrapping, start = _WRAPPED[place], self._at
        plain: Any = yield
        if type(plain) is not wrapping.made_of:
            self._fail("a container made of what it can't be made of")
        entries: Any = plain
        if wrapping.is_hashed and any(type(one) is not str for one in entries):
            self._claim_key(tuple(entries), self._at - start)
        try:
            return wrapping.make(plain)
        except ValueError as error:
            self._fail(str(error))

    def get_slice(self) -> Generator[None, Any, slice]:
        self._claim(3)
        return slice((yield), (yield), (yield))

    def get_int(self) -> int:
        return int(self._unpack(_INT)[0])

    def get_long_int(self) -> int:
        bound = int_bound(self._limits.int_digits)
        content = self._sized("an int", bound.bit_length() // 8 + 1)
        value = int.from_bytes(content, "big", signed=True)
        if not -bound < value < bound:
            self._fail(f"an int has more than {self._limits.int_digits:,} digits")
        return value

    def get_float(self) -> float:
        return float(self._unpack(_FLOAT)[0])

    def get_complex(self) -> complex:
        return complex(*self._unpack(_COMPLEX))

    def get_str(self) -> str:
        return self._text(self._sized("a str"))

    def get_bytes(self) -> bytes:
        return bytes(self._sized("bytes"))

    def get_number(self) -> object:
        dtype = _DTYPES[self._code(ARRAY_NUMBERS)]
        self._check_left(dtype.itemsize, "a number")
        one = np.empty(1, dtype)
        self._fill(one, dtype.kind == "b")
        return one[0]

    def get_array(self) -> np.ndarray:
        dtype = _DTYPES[self._code(ARRAY_NUMBERS)]
        array = np.empty(self._shape(dtype.itemsize), dtype)
        self._fill(array, dtype.kind == "b")
        return array

    def get_tensor(self) -> "torch.Tensor":
        import torch

        flags = self._byte()
        if flags > REQUIRES_GRAD | PARAMETER:
            self._fail("a tensor with flags that mean nothing")
        dtype: torch.dtype = getattr(torch, TENSOR_NUMBERS[self._code(TENSOR_NUMBERS)])
        requires_grad = bool(flags & REQUIRES_GRAD)
        if requires_grad and not (dtype.is_floating_point or dtype.is_complex):
            self._fail(f"a tensor of {dtype} that requires a gradient")
        tensor = torch.empty(self._shape(dtype.itemsize), dtype=dtype, device="cpu")
        self._fill(tensor.view(-1).view(torch.uint8).numpy(), dtype == torch.bool)
        if flags & PARAMETER:
            return torch.nn.Parameter(tensor, requires_grad)
        return tensor.requires_grad_(requires_grad)

    def get_reference(self) -> object:
        reference = Reference(self._name(), self._unpack(NUMBER)[0])
        try:
            return self._resolve(reference)
        except LookupError:
            self._fail(f"there is no {reference.kind} {reference.number}")

    def get_unsupported(self) -> object:
        return self._unsupported(self._name())

    def _fill(self, target: np.ndarray, is_truth: bool) -> None:
        """Move as many bytes as it has into a fresh array, whose room was checked."""
        if target.size:
            numbers = target.reshape(-1).view(np.uint8)
            numbers[:] = np.frombuffer(self._take(numbers.size, "numbers"), np.uint8)
            if is_truth:
                np.minimum(numbers, 1, out=numbers)

    def _shape(self, itemsize: int) -> tuple[int, ...]:
        """A shape whose numbers are there."""
        axes = self._byte()
        if axes > MOST_AXES:
            self._fail(f"{axes} axes, where {MOST_AXES} are the most")
        self._claim(ARRAY_ITEMS - 1)
        shape = struct.unpack(f">{axes}Q", self._take(8 * axes, "a shape"))
        if volume(shape, itemsize) > self._limits.message_bytes:
            self._fail(f"a shape of more than {self._limits.message_bytes:,} bytes")
        self._check_left(math.prod(shape) * itemsize, "numbers")
        return shape

    def _count(self, width: int) -> int:
        count = int(self._unpack(_SIZE)[0])
        self._check_left(count * width, "values")
        self._claim(count * width)
        return count

    def _code(self, names: tuple[str, ...]) -> int:
        code = self._byte()
        if code >= len(names):
            self._fail(f"no kind of numbers has the code {code}")
        return code

    def _name(self) -> str:
        name = self._text(self._sized("a name", 4 * NAME_LENGTH))
        if not is_name(name):
            self._fail("a name that is too long, or can't be printed")
        return name

    def _text(self, content: memoryview) -> str:
        try:
            return str(content, "utf-8")
        except UnicodeDecodeError:
            self._fail("a str that is not UTF-8")

    def _sized(self, what: str, most: float = math.inf) -> memoryview:
        size = int(self._unpack(_SIZE)[0])
        if size > most:
            self._fail(f"{what} of {size:,} bytes, where {most:,} are the most")
        return self._take(size, what)

    def _byte(self) -> int:
        self._check_left(1, "a value")
        self._at += 1
        return self._data[self._at - 1]

    def _unpack(self, kind: struct.Struct) -> tuple[Any, ...]:
        self._check_left(kind.size, "a number")
        self._at += kind.size
        return kind.unpack_from(self._data, self._at - kind.size)

    def _take(self, size: int, what: str) -> memoryview:
        self._check_left(size, what)
        self._at += size
        return self._data[self._at - size : self._at]

    def _check_left(self, size: int, what: str) -> None:
        if size > len(self._data) - self._at:
            left = len(self._data) - self._at
            self._fail(f"{what} of at least {size:,} bytes, where {left:,} are left")

    def _claim(self, count: int) -> None:
        self._items += count
        if self._items > self._limits.items:
            self._fail(f"it is made of more than {self._limits.items:,} values")

    def _claim_key(self, key: object, size: int) -> None:
        self._key_bytes += size
        if self._key_bytes > self._limits.key_bytes:
            self._fail(f"keys of more than {self._limits.key_bytes:,} bytes")
        left = [key]
        while left:
            part = left.pop()
            if type(part) is tuple:
                left.extend(part)
            elif id(type(part)) not in KEY_TYPES:
                self._fail("a dict with a key that can't be one")

    def _fail(self, reason: str) -> Never:
        raise ReplyNotUnderstood(f"a message can't be understood at byte {self._at:,}: {reason}")


_READERS: dict[int, Callable[[_Reader], object]] = {
    ord("N"): lambda _: None,
    ord("T"): lambda _: True,
    ord("F"): lambda _: False,
    ord("E"): lambda _: ...,
    ord("i"): _Reader.get_int,
    ord("I"): _Reader.get_long_int,
    ord("f"): _Reader.get_float,
    ord("c"): _Reader.get_complex,
    ord("s"): _Reader.get_str,
    ord("b"): _Reader.get_bytes,
    ord("n"): _Reader.get_number,
    ord("a"): _Reader.get_array,
    ord("t"): _Reader.get_tensor,
    ord("r"): _Reader.get_reference,
    ord("u"): _Reader.get_unsupported,
}
_COLLECTORS: dict[int, Callable[[_Reader], Generator[None, Any, object]]] = {
    ord("["): _Reader.get_list,
    ord("("): _Reader.get_tuple,
    ord("{"): _Reader.get_dict,
    ord(":"): _Reader.get_slice,
    ord("w"): _Reader.get_wrapped,
}
