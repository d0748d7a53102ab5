import enum
import math
import random
import struct
import subprocess
import sys
import time
import tracemalloc
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from itertools import product
from types import FrameType
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from autograder.errors import LimitError, ReplyNotUnderstood, ValueTooLarge
from autograder.student.limits import Limits
from autograder.student.rpc.codec.grammar import (
    ARRAY_NUMBERS,
    TENSOR_NUMBERS,
    Reference,
    Unsupported,
)
from autograder.student.rpc.codec.reader import decode
from autograder.student.rpc.codec.writer import encode
from tests.support.course import ROOT

LIMITS = Limits()
MODULUS = 2**61 - 1  # of Python's hash of an int


def crossed(value: object, limits: Limits = LIMITS) -> Any:
    return decode(encode(value, limits), limits)


def same(first: Any, second: Any) -> bool:
    """Whether two values are of the same exact types and have the same bits, all the way down."""
    if type(first) is not type(second):
        return False
    match first:
        case float():
            return struct.pack("d", first) == struct.pack("d", second)
        case complex():
            return same((first.real, first.imag), (second.real, second.imag))
        case list() | tuple():
            return len(first) == len(second) and all(map(same, first, second))
        case dict():
            return same(list(first.items()), list(second.items()))
        case slice():
            return same(parts(first), parts(second))
        case np.ndarray() | np.generic():
            return same(bits_of_array(first), bits_of_array(second))
        case torch.Tensor():
            return same(bits_of_tensor(first), bits_of_tensor(second))
        case _:
            return bool(first == second)


def parts(value: slice) -> tuple[object, ...]:
    return value.start, value.stop, value.step


def bits_of_array(value: np.ndarray | np.generic) -> tuple[object, ...]:
    return value.dtype.str, value.shape, value.tobytes()


def bits_of_tensor(value: torch.Tensor) -> tuple[object, ...]:
    plain = torch.empty(value.shape, dtype=value.dtype).copy_(value.detach())
    numbers = plain.view(-1).view(torch.uint8).numpy().tobytes()
    return str(value.dtype), tuple(value.shape), value.requires_grad, numbers


# Round trips


def texts(**bounds: int) -> st.SearchStrategy[str]:
    return st.text(st.characters(exclude_categories=["Cs"]), **bounds)


any_float = st.integers(0, 2**64 - 1).map(lambda n: struct.unpack("d", n.to_bytes(8))[0])
keys = st.recursive(
    st.none() | st.booleans() | st.integers() | any_float | texts(max_size=20),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=4,
)
shapes = st.lists(st.integers(0, 4), max_size=4).map(tuple)


@st.composite
def arrays(draw: st.DrawFn) -> np.ndarray:
    """Any bits, of any kind of numbers, any shape, laid out in any way."""
    dtype, shape = np.dtype(draw(st.sampled_from(ARRAY_NUMBERS))), draw(shapes)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    size = math.prod(shape) * dtype.itemsize
    bits = rng.integers(0, 2 if dtype.kind == "b" else 256, size, np.uint8)
    return draw(st.sampled_from(LAYOUTS))(bits.view(dtype).reshape(shape))


def read_only(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array


LAYOUTS = (
    np.copy,
    np.asfortranarray,
    np.transpose,
    read_only,
    lambda array: array[..., ::2] if array.ndim else array,
    lambda array: array[::-1] if array.ndim else array,
    lambda array: np.broadcast_to(array, (3, *array.shape)),
)


@st.composite
def tensors(draw: st.DrawFn) -> torch.Tensor:
    dtype, shape = getattr(torch, draw(st.sampled_from(TENSOR_NUMBERS))), draw(shapes)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    size = math.prod(shape) * dtype.itemsize
    bits = rng.integers(0, 2 if dtype == torch.bool else 256, size, np.uint8)
    tensor = torch.empty(shape, dtype=dtype)
    tensor.view(-1).view(torch.uint8).numpy()[:] = bits
    tensor = draw(st.sampled_from(TENSOR_LAYOUTS))(tensor)
    differentiable = dtype.is_floating_point or dtype.is_complex
    requires_grad = draw(st.booleans()) if differentiable else False
    if draw(st.booleans()):
        return torch.nn.Parameter(tensor, requires_grad)
    return tensor.requires_grad_(requires_grad)


TENSOR_LAYOUTS = (
    torch.clone,
    lambda tensor: tensor.mT if tensor.ndim > 1 else tensor,
    lambda tensor: tensor[..., ::2] if tensor.ndim else tensor,
    lambda tensor: tensor.expand(3, *tensor.shape),
    lambda tensor: tensor.conj().detach(),
)

numbers = arrays().filter(lambda array: array.size).map(lambda array: array.reshape(-1)[0])
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.binary(max_size=1700).map(lambda b: int.from_bytes(b, signed=True)),
    any_float,
    st.builds(complex, any_float, any_float),
    texts(),
    st.binary(),
    st.just(...),
    numbers,
    arrays(),
    tensors(),
    st.builds(Reference, texts(max_size=9).filter(str.isprintable), st.integers(0, 2**64 - 1)),
    st.builds(Unsupported, texts(max_size=9).filter(str.isprintable)),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=6),
        st.lists(inner, max_size=6).map(tuple),
        st.dictionaries(keys, inner, max_size=6),
        st.builds(slice, inner, inner, inner),
    ),
    max_leaves=20,
)


