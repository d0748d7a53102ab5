"""Values as bytes and back, between two processes of which one may lie.

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
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from types import EllipsisType, ModuleType, NoneType
from typing import TYPE_CHECKING, Any, Never

import numpy as np

from autograder.errors import ReplyNotUnderstood, ValueTooLarge
from autograder.limits import Limits
from autograder.values.wrapped import WRAPPINGS

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

_DTYPES = tuple(np.dtype(name) for name in ARRAY_NUMBERS)
_WRAPPED = tuple(WRAPPINGS.values())
_PLACES = {kind: place for place, kind in enumerate(WRAPPINGS)}
_CODES = {name: code for code, name in enumerate(ARRAY_NUMBERS)}
_TENSOR_CODES = {f"torch.{name}": code for code, name in enumerate(TENSOR_NUMBERS)}
_REQUIRES_GRAD, _PARAMETER = 1, 2
_MOST_AXES = 32
_NAME_LENGTH = 200

# What an object of Python, NumPy or torch takes beside its numbers, in items.
_ARRAY_ITEMS = 10

_TAGGED_SIZE = struct.Struct(">cI")
_TAGGED_INT = struct.Struct(">cq")
_TAGGED_FLOAT = struct.Struct(">cd")
_TAGGED_COMPLEX = struct.Struct(">cdd")
_SIZE = struct.Struct(">I")
_INT = struct.Struct(">q")
_FLOAT = struct.Struct(">d")
_COMPLEX = struct.Struct(">dd")
_NUMBER = struct.Struct(">Q")


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


Refer = Callable[[object], Reference | None]
Resolve = Callable[[Reference], object]


def encode(value: object, limits: Limits, *, refer: Refer = lambda _: None) -> bytes:
    """A value as a message that `decode` understands under the same limits.

    `refer` is asked about each object that can't be sent by value; for None it becomes
    `Unsupported`. Only that hook may touch such an object.

    Raises:
        ValueTooLarge: for a value beyond the limits, or one that contains itself.
    """
    return _Writer(limits, refer).message(value)


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


def number_of_dtype(value: object) -> int | None:
    """The place of one of torch's dtypes in TENSOR_NUMBERS; None for anything else."""
    torch = sys.modules.get("torch")
    if type(torch) is not ModuleType or type(value) is not vars(torch).get("dtype"):
        return None
    return _TENSOR_CODES.get(str(value))


def dtype_of_number(number: int) -> "torch.dtype":
    """The dtype in this place of TENSOR_NUMBERS.

    Raises:
        LookupError: when there is none.
    """
    import torch

    dtype: torch.dtype = getattr(torch, TENSOR_NUMBERS[number])
    return dtype


