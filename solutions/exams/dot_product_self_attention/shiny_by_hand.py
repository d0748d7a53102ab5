"""The exam of `shiny_by_hand`, lesson 02."""

from autograder import Exam
from solutions import dot_product_self_attention as reference
from solutions.exams.dot_product_self_attention._worksheets import (
    FOUR_DECIMALS,
    SHINY,
    examine_worksheet,
)
from solutions.exams.families import TYPED

shiny = Exam(reference.shiny_by_hand, tolerance=FOUR_DECIMALS, reveal=False)
examine_worksheet(shiny, SHINY)
TYPED.apply(shiny)


@shiny.misconception
def as_often_printed() -> dict[str, object]:
    """This context is the one on the page from which the example comes, where two of the nine
    products are wrong. Multiply by your own weights once more.
    """
    return {**reference.shiny_by_hand(), "context": [0.3992, 0.3858, 0.8610]}