@seed(0)
@settings(max_examples=150, deadline=None)
@given(values)
def test_round_trip(value):
    assert same(crossed(value), value)


@seed(0)
@settings(max_examples=150, deadline=None)
@given(arrays())
def test_arrays_arrive_plain(array):
    arrived = crossed(array)
    assert same(arrived, array)
    assert type(arrived) is np.ndarray
    assert arrived.flags.c_contiguous
    assert arrived.flags.writeable
    assert arrived.flags.owndata
    assert not np.shares_memory(arrived, array)


@seed(0)
@settings(max_examples=150, deadline=None)
@given(tensors())
def test_tensors_arrive_plain(tensor):
    arrived = crossed(tensor)
    assert same(arrived, tensor)
    assert arrived.is_contiguous()
    assert arrived.is_leaf
    assert arrived._base is None
    assert not arrived.is_conj()


@pytest.mark.parametrize("name", ARRAY_NUMBERS)
def test_scalar_of_each_kind(name):
    scalar = np.ones(1, name)[0]
    assert same(crossed(scalar), scalar)


@pytest.mark.parametrize("bits", [0x7FF0000000000001, 0xFFF8DEADBEEF0001, 0x8000000000000000, 1])
def test_bits_of_floats(bits):
    number = struct.unpack("d", bits.to_bytes(8, sys.byteorder))[0]
    for value in (number, complex(1.0, number), np.float64(number), np.array(number)):
        assert same(crossed(value), value)


def test_long_kinds_of_numpy():
    assert same(crossed(np.longlong(-3)), np.int64(-3))
    assert same(crossed(np.array([3], np.ulonglong)), np.array([3], np.uint64))


def test_sizes_arrive_as_tuples():
    assert same(crossed(torch.Size([2, 3])), (2, 3))


def test_results_arrive_as_leaves():
    weights = torch.ones(3, requires_grad=True)
    arrived = crossed(weights * 2)
    assert arrived.is_leaf
    assert arrived.requires_grad
    assert arrived.grad_fn is None


def test_order_of_keys():
    assert list(crossed({"b": 1, "a": 2, (1, None): 3, 0.5: 4})) == ["b", "a", (1, None), 0.5]


def test_strange_truths_are_true():
    array = np.array([0, 1, 2, 255], np.uint8).view(np.bool_)
    assert crossed(array).tobytes() == b"\0\1\1\1"
    assert crossed(array[2]) is np.True_


def test_attributes_of_tensors_are_not_called():
    tensor = torch.ones(3)
    for name in ("detach", "numpy", "contiguous", "reshape", "view", "is_conj", "__reduce_ex__"):
        setattr(tensor, name, Trap())
    assert same(crossed(tensor), torch.ones(3))


def test_same_message_twice():
    value = {"a": [1.0, (2, None)], "b": np.eye(2)}
    assert encode(value, LIMITS) == encode(value, LIMITS)


def test_any_buffer_is_decoded():
    message = encode([1, "é"], LIMITS)
    for data in (message, bytearray(message), memoryview(message)):
        assert decode(data, LIMITS) == [1, "é"]


def test_torch_only_for_tensors():
    script = """
import sys
import numpy as np
from autograder.student.rpc.codec.reader import decode
from autograder.student.rpc.codec.writer import encode
from autograder.student.limits import Limits
value = [np.eye(2), 1.5, "text", {}, object()]
decode(encode(value, Limits()), Limits())
assert "torch" not in sys.modules
tensor = decode(bytes.fromhex(sys.argv[1]), Limits())
assert sys.modules["torch"].equal(tensor, sys.modules["torch"].ones(2))
"""
    message = encode(torch.ones(2), LIMITS).hex()
    subprocess.run([sys.executable, "-c", script, message], cwd=ROOT, check=True)


