"""Exams of week 1."""

import numpy as np
from sample_data import HEIGHTS, TEMPERATURES

from autograder import Draw, Exam
from solutions import week1 as reference

mean = Exam(reference.mean)
variance = Exam(reference.variance)


@mean.example
@variance.example
def heights() -> np.ndarray:
    """five heights in metres"""
    return HEIGHTS


@mean.example
@variance.example
def temperatures() -> np.ndarray:
    """temperatures around zero"""
    return TEMPERATURES


@mean.case
@variance.case
def random_numbers(draw: Draw) -> np.ndarray:
    """numbers drawn at random"""
    return draw("n", scale=10)


@mean.misconception
def not_divided(values: np.ndarray) -> float:
    """This is the sum. Divide it by how many numbers there are."""
    return values.sum()


@mean.misconception
def median(values: np.ndarray) -> float:
    """This is the number in the middle, the median. Add the numbers up, and divide."""
    return np.median(values).astype(values.dtype)


@variance.misconception
def one_less(values: np.ndarray) -> float:
    """You divided by n - 1, which estimates the variance of a population. Divide by n."""
    return values.var(ddof=1)


@variance.misconception
def standard_deviation(values: np.ndarray) -> float:
    """This is the standard deviation, the square root of what is asked for."""
    return values.std()


@mean.accepts
def library_mean(values: np.ndarray) -> float:
    """NumPy's own function"""
    return values.mean()


@variance.accepts
def library_variance(values: np.ndarray) -> float:
    """NumPy's own function"""
    return values.var()
