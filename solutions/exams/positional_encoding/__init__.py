"""The exams of lesson 06, in its order."""

from solutions.exams.positional_encoding.encodings_by_hand import by_hand
from solutions.exams.positional_encoding.wavelengths import lengths
from solutions.exams.positional_encoding.sinusoidal_encoding import encoding
from solutions.exams.positional_encoding.shift_matrix import shift
from solutions.exams.positional_encoding.positional_encoding import module
from solutions.exams.positional_encoding.learned_positions import learned
from solutions.exams.positional_encoding.apply_rope import rotary
from solutions.exams.positional_encoding.is_relative import relative
from solutions.exams.positional_encoding.repaired_rope import repaired
from solutions.exams.positional_encoding.to_half_split import layout
from solutions.exams.positional_encoding.rope_attention import attention
from solutions.exams.positional_encoding.alibi_bias import alibi
import solutions.exams.positional_encoding._published
