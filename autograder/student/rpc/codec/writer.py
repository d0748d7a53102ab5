"""Values as bytes: the writer of the codec, which bounds what it sends."""

import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from types import EllipsisType, ModuleType, NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

from autograder.errors import ValueTooLarge
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
    TENSOR_CODES,
    Reference,
    Unsupported,
    int_bound,
    is_name,
    volume,
)
from autograder.student.rpc.codec.wrapped import WRAPPINGS

if TYPE_CHECKING:
    import torch

_PLACES = {kind: place for place, kind in enumerate(WRAPPINGS)}
_CODES = {name: code for code, name in enumerate(ARRAY_NUMBERS)}
_TAGGED_SIZE = struct.Struct(">cI")
_TAGGED_INT = struct.Struct(">cq")
_TAGGED_FLOAT = struct.Struct(">cd")
_TAGGED_COMPLEX = struct.Struct(">cdd")

Refer = Callable[[object], Reference | None]


def encode(value: object, limits: Limits, *, refer: Refer = lambda _: None) -> bytes:
    """A value as a message that `decode` understands under the same limits.

    `refer` is asked about each object that can't be sent by value; for None it becomes
    `Unsupported`. Only that hook may touch such an object.

    Raises:
        ValueTooLarge: for a value beyond the limits, or one that contains itself.
    """
    return _Writer(limits, refer).message(value)


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
        bound = int_bound(self._limits.int_digits)
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
        code = TENSOR_CODES.get(str(value.dtype))
        if code is None:
            self._put_unsupported(f"torch.Tensor of {value.dtype}")
        elif self._has_room(value.shape, value.dtype.itemsize, "torch.Tensor"):
            numbers = _bytes_of(value)
            if numbers is None:
                self._put_unsupported("torch.Tensor that is sparse, or not in main memory")
                return
            flags |= REQUIRES_GRAD if value.requires_grad else 0
            self._put(b"t" + bytes([flags, code]) + _shape(value.shape))
            self._put(numbers.data)

    def put_parameter(self, value: "torch.nn.Parameter") -> None:
        self.put_tensor(value, PARAMETER)

    def put_reference(self, value: Reference) -> None:
        kind, number = value.kind, value.number
        if type(kind) is str and is_name(kind) and type(number) is int and 0 <= number < 1 << 64:
            self._put_sized(b"r", kind.encode())
            self._put(NUMBER.pack(number))
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
            elif id(type(key)) not in KEY_TYPES:
                return _type_name(type(key))
            elif type(key) is str and not _is_text(key):
                return "str with a lone surrogate"
        return ""

    def _has_room(self, shape: tuple[int, ...], itemsize: int, what: str) -> bool:
        if len(shape) > MOST_AXES:
            self._put_unsupported(f"{what} with {len(shape)} axes")
            return False
        self._check_room(volume(shape, itemsize))
        self._claim(ARRAY_ITEMS - 1)
        return True

    def _put_unsupported(self, name: str) -> None:
        printable = "".join(c if c.isprintable() else "?" for c in name[:NAME_LENGTH])
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


def _shape(shape: tuple[int, ...]) -> bytes:
    return struct.pack(f">B{len(shape)}Q", len(shape), *shape)


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


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
