"""The exams of lesson 01, in its order."""

from solutions.exams.additive_attention.alignment_by_hand import by_hand
from solutions.exams.additive_attention.concat_annotations import annotations
from solutions.exams.additive_attention.concat_score import concat
from solutions.exams.additive_attention.additive_score import additive
from solutions.exams.additive_attention.repaired_alignment import repaired
from solutions.exams.additive_attention.masked_softmax import masked
from solutions.exams.additive_attention.context_vector import context
from solutions.exams.additive_attention.additive_attention import attention
from solutions.exams.additive_attention.is_blind_to_padding import blind
from solutions.exams.additive_attention.bahdanau_step import bahdanau
from solutions.exams.additive_attention.luong_step import luong
from solutions.exams.additive_attention.luong_score import scores
from solutions.exams.additive_attention.local_window import window
from solutions.exams.additive_attention.local_weights import local
import solutions.exams.additive_attention._published
