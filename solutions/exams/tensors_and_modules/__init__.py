"""The exams of lesson 00b, in its order."""

from solutions.exams.tensors_and_modules.pairwise_differences import differences
from solutions.exams.tensors_and_modules.weighted_sums import sums
from solutions.exams.tensors_and_modules.gradient_of import gradient
from solutions.exams.tensors_and_modules.affine import affine
from solutions.exams.tensors_and_modules.repaired_network import network
from solutions.exams.tensors_and_modules.fit import fitting
from solutions.exams.tensors_and_modules.predict import predicting
from solutions.exams.tensors_and_modules.is_mode_kept import kept
import solutions.exams.tensors_and_modules._published
