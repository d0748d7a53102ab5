"""What the exams of the three blocks share, lesson 09.

- `steps`: a block in steps, and RESIDUAL, FEEDING
- `linking`: `links`, what a part reads or adds instead of what it is given
- `norming`: NORMS
- `attending`: ATTENTION, CAUSAL, DROPOUT
- `weights`: weights of a block, printed and drawn
"""

from solutions.exams.transformer._blocks.attending import ATTENTION, CAUSAL, DROPOUT, Causal
from solutions.exams.transformer._blocks.linking import links
from solutions.exams.transformer._blocks.norming import NORMS
from solutions.exams.transformer._blocks.steps import FEEDING, RESIDUAL, Block, Sublayer, later
from solutions.exams.transformer._blocks.weights import (
    Case,
    Settings,
    State,
    drawn_weights,
    norms_begin_with_ones,
    one_token,
    printed_weights,
    settings,
    sharp,
)

# A decoder's layer without its mask is an encoder's, and with it GPT's.
OWN_WORK = ("TransformerEncoderLayer", "TransformerDecoderLayer", "companion")
BLOCK = RESIDUAL + NORMS + FEEDING + ATTENTION + DROPOUT

__all__ = [
    "BLOCK",
    "CAUSAL",
    "OWN_WORK",
    "Block",
    "Case",
    "Causal",
    "Settings",
    "State",
    "Sublayer",
    "drawn_weights",
    "later",
    "links",
    "norms_begin_with_ones",
    "one_token",
    "printed_weights",
    "settings",
    "sharp",
]
