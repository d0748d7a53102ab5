"""The course that `autograder new-course` writes, with a lesson that can be asked again."""

from pathlib import Path

_BEFORE = "    return np.array([1.5, 1.75, 1.625, 2.0, 1.875])\n"
_HEIGHTS = """\
HEIGHTS = varied(
    "HEIGHTS",
    np.array([1.5, 1.75, 1.625, 2.0, 1.875]),
    lambda chance: chance.numbers((5,), 1.2, 2, decimals=3),
)
mean = Exam(reference.mean)
"""
_TEXT = """\
---
kernelspec:
  display_name: Python 3 (ipykernel)
  language: python
  name: python3
retake_of: {{ lesson }}
---

# Once more

```{code-cell} ipython3
import numpy as np

from autograder import check

heights = np.array({{ HEIGHTS.tolist() }})
```

{{ ask("mean") }}
"""


def let_vary(root: Path, module: str = "week1") -> Path:
    """Have the exam of `mean` say what may be others; returns where a retake's text is made of."""
    exams = root / "solutions" / "exams" / f"{module}.py"
    text = exams.read_text(encoding="utf-8")
    assert _BEFORE in text
    text = text.replace(_BEFORE, "    return HEIGHTS\n")
    text = text.replace("mean = Exam(reference.mean)\n", _HEIGHTS)
    text = text.replace(
        "from autograder import Draw, Exam\n",
        "from autograder import Draw, Exam\n"
        "from autograder.authoring.retakes.varied import varied\n",
    )
    exams.write_text(text, encoding="utf-8")
    template = exams.with_name(f"{module}_retake.md")
    template.write_text(_TEXT, encoding="utf-8")
    return template