class _Writer:
    """One message on its way out; a method for a container returns what is in it."""

    def __init__(self, limits: Limits, refer: Refer) -> None:
        self._limits = limits
        self._refer = refer
        self._writers = {**_WRITERS, **_tensor_writers()}
        self._parts: list[bytes | memoryview] = []
        self._size = 0
        self._items = 0
        self._key_bytes = 0

    def message(self, value: object) -> bytes:
        self._claim(1)
        inside = [iter((value,))]
        while inside:
            for item in inside[-1]:
                # By id: looking up the type itself would call its metaclass's __hash__.
                contents = self._writers.get(id(type(item)), _Writer.put_object)(self, item)
                if contents is not None:
                    self._check_depth(len(inside))
                    inside.append(contents)
                    break
            else:
                inside.pop()
        return b"".join(self._parts)

    def put_none(self, _: None) -> None:
        self._put(b"N")

    def put_ellipsis(self, _: EllipsisType) -> None:
        self._put(b"E")

    def put_bool(self, value: bool) -> None:
        self._put(b"T" if value else b"F")

    def put_int(self, value: int) -> None:
        if -(1 << 63) <= value < 1 << 63:
            self._put(_TAGGED_INT.pack(b"i", value))
            return
        bound = _int_bound(self._limits.int_digits)
        if not -bound < value < bound:
            raise ValueTooLarge(f"an int has more than {self._limits.int_digits:,} digits")
        self._put_sized(b"I", value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True))

    def put_float(self, value: float) -> None:
        self._put(_TAGGED_FLOAT.pack(b"f", value))

    def put_complex(self, value: complex) -> None:
        self._put(_TAGGED_COMPLEX.pack(b"c", value.real, value.imag))

    def put_str(self, value: str) -> None:
        self._check_room(len(value))
        if _is_text(value):
            self._put_sized(b"s", value.encode())
        else:
            self._put_unsupported("str with a lone surrogate")

    def put_bytes(self, value: bytes) -> None:
        self._put_sized(b"b", value)

    def put_list(self, value: list[object]) -> Iterator[object]:
        # A copy, as another thread may be adding to the list.
        return self._put_sequence(b"[", tuple(value))

    def put_tuple(self, value: tuple[object, ...]) -> Iterator[object]:
        return self._put_sequence(b"(", value)

    def put_dict(self, value: dict[object, object]) -> Iterator[object] | None:
        pairs = tuple(value.items())
        self._claim(2 * len(pairs))
        unusable = self._unusable([key for key, _ in pairs])
        if unusable:
            self._put_unsupported(f"dict with a key that is a {unusable}")
            return None
        self._put(_TAGGED_SIZE.pack(b"{", len(pairs)))
        return self._keys_and_values(pairs)

    def put_wrapped(self, value: Any) -> Iterator[object] | None:
        kind = type(value)
        wrapping = WRAPPINGS[kind]
        try:
            plain = wrapping.take(value)
        except ValueError:
            self._put_unsupported(_type_name(kind))
            return None
        if wrapping.is_hashed and (unusable := self._unusable(list(plain))):
            self._put_unsupported(f"{kind.__name__} with a {unusable} in it")
            return None
        self._claim(1)
        self._put(b"w" + bytes([_PLACES[kind]]))
        return self._what_is_wrapped(plain, is_hashed=wrapping.is_hashed)

    def put_slice(self, value: slice) -> Iterator[object]:
        self._claim(3)
        self._put(b":")
        return iter((value.start, value.stop, value.step))

    def put_number(self, value: np.generic) -> None:
        self._put(b"n" + bytes([_CODES[value.dtype.str]]) + value.tobytes())

    def put_array(self, value: np.ndarray) -> None:
        code = _CODES.get(value.dtype.str)
        if code is None:
            self._put_unsupported(f"numpy.ndarray of {_type_name(value.dtype.type)}")
        elif self._has_room(value.shape, value.itemsize, "numpy.ndarray"):
            flat = np.ascontiguousarray(value).reshape(-1)
            self._put(b"a" + bytes([code]) + _shape(value.shape))
            self._put(flat.view(np.uint8).data)

    def put_tensor(self, value: "torch.Tensor", flags: int = 0) -> None:
        code = _TENSOR_CODES.get(str(value.dtype))
        if code is None:
            self._put_unsupported(f"torch.Tensor of {value.dtype}")
        elif self._has_room(value.shape, value.dtype.itemsize, "torch.Tensor"):
            numbers = _bytes_of(value)
            if numbers is None:
                self._put_unsupported("torch.Tensor that is sparse, or not in main memory")
                return
            flags |= _REQUIRES_GRAD if value.requires_grad else 0
            self._put(b"t" + bytes([flags, code]) + _shape(value.shape))
            self._put(numbers.data)

    def put_parameter(self, value: "torch.nn.Parameter") -> None:
        self.put_tensor(value, _PARAMETER)

    def put_reference(self, value: Reference) -> None:
        kind, number = value.kind, value.number
        if type(kind) is str and _is_name(kind) and type(number) is int and 0 <= number < 1 << 64:
            self._put_sized(b"r", kind.encode())
            self._put(_NUMBER.pack(number))
        else:
            self._put_unsupported(_type_name(Reference))

    def put_unsupported(self, value: Unsupported) -> None:
        self._put_unsupported(value.name if type(value.name) is str else _type_name(Unsupported))

    def put_object(self, value: object) -> None:
        reference = self._refer(value)
        if reference is None:
            self._put_unsupported(_type_name(type(value)))
        else:
            self.put_reference(reference)

    def _keys_and_values(self, pairs: Iterable[tuple[object, object]]) -> Iterator[object]:
        for key, value in pairs:
            start = self._size
            yield key
            if type(key) is not str:
                self._claim_key(self._size - start)
            yield value

    def _what_is_wrapped(self, plain: Any, *, is_hashed: bool) -> Iterator[object]:
        start = self._size
        yield plain
        if is_hashed and any(type(one) is not str for one in plain):
            self._claim_key(self._size - start)

    def _unusable(self, keys: list[object]) -> str:
        """What in these keys, or in tuples in them, can't be sent as a key; nothing if all can."""
        count = len(keys)
        while keys:
            key = keys.pop()
            if type(key) is tuple:
                count += len(key)
                self._check_items(count)
                keys.extend(key)
            elif id(type(key)) not in _KEY_TYPES:
                return _type_name(type(key))
            elif type(key) is str and not _is_text(key):
                return "str with a lone surrogate"
        return ""

    def _has_room(self, shape: tuple[int, ...], itemsize: int, what: str) -> bool:
        if len(shape) > _MOST_AXES:
            self._put_unsupported(f"{what} with {len(shape)} axes")
            return False
        self._check_room(_volume(shape, itemsize))
        self._claim(_ARRAY_ITEMS - 1)
        return True

    def _put_unsupported(self, name: str) -> None:
        printable = "".join(c if c.isprintable() else "?" for c in name[:_NAME_LENGTH])
        self._put_sized(b"u", printable.encode())

    def _put_sequence(self, tag: bytes, items: tuple[object, ...]) -> Iterator[object]:
        self._claim(len(items))
        self._put(_TAGGED_SIZE.pack(tag, len(items)))
        return iter(items)

    def _put_sized(self, tag: bytes, content: bytes) -> None:
        self._check_room(len(content))
        self._put(_TAGGED_SIZE.pack(tag, len(content)))
        self._put(content)

    def _put(self, part: bytes | memoryview) -> None:
        self._check_room(len(part))
        self._parts.append(part)
        self._size += len(part)

    def _check_room(self, size: int) -> None:
        if self._size + size > self._limits.message_bytes:
            raise ValueTooLarge(
                f"a value takes more than {self._limits.message_bytes:,} bytes to send"
            )

    def _check_depth(self, depth: int) -> None:
        if depth > self._limits.depth:
            raise ValueTooLarge(
                f"a value is nested more than {self._limits.depth:,} deep, or contains itself"
            )

    def _check_items(self, count: int) -> None:
        if count > self._limits.items:
            raise ValueTooLarge(f"a value is made of more than {self._limits.items:,} others")

    def _claim(self, count: int) -> None:
        self._items += count
        self._check_items(self._items)

    def _claim_key(self, size: int) -> None:
        self._key_bytes += size
        if self._key_bytes > self._limits.key_bytes:
            raise ValueTooLarge(
                "the keys of dicts that are not strings take more than "
                f"{self._limits.key_bytes:,} bytes to send"
            )


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
        bound = _int_bound(self._limits.int_digits)
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
        if flags > _REQUIRES_GRAD | _PARAMETER:
            self._fail("a tensor with flags that mean nothing")
        dtype: torch.dtype = getattr(torch, TENSOR_NUMBERS[self._code(TENSOR_NUMBERS)])
        requires_grad = bool(flags & _REQUIRES_GRAD)
        if requires_grad and not (dtype.is_floating_point or dtype.is_complex):
            self._fail(f"a tensor of {dtype} that requires a gradient")
        tensor = torch.empty(self._shape(dtype.itemsize), dtype=dtype, device="cpu")
        self._fill(tensor.view(-1).view(torch.uint8).numpy(), dtype == torch.bool)
        if flags & _PARAMETER:
            return torch.nn.Parameter(tensor, requires_grad)
        return tensor.requires_grad_(requires_grad)

    def get_reference(self) -> object:
        reference = Reference(self._name(), self._unpack(_NUMBER)[0])
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
        if axes > _MOST_AXES:
            self._fail(f"{axes} axes, where {_MOST_AXES} are the most")
        self._claim(_ARRAY_ITEMS - 1)
        shape = struct.unpack(f">{axes}Q", self._take(8 * axes, "a shape"))
        if _volume(shape, itemsize) > self._limits.message_bytes:
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
        name = self._text(self._sized("a name", 4 * _NAME_LENGTH))
        if not _is_name(name):
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
            elif id(type(part)) not in _KEY_TYPES:
                self._fail("a dict with a key that can't be one")

    def _fail(self, reason: str) -> Never:
        raise ReplyNotUnderstood(f"a message can't be understood at byte {self._at:,}: {reason}")


