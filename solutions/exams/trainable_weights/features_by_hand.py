"""The exam of `features_by_hand`, lesson 03."""

import torch
from torch import Tensor

from autograder import Exam, Tolerance
from solutions import trainable_weights as reference
from solutions.exams.families import CARRIED, CONTEXT, TYPED, WEIGHTS, Worksheet
from solutions.exams.trainable_weights._specimens import W_K, W_Q, W_V, X

# Whoever rounds to four decimals after each step is off by up to 0.0002 in the end.
worksheet = Exam(reference.features_by_hand, tolerance=Tolerance(absolute=2.5e-4), reveal=False)

Q, K, V = W_Q @ X, W_K @ X, W_V @ X
SCORES = K.T @ Q
THIRD = 2
SCALED = SCORES / 3**0.5


@worksheet.example
def on_paper() -> tuple[()]:
    """your numbers"""
    return ()


def filled(
    *,
    scores: Tensor = SCORES,
    scaled: Tensor = SCALED[:, THIRD],
    weights: Tensor | None = None,
    z: Tensor | None = None,
    q: Tensor = Q,
    k: Tensor = K,
    v: Tensor = V,
) -> dict[str, object]:
    """The worksheet with what follows from a slip."""
    shares = torch.softmax(scaled, dim=0) if weights is None else weights
    numbers = {"Q": q, "K": k, "V": v, "scores": scores, "scaled": scaled, "weights": shares}
    result = v @ shares if z is None else z
    return {name: tensor.tolist() for name, tensor in {**numbers, "z": result}.items()}


class ThirdWord(Worksheet):
    """What the third word gets, from its scaled scores on."""

    def score(self) -> Tensor:
        return SCALED[:, THIRD]

    def mix(self, weights: Tensor) -> Tensor:
        return V @ weights

    def filled(self, scores: Tensor, weights: Tensor, context: Tensor) -> dict[str, object]:
        return filled(scaled=scores, weights=weights, z=context)


WEIGHTS.apply(worksheet, ThirdWord, called={"Exponentials": "exponentials_alone"})
CONTEXT.apply(
    worksheet,
    ThirdWord,
    called={"Unweighted": "plain_average", "ScoresInPlaceOfWeights": "scores_in_the_result"},
)
CARRIED.apply(worksheet, ThirdWord)
TYPED.apply(worksheet, without=["CutOff"])


@worksheet.misconception
def scores_transposed() -> dict[str, object]:
    """Your scores are transposed: this is QᵀK. In KᵀQ, keys are on the rows, and each query has a
    column.
    """
    return filled(scores=SCORES.T, scaled=SCALED.T[:, THIRD])


@worksheet.misconception
def read_along_the_row() -> dict[str, object]:
    """You continued with the third row. The third query has the third column of the scores, which
    says how well each of the four keys fits it.
    """
    return filled(scaled=SCALED[THIRD])


@worksheet.misconception
def second_column() -> dict[str, object]:
    """You continued with the second column. The third query has the third one."""
    return filled(scaled=SCALED[:, 1])


@worksheet.misconception
def not_scaled() -> dict[str, object]:
    """The scores are not scaled. Divide each of the four by √3 before the exponential."""
    return filled(scaled=SCORES[:, THIRD])


@worksheet.misconception
def scaled_but_not_used() -> dict[str, object]:
    """You scaled the scores but then took the exponentials of the unscaled ones."""
    return filled(weights=torch.softmax(SCORES[:, THIRD], dim=0))


@worksheet.misconception
def divided_by_three() -> dict[str, object]:
    """You divided by d_k = 3. Divide by its square root."""
    return filled(scaled=SCORES[:, THIRD] / 3)


@worksheet.misconception
def root_of_six() -> dict[str, object]:
    """You divided by the square root of 6, the number of features of a word. d_k is how many
    features a key has: 3.
    """
    return filled(scaled=SCORES[:, THIRD] / 6**0.5)


@worksheet.misconception
def root_of_four() -> dict[str, object]:
    """You divided by 2, the square root of the number of tokens. d_k is how many features a key
    has: 3.
    """
    return filled(scaled=SCORES[:, THIRD] / 2)


@worksheet.misconception
def softmax_along_rows() -> dict[str, object]:
    """Your softmax ran along the rows of the table. Go down the third column: take its four
    exponentials, and divide each by the sum of the four.
    """
    return filled(weights=torch.softmax(SCALED, dim=1)[:, THIRD])


@worksheet.misconception
def keys_in_the_result() -> dict[str, object]:
    """You mixed the columns of K. Mix the values, which are the columns of V."""
    return filled(z=K @ torch.softmax(SCALED[:, THIRD], dim=0))


@worksheet.misconception
def queries_and_keys_swapped() -> dict[str, object]:
    """Q and K are swapped, or one is used for both. Which matrix gives Q, and which K?"""
    return filled(q=K, k=Q, scores=SCORES.T, scaled=SCALED.T[:, THIRD])


def examine_signs(name: str, hint: str, q: Tensor, v: Tensor) -> None:
    """A slip with a minus, and all that follows from it."""
    scores = K.T @ q

    def slipped() -> dict[str, object]:
        return filled(q=q, v=v, scores=scores, scaled=scores[:, THIRD] / 3**0.5)

    slipped.__name__, slipped.__doc__ = name, hint
    worksheet.misconception(slipped)


SECOND_ROW = torch.tensor([[1.0], [-1.0], [1.0]], dtype=torch.float64)
THIRD_ROW = torch.tensor([[1.0], [1.0], [-1.0]], dtype=torch.float64)
FOLLOWS = "What comes after it follows from that."
examine_signs(
    "signs_dropped",
    "A minus has been lost: `W_query` and `W_value` each have one −1 in them.",
    W_Q.abs() @ X,
    W_V.abs() @ X,
)
examine_signs(
    "sign_dropped_in_q",
    f"A minus has been lost in the second row of Q: `W_query` has a −1 there. {FOLLOWS}",
    W_Q.abs() @ X,
    V,
)
examine_signs(
    "sign_moved_in_q",
    "The minus in the second row of `W_query` belongs to the first row of X, not to the second. "
    f"{FOLLOWS}",
    SECOND_ROW * Q,
    V,
)
examine_signs(
    "sign_dropped_in_v",
    f"A minus has been lost in the third row of V: `W_value` has a −1 there. {FOLLOWS}",
    Q,
    W_V.abs() @ X,
)
examine_signs(
    "sign_moved_in_v",
    "The minus in the third row of `W_value` belongs to the third row of X, not to the fifth. "
    f"{FOLLOWS}",
    Q,
    THIRD_ROW * V,
)


def scaled_with(decimals: int) -> Tensor:
    """Scaled scores that were rounded."""
    return SCALED[:, THIRD].round(decimals=decimals)


@worksheet.misconception
def scaled_with_two_decimals() -> dict[str, object]:
    """Your scaled scores have only two decimals. Keep five until the end, and type four."""
    return filled(scaled=scaled_with(2), weights=torch.softmax(SCALED[:, THIRD], dim=0))


@worksheet.misconception
def scaled_with_three_decimals() -> dict[str, object]:
    """Your scaled scores have only three decimals. Keep five until the end, and type four."""
    return filled(scaled=scaled_with(3), weights=torch.softmax(SCALED[:, THIRD], dim=0))


@worksheet.misconception
def carried_with_two_decimals() -> dict[str, object]:
    """Your scaled scores have only two decimals, and the later numbers were computed from them.
    Keep five until the end, and type four.
    """
    return filled(scaled=scaled_with(2))
