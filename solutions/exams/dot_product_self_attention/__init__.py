"""The exams of lesson 02, in its order."""

from solutions.exams.dot_product_self_attention.shiny_by_hand import shiny
from solutions.exams.dot_product_self_attention.sun_by_hand import sun
from solutions.exams.dot_product_self_attention.attention_scores import scores
from solutions.exams.dot_product_self_attention.attention_weights import weights
from solutions.exams.dot_product_self_attention.context_vector import context
from solutions.exams.dot_product_self_attention.pairwise_scores import pairs
from solutions.exams.dot_product_self_attention.simple_self_attention import attention
from solutions.exams.dot_product_self_attention.simple_self_attention_batch import batch
from solutions.exams.dot_product_self_attention.repaired_self_attention import repaired
from solutions.exams.dot_product_self_attention.is_permutation_equivariant import equivariant
