"""The known wrong answers to `layer_cost`, lesson 08."""

import math
from collections.abc import Callable
from typing import Any

from solutions import efficient_attention as reference
from solutions.exams.efficient_attention.layer_cost.exam import KINDS, Cost, cost, dilated, log
from solutions.exams.families import declare_places

Change = Callable[[Cost, int, int, int], Any]


def slip(name: str, kind: str, hint: str, change: Change) -> None:
    """A misconception about one kind: what becomes of its right costs."""

    def wrong(given: str, n: int, d: int, k: int = 2) -> Any:
        right = reference.layer_cost(given, n, d, k)
        return change(right, n, d, k) if given == kind else right

    wrong.__name__, wrong.__doc__ = name, hint
    cost.misconception(wrong)


def work(change: Callable[[int, int, int], Any]) -> Change:
    return lambda right, n, d, k: (change(n, d, k), *right[1:])


def steps(change: Callable[[int, int, int], Any]) -> Change:
    return lambda right, n, d, k: (right[0], change(n, d, k), right[2])


def path(change: Callable[[int, int, int], Any]) -> Change:
    return lambda right, n, d, k: (*right[:2], change(n, d, k))


@cost.misconception
def squares_swapped(kind: str, n: int, d: int, k: int = 2) -> Cost:
    """You swapped self-attention and the recurrent layer. In self-attention every token is compared
    with every other, n²d; in a recurrent layer every token is multiplied by a d × d matrix, nd².
    """
    other = {"self-attention": "recurrent", "recurrent": "self-attention"}.get(kind, kind)
    work_of_other = reference.layer_cost(other, n, d, k)[0]
    return work_of_other, *reference.layer_cost(kind, n, d, k)[1:]


