"""The exams of lesson 03, in its order."""

from solutions.exams.trainable_weights.project import projected
from solutions.exams.trainable_weights.attend_token import token
from solutions.exams.trainable_weights.scaled_dot_product_attention import attention
from solutions.exams.trainable_weights.score_variance import variance
from solutions.exams.trainable_weights.self_attention_v1 import v1
from solutions.exams.trainable_weights.self_attention_v2 import v2
from solutions.exams.trainable_weights.copy_weights_v2_to_v1 import copied
from solutions.exams.trainable_weights.softmax_jacobian import jacobian
from solutions.exams.trainable_weights.repaired_attention import repaired
from solutions.exams.trainable_weights.features_by_hand import worksheet
from solutions.exams.trainable_weights.attend_columns import columns
from solutions.exams.trainable_weights.is_key_shift_invariant import shifted
from solutions.exams.trainable_weights.design_weights import design
import solutions.exams.trainable_weights._published