# References


def test_references_are_resolved():
    kept: list[object] = [len, Trap]

    def refer(value: object) -> Reference | None:
        found = [number for number, one in enumerate(kept) if one is value]
        return Reference("function", found[0]) if found else None

    message = encode([len, {"f": Trap}, print], LIMITS, refer=refer)
    found = decode(message, LIMITS, resolve=lambda reference: kept[reference.number])
    assert found == [len, {"f": Trap}, Unsupported("builtin_function_or_method")]
    assert decode(message, LIMITS)[0] == Reference("function", 0)


def test_unknown_reference():
    message = encode(Reference("function", 7), LIMITS)
    with pytest.raises(ReplyNotUnderstood, match="there is no function 7"):
        decode(message, LIMITS, resolve=lambda reference: {}[reference.number])


def test_generators_are_resolved():
    kept = (number for number in range(3))
    message = encode([Reference("stream", 1), 2], LIMITS)
    assert decode(message, LIMITS, resolve=lambda _: kept) == [kept, 2]


@pytest.mark.parametrize(
    "fields", [("a\nb", 1), ("x" * 201, 1), (b"a", 1), ("a", -1), ("a", 2**64), ("a", True)]
)
def test_references_that_can_not_be(fields):
    assert crossed(Reference(*fields)) == Unsupported(
        "autograder.student.rpc.codec.grammar.Reference"
    )


# What does not cross


class Trap:
    """Whatever is called in its place was called by mistake."""

    def __call__(self, *_: object, **__: object) -> None:
        raise AssertionError("a foreign object was asked")


Pair = namedtuple("Pair", "left right")


class Colour(enum.IntEnum):
    RED = 1


class Agreeable(np.ndarray):
    def __eq__(self, other: object) -> bool:
        return True


class Liar(float):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = float.__hash__


class Words(list):
    pass


class Weights(torch.Tensor):
    pass


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (Words([1]), f"{__name__}.Words"),
        (Liar(1.0), f"{__name__}.Liar"),
        (Pair(1, 2), f"{__name__}.Pair"),
        (Colour.RED, f"{__name__}.Colour"),
        (OrderedDict(a=1), "collections.OrderedDict"),
        (object(), "object"),
        (len, "builtin_function_or_method"),
        (Words, "type"),
        (math, "module"),
        (np.zeros(2).view(Agreeable), f"{__name__}.Agreeable"),
        (np.ma.array([1]), "numpy.ma.MaskedArray"),
        (np.str_("a"), "numpy.str_"),
        (np.longdouble(1), "numpy.longdouble"),
        (np.datetime64("2020-01-01"), "numpy.datetime64"),
        (np.array([None]), "numpy.ndarray of numpy.object_"),
        (np.array(["a"]), "numpy.ndarray of numpy.str_"),
        (np.zeros(2, "f4,f8"), "numpy.ndarray of numpy.void"),
        (np.zeros(2, np.longdouble), "numpy.ndarray of numpy.longdouble"),
        (np.zeros((1,) * 33), "numpy.ndarray with 33 axes"),
        (torch.ones(2).as_subclass(Weights), f"{__name__}.Weights"),
        (torch.ones(2, 2).to_sparse(), "torch.Tensor that is sparse, or not in main memory"),
        (torch.ones(2, device="meta"), "torch.Tensor that is sparse, or not in main memory"),
        (torch.ones(2).to(torch.float8_e5m2), "torch.Tensor of torch.float8_e5m2"),
        (torch.ones((1,) * 33), "torch.Tensor with 33 axes"),
        (torch.float32, "torch.dtype"),
        ("\ud800", "str with a lone surrogate"),
        ({"a\udfff": 1}, "dict with a key that is a str with a lone surrogate"),
        ({(1, frozenset()): 1}, "dict with a key that is a frozenset"),
        ({np.int64(1): 1}, "dict with a key that is a numpy.int64"),
        (
            {Reference("a", 1): 1},
            "dict with a key that is a autograder.student.rpc.codec.grammar.Reference",
        ),
        (type("Bad\nName" + "x" * 300, (), {})(), f"{__name__}.Bad?Name" + "x" * 300),
    ],
)
def test_unsupported_by_name(value, name):
    assert crossed(value) == Unsupported(name[:200])
    assert crossed([1, (value,)]) == [1, (Unsupported(name[:200]),)]