slip(
    "pairs_without_features",
    "self-attention",
    "You counted the pairs of self-attention. Each pair takes d multiplications: n²d.",
    work(lambda n, d, k: n * n),
)
slip(
    "self_attention_linear",
    "self-attention",
    "For self-attention you have nd². Every token is compared with every other, and each pair "
    "takes d multiplications: n²d.",
    work(lambda n, d, k: n * d * d),
)
slip(
    "self_attention_token_by_token",
    "self-attention",
    "You have self-attention process the tokens one by one. It computes all of them at once: 1 "
    "step.",
    steps(lambda n, d, k: n),
)
slip(
    "self_attention_far",
    "self-attention",
    "For self-attention you have a path of n. Every token sees every other directly: 1.",
    path(lambda n, d, k: n),
)
slip(
    "recurrent_quadratic",
    "recurrent",
    "For the recurrent layer you have n²d. Each of the n tokens is multiplied by a d × d matrix: "
    "nd².",
    work(lambda n, d, k: n * n * d),
)
slip(
    "recurrent_without_matrix",
    "recurrent",
    "For the recurrent layer you have nd. Its state is multiplied by a d × d matrix for each token:"
    " nd².",
    work(lambda n, d, k: n * d),
)
slip(
    "recurrent_at_once",
    "recurrent",
    "A recurrent layer can't do all tokens at once: each waits for the state before it. It takes n "
    "steps.",
    steps(lambda n, d, k: 1),
)
slip(
    "recurrent_nearby",
    "recurrent",
    "In a recurrent layer the first token reaches the last through all the states in between: the "
    "path is n, not 1.",
    path(lambda n, d, k: 1),
)
slip(
    "recurrent_path_one_less",
    "recurrent",
    "For the recurrent layer's path you have n - 1. The table counts n.",
    path(lambda n, d, k: n - 1),
)
slip(
    "convolution_without_kernel",
    "convolution",
    "The width of the kernel is missing: each token takes k matrices of size d × d, knd².",
    work(lambda n, d, k: n * d * d),
)
slip(
    "convolution_feature_by_feature",
    "convolution",
    "For the convolution you have knd. Every input feature contributes to every output feature: "
    "knd².",
    work(lambda n, d, k: k * n * d),
)
slip(
    "convolution_without_features",
    "convolution",
    "For the convolution the features are missing: each token takes k matrices of size d × d, "
    "knd².",
    work(lambda n, d, k: k * n),
)
slip(
    "path_of_n_minus_two",
    "convolution",
    "For 11 tokens and a kernel of four, your path of the convolution is too short by one. The "
    "last token is n - 1 positions after the first: (n - 1)/(k - 1), rounded up, not to the "
    "nearest integer.",
    path(lambda n, d, k: -(-(n - 2) // (k - 1))),
)
slip(
    "dilated_path",
    "convolution",
    "You have a logarithm for the convolution's path. That holds if each layer leaves larger gaps "
    "between what it reads; in plain convolutions each layer reaches k - 1 further: (n - 1)/(k - "
    "1), rounded up.",
    path(lambda n, d, k: dilated(n, k)),
)
slip(
    "kernels_side_by_side",
    "convolution",
    "You divided by k. Kernels of two layers overlap, and each layer reaches k - 1 further: (n - "
    "1)/(k - 1), rounded up.",
    path(lambda n, d, k: -(-n // k)),
)
slip(
    "path_of_n_by_k_minus_one",
    "convolution",
    "Where k - 1 divides n - 1, your path of the convolution is too long by one, as n/(k - 1), "
    "rounded up, is. The last token is n - 1 positions after the first: (n - 1)/(k - 1), rounded "
    "up.",
    path(lambda n, d, k: -(-n // (k - 1))),
)
slip(
    "path_of_n_minus_one_by_k",
    "convolution",
    "You divided by k, but a kernel of k reaches k - 1 further: (n - 1)/(k - 1), rounded up.",
    path(lambda n, d, k: -(-(n - 1) // k)),
)
slip(
    "path_rounded_down",
    "convolution",
    "You rounded the convolution's path down, as // does. One more layer is needed for the "
    "remainder: round up.",
    path(lambda n, d, k: (n - 1) // (k - 1)),
)
slip(
    "path_not_rounded",
    "convolution",
    "Your path of the convolution is not an integer. You cannot have a fraction of a layer: round "
    "up.",
    path(lambda n, d, k: (n - 1) / (k - 1)),
)
slip(
    "convolution_nearby",
    "convolution",
    "For the convolution's path you have 1. A kernel only reaches k - 1 tokens further, and a "
    "text is longer.",
    path(lambda n, d, k: 1),
)
slip(
    "convolution_token_by_token",
    "convolution",
    "You have the convolution process the tokens one by one. It computes all of them at once: 1 "
    "step.",
    steps(lambda n, d, k: n),
)
slip(
    "all_keys_of_the_sparse",
    "sparse transformer",
    "For the Sparse Transformer you have n²d. Each query sees about √n keys: n√n·d.",
    work(lambda n, d, k: n * n * d),
)
slip(
    "sparse_without_features",
    "sparse transformer",
    "For the Sparse Transformer the features are missing: n√n·d.",
    work(lambda n, d, k: n * math.isqrt(n)),
)
slip(
    "sparse_in_one",
    "sparse transformer",
    "For the Sparse Transformer's path you have 1. A query sees only about √n keys; a second "
    "layer reaches the others: 2.",
    path(lambda n, d, k: 1),
)
slip(
    "sparse_root_of_layers",
    "sparse transformer",
    "For the Sparse Transformer's path you have √n. With a stride of √n, two layers reach every "
    "token.",
    path(lambda n, d, k: math.isqrt(n)),
)
slip(
    "log_rounded_down",
    "reformer",
    "You rounded the logarithm down, or to the nearest integer. Round it up: 5 for 20 tokens.",
    lambda right, n, d, k: (n * (n.bit_length() - 1) * d, n.bit_length() - 1, None),
)
slip(
    "log_one_too_many",
    "reformer",
    "Where n is a power of 2, your logarithm is too large by one: that of 16 is 4. `(n - "
    "1).bit_length()` and `math.ceil(math.log2(n))` are exact.",
    lambda right, n, d, k: (n * n.bit_length() * d, n.bit_length(), None),
)
slip(
    "natural_log",
    "reformer",
    "You took the natural logarithm, or one to another base. Take the one to base 2, `math.log2`.",
    lambda right, n, d, k: (n * math.ceil(math.log(n)) * d, math.ceil(math.log(n)), None),
)
slip(
    "log_not_rounded",
    "reformer",
    "Your logarithm is not rounded. Multiplications and steps are integers: round it up.",
    lambda right, n, d, k: (n * math.log2(n) * d, math.log2(n), None),
)
slip(
    "work_of_the_reformer_rounded_late",
    "reformer",
    "You rounded the product. Round the logarithm up first, and then multiply.",
    work(lambda n, d, k: math.ceil(n * d * math.log2(n))),
)
slip(
    "reformer_in_one_step",
    "reformer",
    "For the Reformer's steps you have 1. Sorting the tokens into buckets takes ⌈log₂ n⌉ steps "
    "that wait for each other.",
    steps(lambda n, d, k: 1),
)
slip(
    "reformer_in_one",
    "reformer",
    "For the Reformer's path you have 1. Two tokens see each other only if they are in the same "
    "bucket, so it depends: None.",
    path(lambda n, d, k: 1),
)
slip(
    "reformer_path_of_log",
    "reformer",
    "For the Reformer's path you have the logarithm. Two tokens see each other only if they are "
    "in the same bucket, so it depends: None.",
    path(lambda n, d, k: log(n)),
)
slip(
    "rank_left_out",
    "linformer",
    "For the Linformer the rank is missing: every query is compared with k mixed keys, nkd.",
    work(lambda n, d, k: n * d),
)
slip(
    "linformer_quadratic",
    "linformer",
    "For the Linformer you have n²d. Every query is compared with k mixed keys instead of n keys: "
    "nkd.",
    work(lambda n, d, k: n * n * d),
)
slip(
    "linformer_squared",
    "linformer",
    "For the Linformer you counted d twice. Every query is compared with k mixed keys of d "
    "features: nkd.",
    work(lambda n, d, k: n * k * d * d),
)
slip(
    "linformer_through_the_rank",
    "linformer",
    "For the Linformer's path you have 2. Each mixed key contains something of every token, so a "
    "single layer suffices: 1.",
    path(lambda n, d, k: 2),
)
slip(
    "linear_in_features",
    "linear attention",
    "For linear attention you have nd. The sum of keys times values has d × d numbers, and every "
    "token is multiplied by it: nd².",
    work(lambda n, d, k: n * d),
)
slip(
    "linear_attention_quadratic",
    "linear attention",
    "For linear attention you have n²d. There is no table of pairs: every token is multiplied by "
    "a d × d matrix, nd².",
    work(lambda n, d, k: n * n * d),
)
slip(
    "linear_attention_step_by_step",
    "linear attention",
    "You have linear attention process the tokens one by one. Its sums over a known text are "
    "computed at once: 1 step.",
    steps(lambda n, d, k: n),
)
slip(
    "linear_attention_far",
    "linear attention",
    "For linear attention's path you have n. Every query reads a sum of all keys directly: 1.",
    path(lambda n, d, k: n),
)


@cost.misconception
def nothing_raised(kind: str, n: int, d: int, k: int = 2) -> Any:
    """For an unknown kind your function raises no error. Raise a ValueError."""
    return reference.layer_cost(kind, n, d, k) if kind in KINDS else None


@cost.misconception
def key_error(kind: str, n: int, d: int, k: int = 2) -> Cost:
    """For an unknown kind you raise a KeyError, as a dictionary does on its own. The exercise asks
    for a ValueError.
    """
    return {kind_: reference.layer_cost(kind_, n, d, k) for kind_ in KINDS}[kind]


@cost.misconception
def always_a_kernel_of_two(kind: str, n: int, d: int, k: int = 2) -> Cost:
    """You use 2 for k, whatever is passed: that is only the default. Use the argument."""
    return reference.layer_cost(kind, n, d, 2)


@cost.misconception
def work_alone(kind: str, n: int, d: int, k: int = 2) -> int:
    """These are only the multiplications. Return three things: multiplications, steps and path."""
    return reference.layer_cost(kind, n, d, k)[0]


declare_places(cost)