def _volume(shape: Iterable[int], itemsize: int) -> int:
    return itemsize * math.prod(max(axis, 1) for axis in shape)


def _shape(shape: tuple[int, ...]) -> bytes:
    return struct.pack(f">B{len(shape)}Q", len(shape), *shape)


@functools.cache
def _int_bound(digits: int) -> int:
    bound: int = 10**digits
    return bound


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_name(name: str) -> bool:
    return len(name) <= _NAME_LENGTH and name.isprintable()


def _type_name(cls: type) -> str:
    """The name of a type as it was defined, whatever its metaclass would say."""
    names = []
    for attribute in ("__module__", "__qualname__"):
        try:
            name = type.__dict__[attribute].__get__(cls)
        except AttributeError:
            name = None
        names.append(name if type(name) is str else "?")
    return names[1] if names[0] == "builtins" else ".".join(names)


def _bytes_of(tensor: "torch.Tensor") -> np.ndarray | None:
    """The numbers of a tensor in C order; None if they are not in main memory one by one."""
    import torch

    try:
        # From the class, as an attribute of the tensor's own could stand before the method.
        plain = torch.Tensor.detach(tensor).resolve_conj().resolve_neg().contiguous()
        # A tensor of one number is contiguous whatever its strides, and can't be flattened.
        return plain.as_strided((plain.numel(),), (1,)).view(torch.uint8).numpy()
    except (RuntimeError, TypeError):
        return None