def test_matrix_is_unsupported():
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.matrix([[1.0]])
    assert crossed(matrix) == Unsupported("numpy.matrix")


def test_mapped_tensors_are_unsupported():
    seen = []

    def look(row):
        seen.append(crossed(row))
        return row

    torch.vmap(look)(torch.ones(2, 3))
    assert [type(value) for value in seen] == [Unsupported]


touched: list[str] = []
BASES = (object, list, dict, set, tuple, int, float, complex, str, bytes, Exception)
ARRAYS = (np.ndarray, np.float64, torch.Tensor, torch.nn.Parameter)
# What makes and ends an object, and what Python itself reads from a class.
LEFT_ALONE = {
    *("__new__", "__init__", "__init_subclass__", "__set_name__", "__del__", "__class__"),
    *("__subclasshook__", "__prepare__", "__base__", "__classcell__"),
}
DUNDERS = {
    *("__getattr__", "__index__", "__bool__", "__array__", "__fspath__", "__buffer__"),
    *("__torch_function__", "__torch_dispatch__", "__array_function__", "__array_ufunc__"),
    *(
        name
        for cls in (type, *BASES, *ARRAYS)
        for name in dir(cls)
        if name.startswith("__") and callable(getattr(cls, name, None))
    ),
} - LEFT_ALONE


def trap(name: str) -> Callable[..., object]:
    def touch(*_: object, **__: object) -> object:
        touched.append(name)
        raise AssertionError(name)

    return touch


def hostile(base: type) -> tuple[Any, dict[object, None]]:
    """An object all of whose special methods, and those of its class, are traps; it as a key."""
    meta = type("Meta", (type(base),), {})
    lies = {"__module__": "lair", "__class__": property(trap("__class__"))}
    cls = meta("Hostile", (base,), lies | {"__hash__": object.__hash__})
    made = torch.ones(2).as_subclass if issubclass(base, torch.Tensor) else base.__new__
    value = made(cls, *([2] if base is np.ndarray else []))
    keyed = {value: None}
    for owner, name in product((cls, meta), DUNDERS):
        type.__setattr__(owner, name, trap(name))
    touched.clear()
    return value, keyed


@pytest.mark.parametrize("base", [*BASES, *ARRAYS])
def test_foreign_objects_are_not_touched(base):
    value, keyed = hostile(base)
    message = encode([value, {"key": value}, keyed, slice((value,), type(value))], LIMITS)
    assert touched == []
    found, key = Unsupported("lair.Hostile"), Unsupported("dict with a key that is a lair.Hostile")
    assert decode(message, LIMITS)[:3] == [found, {"key": found}, key]


def test_traps_work():
    for use in (len, hash, repr, iter, lambda value: value == 1, lambda value: hash(type(value))):
        with pytest.raises(AssertionError):
            use(hostile(list)[0])
        assert touched


# Limits on what is sent


def itself() -> list[object]:
    value: list[object] = []
    value += [value, value]
    return value


def itself_in_a_dict() -> dict[str, object]:
    value: dict[str, object] = {}
    value["again"] = (1, [value])
    return value


def nested(depth: int, inner: object = None) -> object:
    for _ in range(depth):
        inner = [inner]
    return inner


def doubled(times: int) -> object:
    value: object = ()
    for _ in range(times):
        value = (value, value)
    return value


SMALL = Limits(message_bytes=1000, depth=4, items=50, int_digits=20, key_bytes=40)


TOO_LARGE = [
    (itself(), "nested more than 4 deep, or contains itself"),
    (itself_in_a_dict(), "nested more than 4 deep"),
    (nested(5), "nested more than 4 deep"),
    (nested(100_000), "nested more than 4 deep"),
    ([None] * 50, "made of more than 50 others"),
    ([[None] * 20] * 3, "made of more than 50 others"),
    ({str(n): n for n in range(25)}, "made of more than 50 others"),
    ([np.zeros(1)] * 5, "made of more than 50 others"),
    ([torch.zeros(1)] * 5, "made of more than 50 others"),
    ("a" * 100_000, "more than 1,000 bytes"),
    (b"a" * 100_000, "more than 1,000 bytes"),
    (["a" * 300] * 4, "more than 1,000 bytes"),
    (np.zeros(200), "more than 1,000 bytes"),
    (np.broadcast_to(np.zeros(1), (10**9, 10**9)), "more than 1,000 bytes"),
    (np.zeros((0, 10**12)), "more than 1,000 bytes"),
    (torch.zeros(1).expand(10**9, 10**9), "more than 1,000 bytes"),
    (torch.zeros((0, 2**40)), "more than 1,000 bytes"),
    (10**20, "more than 20 digits"),
    (-(10**20), "more than 20 digits"),
    (dict.fromkeys(range(5)), "keys of dicts that are not strings take more than 40 bytes"),
    ([{n: None} for n in range(5)], "keys of dicts that are not strings"),
    ({("a" * 40,): None}, "keys of dicts that are not strings"),
    ({(None,) * 100_000: None}, "made of more than 50 others"),
]


