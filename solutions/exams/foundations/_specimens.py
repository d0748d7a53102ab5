"""What the exams of lesson 00 share."""

import numpy as np

Pair = tuple[np.ndarray, np.ndarray]
OPPOSED = np.array([2.0, -1.0]), np.array([-1.5, 0.5])
TWO_BY_THREE = np.array([[2.0, -1.0, 0.5], [-1.5, 1.0, 1.0]])
SQUARE = np.array([[1.0, 3.0], [-2.0, 0.5]])
FAR_OUT = np.array([[1000.0, 1001.0, 999.0], [-1000.0, -1000.0, -1002.0], [1000.0, -1000.0, 0.0]])


def length(vector: np.ndarray) -> float:
    """The Euclidean length."""
    return float(np.sqrt(vector @ vector))
