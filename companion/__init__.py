"""What the lessons import: the running inputs, the library's functions, and pictures.

What a lesson asks for is computed by the library or by you. One thing could not be had otherwise:
the translator of lesson 01 brings its own additive attention, as PyTorch has none.
"""

from companion.arcs import arcs
from companion.attention_view import attention_view
from companion.bars import bars
from companion.creature import FLUFFY_CREATURE, designed_map, what_nouns_look_at
from companion.features import FOUR_FEATURES
from companion.figure import show
from companion.functions import softmax
from companion.heatmap import heatmap, heatmaps
from companion.lines import lines
from companion.scatter import measure_twice
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
from companion.stage import stage
from companion.template import template
from companion.triples import (
    attention_over_queries,
    attention_with_a_lapse,
    average_attention,
    cosine_attention,
    distance_attention,
    scaled_attention,
    shares_attention,
    swapped_attention,
    unscaled_attention,
)
from companion.vectors import arrows, mixture

__all__ = [
    "FLUFFY_CREATURE",
    "FOUR_FEATURES",
    "HELLO_SHINY_SUN",
    "YOUR_JOURNEY",
    "Sentence",
    "arcs",
    "arrows",
    "attention_map",
    "attention_over_queries",
    "attention_view",
    "attention_with_a_lapse",
    "attention_with_a_slip",
    "attention_with_positions",
    "average_attention",
    "bars",
    "copy_first_word",
    "cosine_attention",
    "designed_map",
    "distance_attention",
    "heatmap",
    "heatmaps",
    "leave_as_is",
    "lines",
    "measure_twice",
    "mixture",
    "plain_attention",
    "reversed_attention",
    "scaled_attention",
    "shares",
    "shares_attention",
    "show",
    "softmax",
    "stage",
    "swapped_attention",
    "template",
    "torch_softmax",
    "unscaled_attention",
    "what_nouns_look_at",
]
