"""Run as a program, under variables that pretend another processor: what this one makes of it all.

Prints as JSON a digest of numbers that are not rounded, which shows that the pretence works. With
--build there are the digests of what the build makes, with --examine exams are tried on right
answers, with --misconceptions on wrong ones. It is about every second lesson, with --all about all.
"""

import hashlib
import json
import sys
from functools import partial

import numpy as np
import torch

from autograder.exam.exam import exams_of
from autograder.exam.report import Verdict
from autograder.lesson.build import build_lesson
from autograder.lesson.tables.misconceptions import judge_misconceptions, kill_matrix
from tests.support.course import BUILT_ELSEWHERE, COURSE

# Another seed than the one that the table is made with.
SEED = 1


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def lessons() -> list[str]:
    return COURSE.lessons() if "--all" in sys.argv else BUILT_ELSEWHERE


def unrounded() -> str:
    """What two libraries give for one softmax of products, to the last bit."""
    numbers = np.random.default_rng(0).normal(size=(50, 50))
    tensor = torch.from_numpy(numbers).float()
    product = (tensor @ tensor.T / 7).softmax(dim=-1) @ tensor
    return digest((numbers @ numbers.T).tobytes() + product.numpy().tobytes())


def built() -> dict[str, str]:
    """The digest of each file that students get, by its path in the course."""
    return {
        path.relative_to(COURSE.root).as_posix(): digest(text.encode())
        for name in lessons()
        for path, text in build_lesson(COURSE, name).files.items()
        if path.is_relative_to(COURSE.notebooks)
    }


def refused() -> list[str]:
    """The right answers that an exam refuses: there should be none."""
    exams = [exam for name in lessons() for exam in exams_of(COURSE.exam_module(name)).values()]
    return [
        f"{exam.name}: {name}"
        for exam in exams
        for name, right in {"reference": exam.reference, **exam.accepted}.items()
        for report in (exam.preview(right), exam.examine(right, SEED))
        if report.verdict is not Verdict.PASSED
    ]


def main() -> None:
    found: dict[str, object] = {"unrounded": unrounded()}
    if "--build" in sys.argv:
        found["built"] = built()
    if "--examine" in sys.argv:
        found["refused"] = refused()
    if "--misconceptions" in sys.argv:
        found["misconceptions"] = kill_matrix(COURSE, partial(judge_misconceptions, seed=SEED))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
