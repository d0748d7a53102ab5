"""What the exams of `SelfAttention_v1` and `SelfAttention_v2` share."""

import torch
from torch import Tensor, nn

from autograder import Draw, Exam
from solutions.exams.beginnings import MADE_TWICE, leaves_the_generator_alone
from solutions.exams.families import (
    GRADIENT,
    ROLES,
    SCALE,
    SOFTMAX,
    STABILITY,
    TURNED,
    Attention,
    Projecting,
)
from solutions.exams.trainable_weights._specimens import (
    INPUTS,
    W_KEY,
    W_QUERY,
    W_VALUE,
    Pair,
    Triple,
    scaled_weights,
    wave,
    words_far_apart,
)

Trial = tuple[dict[str, int], dict[str, Tensor], tuple[Tensor, ...]]
Trained = tuple[dict[str, int], dict[str, Tensor], tuple[Tensor, ...], bool]

# By the names that they have in the notebook, where a module may reach for them by mistake.
W_query, W_key, W_value = W_QUERY, W_KEY, W_VALUE

LESSONS_WEIGHTS = {"W_query": W_QUERY, "W_key": W_KEY, "W_value": W_VALUE}


def lessons_matrices() -> Trial:
    """Your journey starts with one step, the matrices of the lesson"""
    return {"d_in": 3, "d_out": 2}, LESSONS_WEIGHTS, (INPUTS,)


def more_out_than_in() -> Trial:
    """four words, three features in, five out"""
    weights = {name: wave(3, 5, shift=i) for i, name in enumerate(LESSONS_WEIGHTS)}
    return {"d_in": 3, "d_out": 5}, weights, (wave(4, 3, shift=4),)


def square_module() -> Trained:
    """two words, three features in, three out, in training mode"""
    weights = {name: wave(3, 3, shift=i) for i, name in enumerate(LESSONS_WEIGHTS)}
    return {"d_in": 3, "d_out": 3}, weights, (wave(2, 3, shift=4),), True


def drawn_module(draw: Draw) -> Trial:
    """words and weights drawn at random"""
    weights = {name: draw.tensor("d_in d_out") for name in LESSONS_WEIGHTS}
    settings = {"d_in": draw.size("d_in"), "d_out": draw.size("d_out")}
    return settings, weights, (draw.tensor("tokens d_in"),)


def one_word_module(draw: Draw) -> Trial:
    """a sentence of one word"""
    return drawn_module(draw.fix(tokens=1))


def long_sentence_module(draw: Draw) -> Trial:
    """a sentence of 40 words"""
    settings, weights, (words,) = drawn_module(draw.fix(tokens=40))
    # Gradients add up over all words: of long vectors, single precision would lose too many digits.
    return settings, weights, (words / 4,)


def overflowing_module(draw: Draw) -> Trial:
    """scores whose exponentials overflow"""
    settings, weights, (words,) = drawn_module(draw)
    words, W_query, W_key = words_far_apart(words, weights["W_query"], weights["W_key"])
    return settings, {**weights, "W_query": W_query, "W_key": W_key}, (words,)


def made_one_after_the_other(draw: Draw) -> Trial:
    """modules that are made one after the other"""
    return drawn_module(draw.fix(d_in=MADE_TWICE))


class WithParameters(Attention, nn.Module):
    """Three parameters, as in SelfAttention_v1."""

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.d_in = d_in
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def projected(self, x: Tensor) -> Triple:
        """Queries, keys and values."""
        return x @ self.W_query, x @ self.W_key, x @ self.W_value

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        return self.attend(*self.projected(x))


class WithLayers(Projecting, nn.Module):
    """Three linear layers, as in SelfAttention_v2."""

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.d_in = d_in
        query_bias, key_bias, value_bias = self.biased(qkv_bias)
        self.W_query = nn.Linear(d_in, d_out, bias=query_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=key_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=value_bias)

    def projected(self, x: Tensor) -> Triple:
        """Queries, keys and values."""
        return self.W_query(x), self.W_key(x), self.W_value(x)

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        return self.attend(*self.projected(x))


def _examine_detached(exam: Exam, base: type[WithParameters] | type[WithLayers], name: str) -> None:
    """One matrix that is used, and not trained."""

    class Detached(base):  # type: ignore[misc, valid-type]
        def projected(self, x: Tensor) -> Triple:
            matrix = getattr(self, name).requires_grad_(False)
            found: Triple = super().projected(x)
            matrix.requires_grad_(True)
            return found

    Detached.__name__ = f"Detached_{name}"
    Detached.__doc__ = (
        f"The numbers are right, but nothing flows back to `{name}`, so it can't be trained: "
        "something cuts it off, such as `.data`, `.detach()` or `requires_grad=False`. Use the "
        "parameter itself, and leave that out."
    )
    exam.misconception(Detached)


