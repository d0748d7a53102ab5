"""A source in its normal form: what makes no difference, what does, and what is no Python."""

import time

import pytest

from autograder.insight.similarity.normal import LONGEST, is_too_long, normal_lines


def texts(source: str) -> list[str]:
    return [line.text for line in normal_lines(source)]


ALIKE = {
    "names": ("def f(x):\n    y = x + 1\n    print(y)", "def f(a):\n    b = a + 1\n    print(b)"),
    "comments": ("y = 1  # one", "# first\ny = 1"),
    "layout": ("y = f(1,\n      2)", "y=f( 1,2 )"),
    "docstring": ('def f(x):\n    """Doc."""\n    return x', "def f(x):\n    return x"),
    "annotations": ("def f(x: int) -> int:\n    y: int = x", "def f(x):\n    y = x"),
    "quotes": ("y = 'a'", 'y = "a"'),
    "attributes": ("self.a = 1\nprint(self.a)", "self.b = 1\nprint(self.b)"),
    "detour": ("def f(x):\n    y = x + 1\n    return y", "def f(x):\n    return x + 1"),
    "range": ("for i in range(0, n): pass", "for j in range(n): pass"),
    "in place": ("def f(x):\n    x += 1", "def f(x):\n    x = x + 1"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ALIKE)
def test_what_makes_no_difference(kind: str) -> None:
    one, other = ALIKE[kind]
    assert texts(one) == texts(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("y = torch.sin(x)", "y = torch.cos(x)"),
        ("y = x.sum(0)", "y = x.sum(1)"),
        ("def f(a, b):\n    return a - b - a", "def f(a, b):\n    return a - b - b"),
        ("y = f(dim=1)", "y = f(axis=1)"),
        ("y = given + 1", "y = other + 1"),
    ],
)
def test_what_makes_one(one: str, other: str) -> None:
    assert texts(one) != texts(other)


def test_lines_know_where_they_are() -> None:
    source = "def f(x):\n\n    # why\n    y = g(\n        x)\n    return h(y)"
    assert [line.number for line in normal_lines(source)] == [1, 4, 6]


def test_what_is_no_python_is_read_line_by_line() -> None:
    broken = "def f(x:\n    y = x + 1  # one\n    %time z = y\n    return z ("
    renamed = "def f(a:\n    b = a + 1\n    %time z = y\n    return z ("
    assert texts(broken)[1:] == ["v0 = x + 1", "%time z = y", "return z ("]
    assert texts(renamed)[1:] == ["v0 = a + 1", "%time z = y", "return z ("]


COPIED = "b = strange(b) - 17"
# What may stand above a copy, so often that the copy comes too late.
ABOVE = {
    "the same": "a = 0\n",
    "on one line": "a=0;",
    "nested": "if a:\n  a = 0\n",
    "no Python": "%time a\n",
    "neither": "a = (\n",
}
NOTHING = {"comments": "# a\n", "blanks": "\n", "pass": "pass\n", "texts": "'a'\n"}


@pytest.mark.parametrize("above", [*ABOVE.values(), *NOTHING.values()])
@pytest.mark.parametrize("broken", ["", "(\n"], ids=["Python", "none"])
@pytest.mark.parametrize("often", [10, 99, 100, 198, 199, 200, 201, 400])
def test_all_is_compared_or_too_long(above: str, broken: str, often: int) -> None:
    source = f"{above * often}\n{broken}{COPIED}"
    is_compared = any("strange" in line for line in texts(source))
    assert is_compared != is_too_long(source)
    assert is_compared or above in ABOVE.values()


def test_a_long_line_of_what_is_no_python_is_compared() -> None:
    assert any("strange" in line for line in texts(f"({'[' * 3000}{COPIED}"))


# They end no line of Python's.
@pytest.mark.parametrize(
    "sign", ["\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
)
@pytest.mark.parametrize("below", ["", "\n("], ids=["Python", "none"])
def test_lines_are_those_of_python(sign: str, below: str) -> None:
    source = f"# a{sign}{sign}\r\na = 1\r# b\n{COPIED}{below}"
    assert [line.number for line in normal_lines(source)][:2] == [2, 4]


HOSTILE = {
    "many on many lines": "a\n" * 4990 + "(",
    "nothing on many lines": "#\n" * 4990 + "(",
    "parentheses": "(" * 4900 + ")" * 4900,
    "signs": "-" * 9000 + "1",
    "sums": "+".join("1" * 4900),
    "attributes": "a" + ".b" * 4900,
    "calls": "f" + "()" * 4900,
    "blocks": "".join(" " * n + "if x:\n" for n in range(99)) + " " * 99 + "y = 1",
    "lambdas": "lambda:" * 1400 + "1",
    "one line": "x" * LONGEST,
    "texts": 'f"{' * 3000,
    "nul": "a = 1\0\nb = 2",
    "surrogates": "a = '\ud800'\n" * 900,
    "many": "a=b\n" * 2499 + "(",
    "empty": "",
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_nothing_hangs_or_crashes(kind: str) -> None:
    start = time.process_time()
    assert len(normal_lines(HOSTILE[kind])) <= 200
    assert time.process_time() - start < 1