def _tensor_writers() -> dict[int, Callable[[_Writer, Any], Iterator[object] | None]]:
    """Those for torch's types, if it was imported: else there can be no tensor."""
    torch = sys.modules.get("torch")
    if type(torch) is not ModuleType or not {"Tensor", "Size", "nn"} <= vars(torch).keys():
        return {}
    return {
        id(torch.Tensor): _Writer.put_tensor,
        id(torch.nn.Parameter): _Writer.put_parameter,
        id(torch.Size): _Writer.put_tuple,
    }


_WRITERS: dict[int, Callable[[_Writer, Any], Iterator[object] | None]] = {
    id(NoneType): _Writer.put_none,
    id(EllipsisType): _Writer.put_ellipsis,
    id(bool): _Writer.put_bool,
    id(int): _Writer.put_int,
    id(float): _Writer.put_float,
    id(complex): _Writer.put_complex,
    id(str): _Writer.put_str,
    id(bytes): _Writer.put_bytes,
    id(list): _Writer.put_list,
    id(tuple): _Writer.put_tuple,
    id(dict): _Writer.put_dict,
    id(slice): _Writer.put_slice,
    id(np.ndarray): _Writer.put_array,
    id(Reference): _Writer.put_reference,
    id(Unsupported): _Writer.put_unsupported,
    **{id(kind): _Writer.put_wrapped for kind in WRAPPINGS},
    **{id(np.dtype(char).type): _Writer.put_number for char in "?bBhHiIlLqQefdFD"},
}
_KEY_TYPES = frozenset(id(cls) for cls in (NoneType, bool, int, float, str))

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
