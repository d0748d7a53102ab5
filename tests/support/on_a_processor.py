"""Run as a program, under variables that pretend another processor: what this one makes of it all.

    python -m tests.support.on_a_processor 02/attention_weights 04/CausalAttention ...

Prints as JSON a digest of numbers that are not rounded, which shows that the pretence works, and of
the exercises that are named: what ships of them where it is not what is committed, and right
answers that are refused. With --misconceptions, those that are not caught and named are told too.
"""

import hashlib
import json
import sys
from collections.abc import Iterator

import numpy as np
import torch

from autograder.authoring.build.proving import unnamed_by_the_check
from autograder.authoring.build.shipping import entries_in, entry, is_current
from autograder.checks.exam.exam import Exam, exams_of
from autograder.checks.exam.report import Verdict
from autograder.checks.examples import FILE
from autograder.errors import ExamError
from tests.support.course import COURSE

# Another seed than the one that exercises are proved with.
SEED = 1


def unrounded() -> str:
    """What two libraries give for one softmax of products, to the last bit."""
    numbers = np.random.default_rng(0).normal(size=(50, 50))
    tensor = torch.from_numpy(numbers).float()
    product = (tensor @ tensor.T / 7).softmax(dim=-1) @ tensor
    return hashlib.sha256((numbers @ numbers.T).tobytes() + product.numpy().tobytes()).hexdigest()


def refused(exam: Exam) -> Iterator[str]:
    """The right answers that an exam refuses: there should be none."""
    for name, right in {"reference": exam.reference, **exam.accepted}.items():
        for report in (exam.preview(right), exam.examine(right, SEED)):
            if report.verdict is not Verdict.PASSED:
                yield f"{exam.name}: {name}"


def lost(exam: Exam) -> Iterator[str]:
    """What is wrong with an exam's misconceptions on other cases."""
    try:
        dict(unnamed_by_the_check(exam, SEED))
    except ExamError as error:
        yield str(error)


def main() -> None:
    found: dict[str, list[str]] = {"differs": [], "refused": [], "lost": []}
    for place in (one for one in sys.argv[1:] if not one.startswith("-")):
        lesson, name = place.split("/")
        (lesson,) = COURSE.lessons_named([lesson])
        exam = exams_of(COURSE.exam_module(lesson))[name]
        shipped = (COURSE.release_folder(lesson) / FILE).read_text(encoding="utf-8")
        if not is_current(entries_in(shipped)[name], entry(exam)):
            found["differs"].append(place)
        found["refused"] += refused(exam)
        if "--misconceptions" in sys.argv:
            found["lost"] += lost(exam)
    print(json.dumps({"unrounded": unrounded(), **found}))


if __name__ == "__main__":
    main()
