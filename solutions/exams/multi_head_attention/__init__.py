"""The exams of lesson 05, in its order."""

from solutions.exams.multi_head_attention.two_heads_by_hand import by_hand
from solutions.exams.multi_head_attention.multi_head_attention_wrapper import loop
from solutions.exams.multi_head_attention.split_heads import splitting
from solutions.exams.multi_head_attention.merge_heads import merging
from solutions.exams.multi_head_attention.head_weights import maps
from solutions.exams.multi_head_attention.repaired_heads import repaired
from solutions.exams.multi_head_attention.multi_head_attention import batched
from solutions.exams.multi_head_attention.batch_the_heads import batching
from solutions.exams.multi_head_attention.to_torch import export
from solutions.exams.multi_head_attention.count_parameters import counting
from solutions.exams.multi_head_attention.low_rank_value import thin
from solutions.exams.multi_head_attention.sum_over_heads import summing
from solutions.exams.multi_head_attention.cross_attention import cross
from solutions.exams.multi_head_attention.is_blind_to_padding import blind
import solutions.exams.multi_head_attention._published
