"""Which mistakes come back in many exercises?

A family of mistakes is declared once and applied to each exercise in which it can be made, so that
an exercise names all that its neighbours name.

- `attention`: attention in steps, and SCALE, SOFTMAX, STABILITY, ROLES, TURNED,
  GRADIENT
- `array_attention`: that of arrays, nothing to train: ARRAY_SCORES, ARRAY_SOFTMAX, ARRAY_MIX
- `masks`: MASK (how a mask is put on), FAR_ABOVE, FURTHER_ABOVE, ZERO_SCORES, EMPTY_ROWS, FUTURE,
  OFFSET (which keys a causal one hides)
- `modules`: DROPOUT, BIAS, KEPT_MASK
- `heads`: SPLIT, MERGE, SWAP, HEADS, COMPARED, OUTPUT, OUTPUT_DROPPED, SHARED
- `testing`: answers that are tests, and VERDICT, CLOSENESS, GENEROSITY, EXTENT
- `worksheets`: attention on paper, and WEIGHTS, CONTEXT, CARRIED; TYPED for any worksheet
- `softmax`: a softmax that is written out, and SOFTMAX_AXIS, SOFTMAX_BARE,
  SOFTMAX_SHIFT, NO_SOFTMAX
- `mask_values`: MASK_VALUES (what a mask is made of)
- `results`: ARRAY_DTYPE, TENSOR_DTYPE, LOOP, ENDS, PAIR, PARTS (what is wrong with right
  numbers), and `declare_places`, for three results and more
"""

from solutions.exams.families.array_attention import (
    ARRAY_MIX,
    ARRAY_SCORES,
    ARRAY_SOFTMAX,
    ArrayAttention,
)
from solutions.exams.families.attention import (
    GRADIENT,
    ROLES,
    SCALE,
    SOFTMAX,
    STABILITY,
    TURNED,
    WITH_TWO_FEATURES,
    Attention,
)
from solutions.exams.families.heads import (
    COMPARED,
    HEADS,
    MERGE,
    OUTPUT,
    OUTPUT_DROPPED,
    SHARED,
    SPLIT,
    SWAP,
    Heads,
    SharedHeads,
)
from solutions.exams.families.masks import (
    EMPTY_ROWS,
    FAR_ABOVE,
    FURTHER_ABOVE,
    FUTURE,
    MASK,
    OFFSET,
    ZERO_SCORES,
    Causal,
    later,
)
from solutions.exams.families.modules import BIAS, DROPOUT, KEPT_MASK, Dropping, Keeping, Projecting
from solutions.exams.families.mask_values import MASK_VALUES
from solutions.exams.families.results import (
    ARRAY_DTYPE,
    ENDS,
    LOOP,
    PAIR,
    PARTS,
    TENSOR_DTYPE,
    declare_places,
)
from solutions.exams.families.softmax import (
    NO_SOFTMAX,
    SOFTMAX_AXIS,
    SOFTMAX_BARE,
    SOFTMAX_SHIFT,
    Softmax,
)
from solutions.exams.families.testing import (
    CLOSENESS,
    EXTENT,
    GENEROSITY,
    VERDICT,
    Comparison,
    Pairs,
)
from solutions.exams.families.worksheets import CARRIED, CONTEXT, TYPED, WEIGHTS, Worksheet

__all__ = [
    "ARRAY_DTYPE",
    "ARRAY_MIX",
    "ARRAY_SCORES",
    "ARRAY_SOFTMAX",
    "BIAS",
    "CARRIED",
    "CLOSENESS",
    "COMPARED",
    "CONTEXT",
    "DROPOUT",
    "EMPTY_ROWS",
    "ENDS",
    "EXTENT",
    "FAR_ABOVE",
    "FURTHER_ABOVE",
    "FUTURE",
    "GENEROSITY",
    "GRADIENT",
    "HEADS",
    "KEPT_MASK",
    "LOOP",
    "MASK",
    "MASK_VALUES",
    "MERGE",
    "NO_SOFTMAX",
    "OFFSET",
    "OUTPUT",
    "OUTPUT_DROPPED",
    "PAIR",
    "PARTS",
    "ROLES",
    "SCALE",
    "SHARED",
    "SOFTMAX",
    "SOFTMAX_AXIS",
    "SOFTMAX_BARE",
    "SOFTMAX_SHIFT",
    "SPLIT",
    "STABILITY",
    "SWAP",
    "TENSOR_DTYPE",
    "TURNED",
    "TYPED",
    "VERDICT",
    "WEIGHTS",
    "WITH_TWO_FEATURES",
    "ZERO_SCORES",
    "ArrayAttention",
    "Attention",
    "Causal",
    "Comparison",
    "Dropping",
    "Heads",
    "Keeping",
    "Pairs",
    "Projecting",
    "SharedHeads",
    "Softmax",
    "Worksheet",
    "declare_places",
    "later",
]