def examine_module(exam: Exam, base: type[WithParameters] | type[WithLayers]) -> None:
    """What both classes are tried on, and what can be wrong in both."""
    for example in (lessons_matrices, more_out_than_in, square_module):
        exam.example(example)
    exam.case(drawn_module, times=1)
    exam.case(one_word_module, times=1)
    exam.case(long_sentence_module, times=1)
    # In single precision a gradient is as far off as 2500 times the last digit of a score.
    exam.case(overflowing_module, times=1, dtypes=("float64",))
    exam.case(made_one_after_the_other, times=1)
    exam.half_but_for("a seed that it sets", made_one_after_the_other)
    exam.holds(leaves_the_generator_alone)
    exam.half_but_for("scores far from 0", overflowing_module)

    SCALE.apply(
        exam,
        base,
        called={"RootOfTheKeys": "RootOfTheTokens"},
        without=("RootOfTheQueries", "RootOfTheValues"),
    )
    SOFTMAX.apply(
        exam,
        base,
        called={"SoftmaxOverQueries": "OverTheQueries"},
        without=["SoftmaxOverTheFirstAxis"],
    )
    STABILITY.apply(exam, base, without=["DividedByTheLargest"])
    ROLES.apply(
        exam,
        base,
        called={"QueriesCompared": "KeysByTheQueryMatrix", "KeysMixed": "KeysForValues"},
        says={
            "QueriesCompared": "Your keys are made by `W_query`, or not used, so the queries are "
            "compared with themselves, and `W_key` has no part in the result.",
            "KeysMixed": "You mixed the keys, and `W_value` has no part in the result: its "
            "gradient is missing.",
        },
    )
    TURNED.apply(exam, base)
    GRADIENT.apply(
        exam,
        base,
        called={"WeightsDetached": "Detached", "ContextsDetached": "WithoutGradients"},
    )

    @exam.misconception
    class InputsForValues(base):  # type: ignore[misc, valid-type]
        """You mixed the words themselves. Mix their values, which `W_value` computes."""

        def forward(self, x: Tensor) -> Tensor:
            queries, keys, _ = self.projected(x)
            return scaled_weights(queries, keys) @ x

    @exam.misconception
    class NotebooksMatrices(base):  # type: ignore[misc, valid-type]
        """You use the notebook's `W_query`, `W_key` and `W_value`, so the module's own have no
        effect on the result. In the class, use `self.W_query` and so on.
        """

        def forward(self, x: Tensor) -> Tensor:
            return scaled_weights(x @ W_query, x @ W_key) @ (x @ W_value)

    @exam.misconception
    class OneMatrixForBoth(base):  # type: ignore[misc, valid-type]
        """`W_key` and `W_query` are one and the same object: what is loaded into one, or learned,
        changes the other. Make two of them.
        """

        def __init__(self, *settings: int, **named: int) -> None:
            super().__init__(*settings, **named)
            self.W_key = self.W_query

        def forward(self, x: Tensor) -> Tensor:
            queries, keys, values = self.projected(x)
            return scaled_weights(queries, keys) @ values

    @exam.misconception
    class Frozen(base):  # type: ignore[misc, valid-type]
        """The inputs get a gradient, but none of your matrices does, as when these are made with
        `requires_grad=False`, or used through `.data` or `.detach()`. Leave out what cuts them off,
        so that they can be trained.
        """

        def __init__(self, *settings: int, **named: int) -> None:
            super().__init__(*settings, **named)
            self.requires_grad_(False)

        def forward(self, x: Tensor) -> Tensor:
            queries, keys, values = self.projected(x)
            return scaled_weights(queries, keys) @ values

    for name in ("W_query", "W_key", "W_value"):
        _examine_detached(exam, base, name)

    @exam.misconception
    class ReturnForgotten(base):  # type: ignore[misc, valid-type]
        """Your `forward` returns nothing. It has to `return` the context vectors."""

        def forward(self, x: Tensor) -> None:
            queries, keys, values = self.projected(x)
            scaled_weights(queries, keys) @ values

    @exam.misconception
    class WeightsToo(base):  # type: ignore[misc, valid-type]
        """Your module returns two things. Return the context vectors alone."""

        def forward(self, x: Tensor) -> Pair:
            queries, keys, values = self.projected(x)
            weights = scaled_weights(queries, keys)
            return weights @ values, weights
