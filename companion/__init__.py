"""What the lessons import: the running inputs, the library's functions, and pictures.

Nothing in here solves an exercise: what a lesson asks for is computed by the library or by you.
"""

from companion.arcs import arcs
from companion.bars import bars
from companion.figure import show
from companion.functions import softmax
from companion.heatmap import heatmap, heatmaps
from companion.lines import lines
from companion.sentences import HELLO_SHINY_SUN, YOUR_JOURNEY, Sentence
from companion.specimens import (
    attention_map,
    attention_with_a_slip,
    attention_with_positions,
    copy_first_word,
    leave_as_is,
    plain_attention,
    reversed_attention,
    shares,
    torch_softmax,
)
from companion.vectors import arrows, mixture

__all__ = [
    "HELLO_SHINY_SUN",
    "YOUR_JOURNEY",
    "Sentence",
    "arcs",
    "arrows",
    "attention_map",
    "attention_with_a_slip",
    "attention_with_positions",
    "bars",
    "copy_first_word",
    "heatmap",
    "heatmaps",
    "leave_as_is",
    "lines",
    "mixture",
    "plain_attention",
    "reversed_attention",
    "shares",
    "show",
    "softmax",
    "torch_softmax",
]
