"""The exam of `count_parameters`, lesson 05."""

from collections.abc import Callable
from typing import Any

from torch import nn

from autograder import Draw, Exam
from solutions import multi_head_attention as reference

counting = Exam(reference.count_parameters)

Sizes = tuple[int, int, int] | tuple[int, int, int, bool]


@counting.example
def six_words_sizes() -> Sizes:
    """from 5 features to 4, two heads"""
    return 5, 4, 2, False


@counting.example
def biased_sizes() -> Sizes:
    """from 5 features to 6, three heads, with biases"""
    return 5, 6, 3, True


@counting.example
def base_model() -> Sizes:
    """the Transformer of 2017: 512 features, 8 heads"""
    return 512, 512, 8


@counting.example
def gpt2() -> Sizes:
    """the smallest GPT-2: 768 features, 12 heads, with biases"""
    return 768, 768, 12, True


@counting.case(times=6)
def drawn_sizes(draw: Draw) -> Sizes:
    """sizes drawn at random"""
    heads, head_dim, d_in = draw.fix(heads=draw.in_turn((1, 4))).shape("heads head_dim d_in")
    sizes = 3 * d_in, heads * head_dim, heads
    biased = draw.in_turn((None, False, True))
    # Left out, it is False.
    return sizes if biased is None else (*sizes, biased)


@counting.case(times=1)
def millions_of_parameters(draw: Draw) -> Sizes:
    """millions of parameters"""
    # So many, and an odd number of them, that float32 has no such number.
    d_in, head_dim = (2 * int(draw.rng.integers(least, least + 10)) + 1 for least in (1350, 300))
    return d_in, 3 * head_dim, 3, False


@counting.holds
def no_parameter_is_missing(answer: Callable[..., int], *sizes: Any) -> bool:
    """the number of parameters is exact"""
    return answer(*sizes) == reference.count_parameters(*sizes)


@counting.misconception
def times_heads(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """You counted the three projections once for each head. d_out is the width of all heads
    together: they divide these columns among them.
    """
    once = 3 * d_in * d_out + 3 * d_out * qkv_bias
    return once * num_heads + d_out * d_out + d_out


@counting.misconception
def weights_times_heads(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """You counted the weights of the three projections once for each head. d_out is the width of
    all heads together: they divide these columns among them.
    """
    return 3 * d_in * d_out * num_heads + 3 * d_out * qkv_bias + d_out * d_out + d_out


@counting.misconception
def everything_times_heads(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """You multiplied everything by the number of heads. They share the three projections, and there
    is only one out_proj: the number of heads makes no difference.
    """
    return (3 * (d_in + qkv_bias) * d_out + d_out * d_out + d_out) * num_heads


@counting.misconception
def output_times_heads(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """You counted out_proj once for each head. There is one, and all heads go through it."""
    return 3 * (d_in + qkv_bias) * d_out + (d_out * d_out + d_out) * num_heads


@counting.misconception
def biases_of_heads(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """You counted one bias for each head and projection. The bias of a projection has d_out
    parameters, one for each column, no matter how many heads use them.
    """
    biases = 3 * num_heads * qkv_bias
    return 3 * d_in * d_out + biases + d_out * d_out + d_out


@counting.misconception
def one_head_counted(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """You counted the projections of one head. There are num_heads of them, each with head_dim
    columns.
    """
    return 3 * (d_in + qkv_bias) * (d_out // num_heads) + d_out * d_out + d_out


@counting.misconception
def no_output_projection(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """out_proj is missing: d_out · d_out parameters, and its bias."""
    return 3 * (d_in + qkv_bias) * d_out


@counting.misconception
def output_leads_back(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """Your out_proj leads back to the d_in features of the inputs. It mixes the heads, from d_out
    features to as many.
    """
    return 3 * (d_in + qkv_bias) * d_out + d_out * d_in + d_in


@counting.misconception
def bias_of_the_output_alone(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """Of out_proj you counted only the bias. Its weights are d_out · d_out more parameters."""
    return 3 * (d_in + qkv_bias) * d_out + d_out


@counting.misconception
def output_without_bias(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """out_proj has a bias, too: d_out more parameters."""
    return 3 * (d_in + qkv_bias) * d_out + d_out * d_out


@counting.misconception
def biases_always(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """You counted biases of the three projections, although qkv_bias is False."""
    return 3 * (d_in + 1) * d_out + d_out * d_out + d_out


@counting.misconception
def biases_never(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """With qkv_bias=True, each of the three projections has d_out more parameters."""
    return 3 * d_in * d_out + d_out * d_out + d_out


@counting.misconception
def biases_of_one_number(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """You counted each bias as one parameter. The bias of a linear layer is a vector with a
    parameter for each of its d_out outputs.
    """
    return 3 * (d_in * d_out + qkv_bias) + d_out * d_out + 1


@counting.misconception
def output_bias_of_one_number(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """You counted the bias of out_proj as one parameter. It is a vector with a parameter for each
    of the d_out outputs.
    """
    return 3 * (d_in + qkv_bias) * d_out + d_out * d_out + 1


@counting.misconception
def one_bias_for_three(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """You counted one bias for the three projections. Each has its own, of d_out parameters."""
    return 3 * d_in * d_out + d_out * qkv_bias + d_out * d_out + d_out


@counting.misconception
def output_bias_if_asked(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """The bias of out_proj is always there. qkv_bias is for the three projections only."""
    return 3 * d_in * d_out + d_out * d_out + 4 * d_out * qkv_bias


@counting.misconception
def biases_of_inputs(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """You counted d_in parameters for each bias of the three projections. A bias is added to the
    output: d_out parameters.
    """
    return 3 * d_in * (d_out + qkv_bias) + d_out * d_out + d_out


@counting.misconception
def output_from_inputs(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """You counted out_proj as (d_in, d_out). It comes after the heads: (d_out, d_out)."""
    return 3 * (d_in + qkv_bias) * d_out + d_in * d_out + d_out


@counting.misconception
def four_projections_alike(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """You counted four projections of one kind, but out_proj differs from the other three: it comes
    after the heads, so it is (d_out, d_out), and its bias is always there, whatever qkv_bias says.
    """
    return 4 * (d_in + qkv_bias) * d_out


@counting.misconception
def four_alike_and_a_bias(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """You counted out_proj like the other three, (d_in, d_out) with a bias if qkv_bias is True, and
    then another bias. It comes after the heads: (d_out, d_out), with a single bias, always.
    """
    return 4 * (d_in + qkv_bias) * d_out + d_out


@counting.misconception
def two_projections(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """You counted two projections. There are three: queries, keys and values."""
    return 2 * (d_in + qkv_bias) * d_out + d_out * d_out + d_out


@counting.accepts
def counted_by_making(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """Layers made, and their parameters counted.

    It makes the layers and asks them. On the device `meta`, they have shapes and no numbers, so
    even the largest model takes no memory.
    """
    layers = [nn.Linear(d_in, d_out, bias=qkv_bias, device="meta") for _ in range(3)]
    layers.append(nn.Linear(d_out, d_out, device="meta"))
    return sum(p.numel() for layer in layers for p in layer.parameters())


@counting.accepts
def counted_by_heads(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """Head by head."""
    head_dim = d_out // num_heads
    per_head = sum(d_in * head_dim + (head_dim if qkv_bias else 0) for _ in range(3))
    return num_heads * per_head + d_out**2 + d_out


@counting.accepts
def counted_by_rows(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """A bias as one row more.

    A bias is one more row of its matrix, so the whole count is one product.
    """
    return (3 * (d_in + int(qkv_bias)) + d_out + 1) * d_out
