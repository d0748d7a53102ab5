"""The exam of `sun_by_hand`, lesson 02."""

from autograder import Exam
from solutions import dot_product_self_attention as reference
from solutions.exams.dot_product_self_attention._specimens import HELLO_SHINY_SUN
from solutions.exams.dot_product_self_attention._worksheets import (
    FOUR_DECIMALS,
    SHINY,
    SUN,
    examine_worksheet,
    worked,
)
from solutions.exams.families import TYPED
from solutions.foundations import softmax

sun = Exam(reference.sun_by_hand, tolerance=FOUR_DECIMALS, reveal=False)
examine_worksheet(sun, SUN)
TYPED.apply(sun, without=["TypedWithThreeDecimals"])


@sun.misconception
def weights_read_down_the_column() -> dict[str, object]:
    """You took the weight that "shiny" gives to "sun" for the one that "sun" gives to "shiny". The
    two have the same score, but each word divides by its own sum.
    """
    words = HELLO_SHINY_SUN.vectors
    attn_weights = softmax(words @ words.T)
    borrowed = attn_weights[SUN].copy()
    borrowed[SHINY] = attn_weights[SHINY, SUN]
    return worked(words @ words[SUN], borrowed, borrowed @ words)
