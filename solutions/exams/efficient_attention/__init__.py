"""The exams of lesson 08, in its order."""

from solutions.exams.efficient_attention.sliding_window_mask import window
from solutions.exams.efficient_attention.linear_attention import linear
from solutions.exams.efficient_attention.online_softmax_by_hand import by_hand
from solutions.exams.efficient_attention.online_softmax_attention import online
from solutions.exams.efficient_attention.global_mask import everywhere
from solutions.exams.efficient_attention.see_either import union
from solutions.exams.efficient_attention.strided_mask import strided
from solutions.exams.efficient_attention.fixed_mask import fixed
from solutions.exams.efficient_attention.layers_until_all_meet import meeting
from solutions.exams.efficient_attention.visible_blocks import blocks
from solutions.exams.efficient_attention.linformer_attention import mixtures
from solutions.exams.efficient_attention.causal_linear_attention import causal
from solutions.exams.efficient_attention.linear_attention_step import step
from solutions.exams.efficient_attention.positive_random_features import features
from solutions.exams.efficient_attention.repaired_blockwise_attention import repaired
from solutions.exams.efficient_attention.is_exact import exact
import solutions.exams.efficient_attention._published_long_texts
import solutions.exams.efficient_attention._published_patterns
