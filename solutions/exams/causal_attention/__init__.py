"""The exams of lesson 04, in its order."""

from solutions.exams.causal_attention.causal_weights_by_hand import by_hand
from solutions.exams.causal_attention.causal_mask import mask
from solutions.exams.causal_attention.causal_attention_weights import weights
from solutions.exams.causal_attention.causal_attention import module
from solutions.exams.causal_attention.dropout import dropping
from solutions.exams.causal_attention.repaired_causal_attention import repaired
from solutions.exams.causal_attention.mask_then_renormalise import renormalised
from solutions.exams.causal_attention.causal_column_weights import columns
from solutions.exams.causal_attention.causal_and_padding_mask import padding
from solutions.exams.causal_attention.masked_attention_weights import masked
from solutions.exams.causal_attention.is_causal import causal
from solutions.exams.causal_attention.next_token_examples import prefixes
import solutions.exams.causal_attention._published
