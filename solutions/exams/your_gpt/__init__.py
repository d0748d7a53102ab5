"""The exams of lesson 10, in its order."""

from solutions.exams.your_gpt.gpt_sizes_by_hand import by_hand
from solutions.exams.your_gpt.rotary_attention import rotary
from solutions.exams.your_gpt.gpt import gpt
import solutions.exams.your_gpt._published_models