@pytest.mark.parametrize(("value", "reason"), TOO_LARGE)
def test_too_large(value, reason):
    with pytest.raises(ValueTooLarge, match=reason):
        encode(value, SMALL)


@pytest.mark.parametrize(("value", "reason"), TOO_LARGE)
def test_too_large_takes_no_memory(value, reason):
    assert peak_of(lambda: encode(value, SMALL)) < 20_000


def test_doubling_ends_at_once():
    for value in (doubled(100), [doubled(31)], slice(doubled(100))):
        with pytest.raises(ValueTooLarge):
            encode(value, LIMITS)


@pytest.mark.parametrize(
    "value",
    [
        nested(4),
        [None] * 49,
        {str(n): n for n in range(24)},
        [np.zeros(1)] * 4,
        "a" * 995,
        np.zeros(123),
        10**20 - 1,
        1 - 10**20,
        dict.fromkeys(range(4)),
    ],
)
def test_just_small_enough(value):
    assert same(crossed(value, SMALL), value)


def test_depth_costs_no_stack():
    limits = replace(LIMITS, depth=200)

    def deep(frames: int) -> object:
        return deep(frames - 1) if frames else crossed(nested(200), limits)

    assert deep(sys.getrecursionlimit() - frames_now() - 40) == nested(200)


def frames_now() -> int:
    frame: FrameType | None = sys._getframe().f_back
    count = 0
    while frame:
        frame = frame.f_back
        count += 1
    return count


# Limits on what is received


def sized(tag: str, content: bytes) -> bytes:
    return tag.encode() + struct.pack(">I", len(content)) + content


def counted(tag: str, count: int, content: bytes = b"") -> bytes:
    return tag.encode() + struct.pack(">I", count) + content


def shaped(head: bytes, *axes: int) -> bytes:
    return head + bytes([len(axes)]) + struct.pack(f">{len(axes)}Q", *axes)


