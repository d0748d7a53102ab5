"""The numbers of the lessons, in a module of the course's own."""

import numpy as np

HEIGHTS = np.array([1.62, 1.75, 1.81, 1.68, 1.94])
TEMPERATURES = np.array([-3.0, 4.0, -1.0, 2.0])
