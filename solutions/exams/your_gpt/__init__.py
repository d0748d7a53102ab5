"""The exams of lesson 10, in its order."""

from solutions.exams.your_gpt.gpt_sizes_by_hand import by_hand
from solutions.exams.your_gpt.rotary_attention import rotary
from solutions.exams.your_gpt.gpt import gpt
from solutions.exams.your_gpt.train import training
from solutions.exams.your_gpt.continue_with_cache import continuing
from solutions.exams.your_gpt.speculative_step import speculating
from solutions.exams.your_gpt.repaired_cached_scores import repaired
from solutions.exams.your_gpt.is_held_out import held_out
import solutions.exams.your_gpt._published_models
import solutions.exams.your_gpt._published_writing
