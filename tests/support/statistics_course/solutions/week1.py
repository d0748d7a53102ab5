"""Week 1: mean and variance."""

import numpy as np


def mean(values: np.ndarray) -> float:
    """The mean of some numbers.

    Args:
        values: the numbers, (n,).
    """
    ### BEGIN SOLUTION
    return values.sum() / len(values)
    ### END SOLUTION


def variance(values: np.ndarray) -> float:
    """The mean of the squared distances from the mean, over all n numbers.

    Args:
        values: the numbers, (n,).
    """
    ### BEGIN SOLUTION
    distances = values - values.mean()
    return (distances**2).mean()
    ### END SOLUTION
