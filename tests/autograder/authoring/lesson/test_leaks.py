import pytest

from autograder.authoring.lesson.leaks import leaks
from tests.support.samples import make_sources

REFERENCE = '''\
def attention(queries, keys, values):
    """Attention."""
    ### BEGIN SOLUTION
    # one score per pair of words
    scores = queries @ keys.T
    if scores.size:
        scores = scores - scores.max()
    return shares(scores) @ values
    ### END SOLUTION


def mean_word(words):
    ### BEGIN SOLUTION
    return words.sum(axis=0) / len(words)
    ### END SOLUTION


def add(x):
    ### BEGIN SOLUTION
    return x + 1
    ### END SOLUTION
'''
SOLUTION = """\
scores = queries @ keys.T
if scores.size:
    scores = scores - scores.max()
return shares(scores) @ values"""
WITH_COMMENT = f"# one score per pair of words\n{SOLUTION}"
ONE_LINE = "return words.sum(axis=0) / len(words)"


@pytest.fixture
def found(tmp_path):
    sources = make_sources(tmp_path / "words.py", REFERENCE).values()
    return lambda text, *, is_code: list(leaks(text, sources, is_code=is_code))


def indented(text: str, by: int = 4) -> str:
    return "\n".join(" " * by + line for line in text.split("\n"))


@pytest.mark.parametrize("is_code", [True, False])
@pytest.mark.parametrize(
    ("text", "line"),
    [
        (WITH_COMMENT, 1),
        (f"x = 1\n\n\n{WITH_COMMENT}\ny = 2", 4),
        (f"def other_name(a, b):\n{indented(WITH_COMMENT)}", 2),
        (WITH_COMMENT.replace("\n", "\n\n\n"), 1),
        (WITH_COMMENT.replace(" @ ", "@").replace("    ", "\t").replace("@keys", "\t @  keys"), 1),
        ("(" + WITH_COMMENT.replace(" @ ", "\n@\n"), 1),
        ("a\nb " + " ".join(WITH_COMMENT.split()) + " c\nd", 2),
    ],
)
def test_found_by_letters(found, text, line, is_code):
    assert found(text, is_code=is_code) == [("attention", line)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"def f(queries, keys, values):\n{indented(SOLUTION)}", 2),
        (f"def f(x):\n    y = x\n    # mine\n{indented(SOLUTION)}", 4),
        (f"class A:\n    def f(self):\n{indented(SOLUTION, 8)}", 3),
        (f"def f(x):\n    if x:\n        y = 1\n    else:\n{indented(SOLUTION, 8)}", 5),
        (
            "def f(queries):\n"
            "    scores = (queries  # rows\n"
            "              @ keys.T)\n"
            "    if scores.size:  # any\n"
            "        # none too large\n"
            "        scores = (scores - scores.max())\n"
            "    return shares(scores,) @ values\n",
            2,
        ),
    ],
)
def test_found_by_syntax(found, text, line):
    assert found(text, is_code=True) == [("attention", line)]
    assert found(text, is_code=False) == []


def test_one_line(found):
    assert found(f"def f(words):\n    {ONE_LINE}", is_code=True) == [("mean_word", 2)]
    assert found(f"Write\n`{ONE_LINE}`.", is_code=False) == [("mean_word", 2)]


@pytest.mark.parametrize("lines", [1, 2, 3, 4])
def test_one_line_over_several(found, lines):
    spread = ONE_LINE.replace(" ", "\n", lines - 1)
    assert found(spread, is_code=False) == [("mean_word", 1)]
    assert found(f"words\n{spread}", is_code=False) == [("mean_word", 2)]


def test_several_solutions(found):
    text = f"def f(words):\n    {ONE_LINE}\n\n\ndef g(x):\n{indented(WITH_COMMENT)}"
    assert found(text, is_code=True) == [("attention", 6), ("mean_word", 2)]


def test_first_of_two_copies(found):
    assert found(f"words\n{ONE_LINE}\nwords\n{ONE_LINE}", is_code=False) == [("mean_word", 2)]


@pytest.mark.parametrize("is_code", [True, False])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "def add(x):\n    return x + 1",
        WITH_COMMENT.replace("keys", "inputs"),
        WITH_COMMENT.replace("- scores.max()", "+ scores.max()"),
        "\n".join(WITH_COMMENT.split("\n")[:-1]),
        "\n".join(reversed(SOLUTION.split("\n"))),
        "def attention(queries, keys, values):\n    raise NotImplementedError()",
        "def f(words):\n    return words.sum(axis=1) / len(words)",
        "Divide the scores by the sum of the words, return them.",
        "def f(",
    ],
)
def test_no_leak(found, text, is_code):
    assert found(text, is_code=is_code) == []


CLASS = '''\
class Scale(Module):
    """Each word times a factor."""

    def __init__(self, factor):
        ### BEGIN SOLUTION
        super().__init__()
        ### END SOLUTION
        ### BEGIN SOLUTION
        # the comment in this part is long enough for two
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        shares = self.dropout(self.factor * x)
        return shares.transpose(1, 2)
        ### END SOLUTION
'''
FORWARD = "shares = self.dropout(self.factor * x)\nreturn shares.transpose(1, 2)"


@pytest.fixture
def found_in_class(tmp_path):
    sources = make_sources(tmp_path / "words.py", CLASS).values()
    return lambda text, *, is_code: list(leaks(text, sources, is_code=is_code))


def test_one_method_is_found(found_in_class):
    method = f"class Other:\n    def forward(self, x):\n{indented(FORWARD, 8)}"
    assert found_in_class(method, is_code=True) == [("Scale", 3)]
    commented = method.replace("\n        return", "\n        # turned round\n        return")
    assert found_in_class(commented, is_code=True) == [("Scale", 3)]
    assert found_in_class(f"words\n{FORWARD}", is_code=False) == [("Scale", 2)]


def test_whole_class_is_found_once(found_in_class):
    assert found_in_class(CLASS, is_code=True) == [("Scale", 14)]


@pytest.mark.parametrize(
    "text", ["class A:\n    def __init__(self):\n        super().__init__()", FORWARD[:40]]
)
def test_short_part_is_no_leak(found_in_class, text):
    assert found_in_class(text, is_code=True) == []
    assert found_in_class(text, is_code=False) == []
