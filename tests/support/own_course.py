"""What a lecturer adds to the small course without editing any of its files."""

from pathlib import Path

from autograder.course import Course
from tests.support.small_course import LESSON, small_course

TEXT = """\
% before

Welcome to my own course.

% after exercise shares_of

And now one of mine.

```{exercise} largest
:difficulty: 1
:minutes: 3
```

```{check} largest
:points: 1
```

% after

```{code-cell} ipython3
numbers = [3, 1, 2]
```

```{exercise} total
:difficulty: 1
:minutes: 3
```

```{check} total
:points: 2

assert total(numbers) == 6
### BEGIN HIDDEN TESTS
assert total([]) == 0
### END HIDDEN TESTS
```

```{exercise} own_words
:points: 2
:difficulty: 1
:minutes: 5

What did you like?

### BEGIN SOLUTION
All of it.
### END SOLUTION
### BEGIN MARK SCHEME
- 2 points: for any answer.
### END MARK SCHEME
```
"""
REFERENCE = '''\
"""The reference of what is added to the small lesson."""

import numpy as np


def largest(shares: np.ndarray) -> np.ndarray:
    """The place of the largest share in each row, (rows,)."""
    ### BEGIN SOLUTION
    return shares.argmax(axis=-1)
    ### END SOLUTION


def total(numbers: list[int]) -> int:
    """The sum of some numbers."""
    ### BEGIN SOLUTION
    return sum(numbers)
    ### END SOLUTION
'''
EXAM = '''\
"""The exam of what is added to the small lesson."""

import numpy as np

from autograder import Exam
from mine.solutions import mixing as reference

largest = Exam(reference.largest)


@largest.example
def three_columns():
    """two rows of three shares"""
    return np.array([[0.5, 0.25, 0.25], [0.1, 0.2, 0.7]])


@largest.case
def random_shares(draw):
    """shares drawn at random"""
    return draw.weights("rows columns")


@largest.misconception
def down_the_columns(shares):
    """These are places in the columns. Look along each row."""
    return shares.argmax(axis=0)
'''
_FILES = {f"{LESSON[:2]}.md": TEXT, "solutions/mixing.py": REFERENCE, "exams/mixing.py": EXAM}


def own_course(root: Path, settings: str = "") -> Course:
    """The small course with a text, three exercises and some settings of its lecturer's."""
    return add_to(small_course(root), settings)


def add_to(course: Course, settings: str) -> Course:
    """Put a lecturer's own files into a course that has the small lesson."""
    for name, text in {**_FILES, "course.toml": settings}.items():
        (course.own / name).parent.mkdir(parents=True, exist_ok=True)
        (course.own / name).write_text(text, encoding="utf-8")
    return course
