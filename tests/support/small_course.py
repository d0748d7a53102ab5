"""A course of one small lesson, from its text to its exams: for tests that know what is in it."""

from pathlib import Path

from autograder.course import Course
from tests.support.samples import FRONT_MATTER

LESSON = "01_mixing"

_TEXT = (
    FRONT_MATTER
    + """\
# 01 · Mixing

```{code-cell} ipython3
import numpy as np

from autograder import check
from companion import YOUR_JOURNEY, arcs

words = YOUR_JOURNEY.words
```

Six words, three numbers each.

```{code-cell} ipython3
arcs(
    words,
    [0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581],
    focus=1,
    alt="Arcs from journey to all six words. The widest go to journey itself and to starts.",
)
some_matches = np.array([[2.0, 1.0], [0.0, -1.0]])
```

## By hand

```{exercise} match
:difficulty: 1
:minutes: 5
```

```{check} match
:points: 2
```

```{exercise} shares_of
:difficulty: 2
:minutes: 18
```

```{check} shares_of
:points: 3
```

Last step: the words, mixed by their shares.

```{exercise} mix
:difficulty: 1
:minutes: 5
```

```{check} mix
:points: 2
```

```{exercise} why
:points: 4
:difficulty: 2
:minutes: 10

Why do the shares sum to 1?

### BEGIN SOLUTION
They are divided by their sum.
### END SOLUTION
### BEGIN MARK SCHEME
- 4 points: because of the division.
### END MARK SCHEME
```
"""
)

_REFERENCE = '''\
"""The reference of the small lesson."""

import numpy as np


def match(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """How well one word matches every word.

    Args:
        query: the word that asks, (d_in,).
        inputs: the sentence, (tokens, d_in).

    Returns:
        One number per word, (tokens,).
    """
    ### BEGIN SOLUTION
    return inputs @ query
    ### END SOLUTION


def shares_of(matches: np.ndarray) -> np.ndarray:
    """Shares that sum to 1, along the last axis.

    Args:
        matches: numbers of any sign, (…, tokens).

    Returns:
        As many shares, (…, tokens).
    """
    ### BEGIN SOLUTION
    powers = np.exp(matches - matches.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
    ### END SOLUTION


def mix(shares: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """The words, mixed by their shares.

    Args:
        shares: one share per word, (tokens,).
        inputs: the sentence, (tokens, d_in).

    Returns:
        One vector, (d_in,).
    """
    ### BEGIN SOLUTION
    return shares @ inputs
    ### END SOLUTION
'''

_EXAMS = '''\
"""The exams of the small lesson."""

import numpy as np

from autograder import Exam
from companion import softmax
from solutions import mixing as reference

matches = Exam(reference.match)


@matches.example
def three_words():
    """three words"""
    return np.array([1.0, -2.0]), np.array([[1.0, 0.5], [2.0, -1.0], [0.0, 4.0]])


@matches.case
def random_words(draw):
    """words drawn at random"""
    return draw("d_in"), draw("tokens d_in")


@matches.misconception
def not_summed(query, inputs):
    """These are products. Add them up for each word."""
    return inputs * query


shares = Exam(reference.shares_of)


@shares.example
def two_rows():
    """two rows"""
    return np.array([[2.0, 1.0, 0.5], [0.0, -1.0, 3.0]])


@shares.case
def random_matches(draw):
    """numbers drawn at random"""
    return draw("queries keys")


@shares.misconception
def down_the_columns(matches):
    """The shares sum to 1 down the columns. Let them do so along the rows, the last axis."""
    return softmax(matches, axis=0)


mixture = Exam(reference.mix)


@mixture.example
def three_shares():
    """three words, mixed"""
    return np.array([0.5, 0.25, 0.25]), np.array([[1.0, 2.0], [3.0, -4.0], [5.0, 8.0]])


@mixture.case
def random_mixture(draw):
    """a mixture drawn at random"""
    return draw.weights("tokens"), draw("tokens d_in")


@mixture.case(times=1)
def two_words(draw):
    """two words of many features"""
    draw.fix(tokens=2, d_in=30)
    return draw.weights("tokens"), draw("tokens d_in")


@mixture.misconception
def unweighted(shares, inputs):
    """This is the plain average. Let each word count by its share."""
    return inputs.mean(axis=0)
'''

_FILES = {
    "nbgrader_config.py": "",
    f"source/{LESSON}.md": _TEXT,
    "solutions/__init__.py": "",
    "solutions/mixing.py": _REFERENCE,
    "solutions/exams/__init__.py": "",
    "solutions/exams/mixing.py": _EXAMS,
}


def small_course(root: Path) -> Course:
    """Write it down, not built yet."""
    for path, text in _FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return Course(root)
