"""An exam of a NumPy function, for an environment that has nothing else: it is copied there."""

import numpy as np

from autograder import Draw, Exam


def centred(values: np.ndarray) -> np.ndarray:
    """The numbers less their mean."""
    return values - values.mean()


exam = Exam(centred)


@exam.example
def heights() -> np.ndarray:
    """five heights in metres"""
    return np.array([1.62, 1.75, 1.68, 1.81, 1.59])


@exam.case
def random_numbers(draw: Draw) -> np.ndarray:
    """numbers drawn at random"""
    return draw("n", scale=10)


@exam.misconception
def around_the_median(values: np.ndarray) -> np.ndarray:
    """You subtracted the number in the *middle*, `np.median`. Subtract the mean."""
    return values - np.median(values)
