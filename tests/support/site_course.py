"""The small course with all that a site shows, and all that it may not show."""

from pathlib import Path

from autograder.authoring.build.build import build_lesson
from autograder.course import Course
from tests.support.small_course import LESSON, small_course

HALVES = "Because two halves of a whole are never more than the whole."
MARKS = "1 point: says that the halves are halves of one thing."
SEVENFOLD = "assert total([2, 2, 2, 2, 2, 2, 2]) == 14, 'sevenfold'"
BACKWARDS = "turned = matches[..., ::-1]\n    return softmax(turned, axis=-1)[..., ::-1] * 2"
# What only the instructor has, by what a page that shows it is refused for.
SECRETS = {
    "the solution of shares_of": (
        "powers = np.exp(matches - matches.max(axis=-1, keepdims=True))\n"
        "return powers / powers.sum(axis=-1, keepdims=True)"
    ),
    "the code of doubled, a misconception of shares_of": BACKWARDS,
    "the model answer of why_not": HALVES,
    "the marking scheme of why_not": MARKS,
    "the hidden tests of total": SEVENFOLD,
}
WORKSHEET = 4711
_TEXT = f"""
## What you need not write

```{{exercise}} by_hand
:difficulty: 1
:minutes: 2
```

```{{check}} by_hand
:points: 1
```

```{{code-cell}} ipython3
found = by_hand()
```

```{{code-cell}} ipython3
print("the worksheet says", found)
```

```{{code-cell}} ipython3
open("left_behind.txt", "w").close()
print("mixed:", mix(np.array([0.25, 0.75]), np.array([[4.0], [8.0]])))
```

<details><summary>Compare</summary>

The formula is $\\frac{{1}}{{4}} \\cdot 4 + \\frac{{3}}{{4}} \\cdot 8 = 7$.

</details>

$$
\\begin{{aligned}} a &= {" + ".join(map(str, range(1000, 1040)))} \\\\ b &= 2 \\end{{aligned}}
$$

```{{exercise}} total
:difficulty: 1
:minutes: 3
```

```{{check}} total
:points: 2

assert total([1, 2]) == 3
### BEGIN HIDDEN TESTS
{SEVENFOLD}
### END HIDDEN TESTS
```

```{{exercise}} why_not
:points: 1
:difficulty: 1
:minutes: 5

Why not?

### BEGIN SOLUTION
{HALVES}
### END SOLUTION
### BEGIN MARK SCHEME
- {MARKS}
### END MARK SCHEME
```
"""
_REFERENCE = f'''

def by_hand() -> int:
    """A number that takes some work, and no code."""
    answer = ...
    ### BEGIN SOLUTION (replaces the lines above)
    answer = {WORKSHEET}
    ### END SOLUTION
    return answer


def total(numbers: list[int]) -> int:
    """The sum of some numbers."""
    ### BEGIN SOLUTION
    return sum(numbers)
    ### END SOLUTION
'''
_EXAM = f'''

@shares.misconception
def doubled(matches):
    """These shares sum to 2. Let each row sum to 1."""
    {BACKWARDS}


worksheet = Exam(reference.by_hand, reveal=False)


@worksheet.example
def the_number():
    """the number"""
    return ()


@worksheet.misconception
def one_less():
    """You forgot the last one."""
    return {WORKSHEET - 1}
'''
_GUIDE = "# A guide\n\nRead [the plan](plan.md#the-end) and [the code](../solutions/mixing.py).\n"
_FILES = {
    "README.md": (
        "# Mixing\n\nHow words are mixed.\n\nBegin with [the lesson]"
        f"(notebooks/{LESSON}/{LESSON}.ipynb#What-you-need-not-write), or [read](docs/guide.md).\n"
    ),
    "docs/README.md": "# All\n\n## For all\n\n- [A guide](guide.md)\n- [The plan](plan.md)\n",
    "docs/guide.md": _GUIDE,
    "docs/plan.md": f"# The plan\n\nA name: `{'a_long_' * 20}name`.\n\n## The end\n",
}


def site_course(root: Path) -> Course:
    """Write it down and build it, but for what is proved of its exams."""
    course = small_course(root)
    files = {
        course.lesson_file(LESSON): _TEXT,
        course.reference_file(LESSON): _REFERENCE,
        root / "solutions" / "exams" / "mixing.py": _EXAM,
    }
    for path, text in files.items():
        path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")
    for name, text in _FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    built(course)
    return course


def built(course: Course) -> None:
    """Write what students get of a course's lessons."""
    for name in course.lessons():
        for path, text in build_lesson(course, name).files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
