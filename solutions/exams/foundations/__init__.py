"""The exams of lesson 00, in its order."""

from solutions.exams.foundations.dot_product import dot
from solutions.exams.foundations.dot_and_cosine_by_hand import worksheet
from solutions.exams.foundations.cosine_similarity import cosine
from solutions.exams.foundations.matmul_as_dot_products import matmul
from solutions.exams.foundations.embedding_lookup import lookup
from solutions.exams.foundations.row_softmax import rows
from solutions.exams.foundations.softmax import stable
from solutions.exams.foundations.is_shift_invariant import invariant
from solutions.exams.foundations.weighted_sum import mixing
import solutions.exams.foundations._published