def integer(number: int) -> bytes:
    return sized("I", number.to_bytes(number.bit_length() // 8 + 1, "big", signed=True))


F8 = bytes([ARRAY_NUMBERS.index("<f8")])
T_F4, T_I8 = (bytes([TENSOR_NUMBERS.index(name)]) for name in ("float32", "int64"))
ONE = struct.pack(">q", 1)

MALICE = {
    "nothing": (b"", "a value of at least 1 bytes, where 0 are left"),
    "an unknown tag": (b"Q", "no value begins with 0x51"),
    "pickle": (b"\x80\x04K\x01.", "no value begins with 0x80"),
    "something after it": (b"NN", "1 bytes after its end"),
    "too long": (b"s" + struct.pack(">I", 996) + b"a" * 996, "more than 1,000 bytes"),
    "half an int": (b"i\0\0", "a number of at least 8 bytes"),
    "half a float": (b"f\0", "a number of at least 8 bytes"),
    "half a complex": (b"c" + b"\0" * 15, "a number of at least 16 bytes"),
    "half a size": (b"s\0\0", "a number of at least 4 bytes"),
    "a long str": (counted("s", 2**32 - 1), "a str of at least 4,294,967,295 bytes"),
    "long bytes": (counted("b", 2**31), "bytes of at least 2,147,483,648 bytes"),
    "a long int": (counted("I", 2**32 - 1), "an int of 4,294,967,295 bytes, where 9 are the most"),
    "an int of 21 digits": (integer(10**20), "more than 20 digits"),
    "a negative one": (integer(-(10**20)), "more than 20 digits"),
    "no UTF-8": (sized("s", b"\xff"), "not UTF-8"),
    "a surrogate": (sized("s", b"\xed\xa0\x80"), "not UTF-8"),
    "an overlong zero": (sized("s", b"\xc0\x80"), "not UTF-8"),
    "a long list": (counted("[", 2**32 - 1), "values of at least 4,294,967,295 bytes"),
    "a long dict": (counted("{", 2**32 - 1, b"N"), "values of at least 8,589,934,590 bytes"),
    "many items": (counted("[", 50, b"N" * 50), "more than 50 values"),
    "many in many": (counted("[", 3, counted("[", 20, b"N" * 20) * 3), "more than 50 values"),
    "many pairs": (counted("{", 25, b"N" * 50), "more than 50 values"),
    "many arrays": (counted("[", 5, shaped(b"a\0", 0) * 5), "more than 50 values"),
    "many tensors": (counted("[", 5, shaped(b"t\0\0", 0) * 5), "more than 50 values"),
    "many slices": (counted("[", 17, b":NNN" * 17), "more than 50 values"),
    "a deep list": (counted("[", 1) * 5 + b"N", "nested more than 4 deep"),
    "deep slices": (b":" * 99, "nested more than 4 deep"),
    "a deep key": (counted("{", 1, counted("(", 1) * 4 + b"NN"), "nested more than 4 deep"),
    "a list as key": (counted("{", 1, counted("[", 0) + b"N"), "a key that can't be one"),
    "a list in a key": (
        counted("{", 1, counted("(", 1, counted("[", 0)) + b"N"),
        "a key that can't be one",
    ),
    "an array as key": (counted("{", 1, shaped(b"a\0", 0) + b"N"), "a key that can't be one"),
    "a reference as key": (
        counted("{", 1, sized("r", b"a") + bytes(8) + b"N"),
        "a key that can't be one",
    ),
    "a key twice": (counted("{", 2, sized("s", b"a") + b"N" + sized("s", b"a") + b"T"), "twice"),
    "equal keys": (counted("{", 2, b"i" + ONE + b"N" + b"TN"), "twice"),
    "long keys": (counted("{", 8, b"".join(integer(n) + b"N" for n in range(8))), "keys of"),
    "no such numbers": (shaped(b"a\xff", 0), "no kind of numbers has the code 255"),
    "objects": (shaped(bytes([97, len(ARRAY_NUMBERS)]), 1), "no kind of numbers"),
    "no such tensor": (shaped(bytes([116, 0, len(TENSOR_NUMBERS)]), 1), "no kind of numbers"),
    "33 axes": (shaped(b"a" + F8, *[1] * 33), "33 axes, where 32 are the most"),
    "half a shape": (b"a" + F8 + b"\2" + bytes(15), "a shape of at least 16 bytes"),
    "a byte too few": (shaped(b"a" + F8, 2) + bytes(15), "numbers of at least 16 bytes"),
    "a byte too many": (shaped(b"a" + F8, 2) + bytes(17), "1 bytes after its end"),
    "a huge axis": (shaped(b"a" + F8, 2**64 - 1), "a shape of more than"),
    "huge axes": (shaped(b"a" + F8, *[2**63] * 32), "a shape of more than"),
    "axes that overflow to 0": (shaped(b"a" + F8, 2**32, 2**32), "a shape of more than"),
    "axes that overflow to 8": (shaped(b"a" + F8, 2**61 + 1), "a shape of more than"),
    "empty and huge": (shaped(b"a" + F8, 0, 2**40), "a shape of more than"),
    "a huge tensor": (shaped(b"t\0" + T_F4, 2**62), "a shape of more than"),
    "an empty huge tensor": (shaped(b"t\0" + T_F4, 0, 2**62, 2**62), "a shape of more than"),
    "half a tensor": (shaped(b"t\0" + T_F4, 2) + bytes(7), "numbers of at least 8 bytes"),
    "flags": (shaped(b"t\4" + T_F4, 0), "flags that mean nothing"),
    "a gradient of ints": (shaped(b"t\1" + T_I8, 0), "torch.int64 that requires a gradient"),
    "an int parameter's": (shaped(b"t\3" + T_I8, 0), "torch.int64 that requires a gradient"),
    "half a scalar": (b"n" + F8 + b"\0", "a number of at least 8 bytes"),
    "a long name": (sized("u", b"a" * 201), "too long"),
    "a longer name": (sized("u", b"a" * 801), "a name of 801 bytes, where 800 are the most"),
    "a name with colours": (sized("u", b"\x1b[31m"), "can't be printed"),
    "a name from right to left": (sized("r", "\u202e".encode()) + bytes(8), "can't be printed"),
    "half a reference": (sized("r", b"a") + b"\0", "a number of at least 8 bytes"),
}


@pytest.mark.parametrize("name", MALICE)
def test_malice(name):
    message, reason = MALICE[name]
    with pytest.raises(ReplyNotUnderstood, match=reason):
        decode(message, SMALL)


@pytest.mark.parametrize("name", MALICE)
def test_malice_takes_no_memory(name):
    message, _ = MALICE[name]
    assert peak_of(lambda: decode(message, SMALL)) < 20_000


def test_colliding_keys_end_soon():
    """With all their hashes the same, each key is compared with each before it."""
    keys_ = b"".join(integer(MODULUS * (2**30 + n)) + b"N" for n in range(60_000))
    tuples = b"".join(counted("(", 1, integer(MODULUS * n)) + b"N" for n in range(60_000))
    limits = replace(LIMITS, key_bytes=32_768)
    for content in (keys_, tuples):
        started = time.thread_time()
        with pytest.raises(ReplyNotUnderstood, match="keys of more than 32,768 bytes"):
            decode(counted("{", 60_000, content), limits)
        assert time.thread_time() - started < 2


# Noise


def outcome(message: bytes) -> bool:
    """Whether a message was understood; nothing else but a refusal may happen to it."""
    started = time.thread_time()
    try:
        value = decode(message, LIMITS)
    except ReplyNotUnderstood:
        return False
    finally:
        assert time.thread_time() - started < 0.5
    # What came out is made of exact types alone: it goes back as it is.
    assert same(crossed(value), value)
    return True


def corpus() -> list[bytes]:
    parameter = torch.nn.Parameter(torch.ones(2, 3))
    return [
        encode(value, LIMITS)
        for value in (
            [None, True, False, ..., 0, -1, 2**80, 1.5, 2j, "text é", b"bytes"],
            {"a": [1, 2.5, ("x", None)], 3: {}, (1, "b"): [], None: slice(1, None, 2)},
            np.arange(12, dtype="f4").reshape(3, 4),
            [np.float64(1.5), np.array(3), np.zeros((0, 3)), np.ones(3, bool), np.ones(2, ">i2")],
            [torch.ones(2, 2), torch.tensor(3), parameter, torch.ones(2, requires_grad=True)],
            {"w": torch.ones(3, dtype=torch.bfloat16), "mask": torch.tensor([True, False])},
            [Reference("function", 3), Unsupported("pandas.DataFrame"), (((((1,),),),),)],
            [[float(n) for n in range(20)] for _ in range(5)],
        )
    ]


EXTREMES = [b"\xff" * 8, b"\0" * 8, b"\x7f" + b"\xff" * 7, b"\x80" + bytes(7), b"\0\0\0\1" * 2]


def mutate(message: bytes, rng: random.Random) -> bytes:
    changed = bytearray(message)
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(len(changed) or 1)
        match rng.randrange(6):
            case 0:
                changed[at : at + 1] = bytes(
                    [(changed[at : at + 1] or b"\0")[0] ^ 1 << rng.randrange(8)]
                )
            case 1:
                del changed[at:]
            case 2:
                changed[at:at] = changed[at : at + rng.randrange(1, 30)]
            case 3:
                width = rng.choice((1, 4, 8))
                changed[at : at + width] = rng.choice(EXTREMES)[:width]
            case 4:
                del changed[at : at + rng.randrange(1, 9)]
            case _:
                changed[at : at + 1] = rng.choice(TAGS)
    return bytes(changed)


TAGS = [bytes([tag]) for tag in b"NTFEiIfcsb[({:natru"]


def random_messages(count: int) -> Iterator[bytes]:
    """Half of them any bytes, half the bytes of which messages are made."""
    rng = random.Random(0)
    for number in range(count):
        length = rng.choice((1, 3, 8, 20, 60, 200))
        if number % 2:
            yield rng.randbytes(length)
        else:
            pieces = (
                rng.choice((rng.choice(TAGS), b"\0\0\0\1", b"\0", b"\2")) for _ in range(length)
            )
            yield b"".join(pieces)


def test_random_bytes():
    understood = sum(map(outcome, random_messages(20_000)))
    assert 100 < understood < 10_000


def test_mutated_messages():
    rng, whole = random.Random(0), corpus()
    understood = sum(outcome(mutate(rng.choice(whole), rng)) for _ in range(20_000))
    assert 1000 < understood < 19_000


def test_every_truncation():
    for message in corpus():
        for end in range(len(message)):
            assert not outcome(message[:end])


def test_every_flipped_bit():
    for message in corpus()[:7]:
        for bit in range(8 * len(message)):
            changed = bytearray(message)
            changed[bit // 8] ^= 1 << bit % 8
            outcome(bytes(changed))


# Memory


def peak_of(action: Callable[[], object]) -> int:
    """The most memory it takes at a time, whether it succeeds or not."""
    tracemalloc.start()
    try:
        action()
    except (ReplyNotUnderstood, ValueTooLarge):
        pass
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return peak


def assert_modest(message: bytes, items: int, limits: Limits = LIMITS) -> None:
    most = 5 * len(message) + 120 * min(items, len(message)) + 50_000
    assert peak_of(lambda: decode(message, limits)) < most


DENSE = {
    "empty lists": counted("[", 0),
    "empty dicts": counted("{", 0),
    "small lists": counted("[", 1, b"N"),
    "small dicts": counted("{", 1, b"NN"),
    "ints": b"i" + struct.pack(">q", 1 << 40),
    "short long ints": sized("I", b"\1\0\0"),
    "floats": b"f" + bytes(8),
    "strs": sized("s", b"ab"),
    "bytes": sized("b", b"ab"),
    "slices": b":NNN",
    "numbers": b"n\1\0",
    "arrays without axes": b"a\1\0\0",
    "empty arrays": shaped(b"a\1", 0),
    "arrays of 32 axes": shaped(b"a\1", 0, *[1] * 31),
    "references": sized("r", b"") + bytes(8),
    "unsupported": sized("u", b"a"),
    "names": sized("u", "é".encode() * 200),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DENSE)
def test_memory_of_small_values(name):
    limits = replace(LIMITS, items=30_000)
    message = DENSE[name]
    count = 2_900 if "array" in name else 7_000
    message = counted("[", count, message * count)
    assert decode(message, limits)
    assert_modest(message, limits.items, limits)


def test_memory_of_keys():
    content = b"".join(b"i" + struct.pack(">q", n << 20) + b"N" for n in range(11_000))
    message = counted("{", 11_000, content)
    assert_modest(message, 22_001)


def test_memory_of_long_values():
    for message in (
        sized("s", b"a" * 999_996 + "😀".encode()),
        sized("s", "é".encode() * 500_000),
        sized("b", bytes(1_000_000)),
        encode(np.zeros(125_000), LIMITS),
        encode(list(range(100_000)), LIMITS),
    ):
        assert decode(message, LIMITS) is not None
        assert_modest(message, 100_001)


def test_memory_of_noise():
    rng, whole = random.Random(1), corpus()
    for message in [*random_messages(1000), *(mutate(rng.choice(whole), rng) for _ in range(1000))]:
        assert_modest(message, LIMITS.items)


# The limits themselves


def test_default_limits():
    assert LIMITS.message_bytes == 64 * 2**20
    assert LIMITS.processes == 64
    assert Limits.from_mapping(asdict(LIMITS)) == LIMITS


def test_limits_from_a_mapping():
    limits = Limits.from_mapping({"cell_seconds": 5, "items": 10})
    assert limits == replace(LIMITS, cell_seconds=5, items=10)


@pytest.mark.parametrize(
    ("numbers", "reason"),
    [
        ({"cell_second": 5}, "there is no limit 'cell_second': choose from cell_seconds, "),
        ({"items": 0}, "the limit items must be a positive whole number, not 0"),
        ({"items": 1.5}, "items must be a positive whole number, not 1.5"),
        ({"items": True}, "items must be a positive whole number, not True"),
        ({"cell_seconds": -1}, "cell_seconds must be a positive number, not -1"),
        ({"cell_seconds": math.nan}, "cell_seconds must be a positive number, not nan"),
        ({"cell_seconds": math.inf}, "cell_seconds must be a positive number, not inf"),
        ({"cell_seconds": "5"}, "cell_seconds must be a positive number, not '5'"),
        ({"message_bytes": 2**32}, "message_bytes can't be above 4294967295"),
        ({"depth": 201}, "depth can't be above 200"),
        ({"int_digits": 4301}, "int_digits can't be above 4300"),
    ],
)
def test_limits_that_can_not_be(numbers, reason):
    with pytest.raises(LimitError, match=reason):
        Limits.from_mapping(numbers)
