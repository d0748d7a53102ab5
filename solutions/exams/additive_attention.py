"""The exams of lesson 01."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from autograder.compare import Tolerance
from autograder.exam import Draw, Exam
from autograder.modules import run_module
from companion import padding
from companion.decoding import plain_cell, plain_score
from solutions import additive_attention as reference

Pair = tuple[Tensor, Tensor]
Three = tuple[Tensor, Tensor, Tensor]
Many = tuple[Tensor, ...]
Function = Callable[..., Tensor]

# Who carries four decimals on the way is off by up to this.
FOUR_DECIMALS = Tolerance(absolute=2e-4)


def tensor(*rows: object) -> Tensor:
    """Numbers in double precision."""
    return torch.tensor(rows, dtype=torch.float64)


# The running example: three German words, a decoder state, and the weights between them.
STATE = tensor(1.0, -0.5)
WORDS = tensor([0.5, -1.0, 2.0], [-1.5, 0.5, 0.0], [1.0, 1.5, -0.5])
W_QUERY = tensor([0.5, -1.0, 0.2, 1.0], [1.5, 0.4, -0.6, 0.3])
W_KEY = tensor([0.3, 0.8, -0.5, 0.6], [-0.7, 0.1, 0.9, -0.2], [0.4, -0.3, 0.2, 1.1])
V = tensor(1.0, -2.0, 0.5, 1.5)
# Two sentences of four places, the second of them with two words only.
BATCH = torch.stack(
    [
        tensor([0.5, -1.0, 2.0], [-1.5, 0.5, 0.0], [1.0, 1.5, -0.5], [0.3, -0.2, 1.2]),
        tensor([1.2, 0.4, -0.8], [-0.6, 1.0, 0.7], [9.0, -9.0, 9.0], [-9.0, 9.0, 9.0]),
    ]
)
LENGTHS = torch.tensor([4, 2])


# --- by hand -------------------------------------------------------------------------------------

by_hand = Exam(reference.alignment_by_hand, tolerance=FOUR_DECIMALS, reveal=False)

KEYS_BY_HAND = tensor([0.5, 0.5], [-0.5, 1.5], [1.0, 0.0])
WORDS_BY_HAND = tensor([2.0, 0.0], [0.0, 1.0], [1.0, -1.0])
V_BY_HAND = tensor(2.0, 1.0)
FIRST_QUERY, SECOND_QUERY = tensor(0.5, -0.5), tensor(-1.0, 0.5)


def worked(scores: Tensor, weights: Tensor | None = None, context: Tensor | None = None) -> object:
    """The three lines of the worksheet; what is not given follows from what stands before it."""
    weights = torch.softmax(scores, dim=-1) if weights is None else weights
    context = weights @ WORDS_BY_HAND if context is None else context
    return {
        "scores": scores.tolist(),
        "weights": weights.tolist(),
        "context": context.tolist(),
    }


def scores_by_hand(query: Tensor = SECOND_QUERY) -> Tensor:
    """What the worksheet asks for first."""
    return torch.tanh(query + KEYS_BY_HAND) @ V_BY_HAND


def rounded_from(decimals: int) -> object:
    """Everything rounded on the way."""
    scores = (torch.tanh(SECOND_QUERY + KEYS_BY_HAND).round(decimals=decimals)) @ V_BY_HAND
    weights = torch.softmax(scores, dim=-1).round(decimals=decimals)
    return worked(scores, weights)


@by_hand.example
def on_paper() -> tuple[()]:
    """your numbers"""
    return ()


@by_hand.misconception
def the_first_step_again() -> object:
    """These are the numbers of the first step. In the second step the decoder has another query:
    add that one to the keys.
    """
    return worked(scores_by_hand(FIRST_QUERY))


@by_hand.misconception
def no_tanh_on_paper() -> object:
    """The tanh is missing: you multiplied query + key with v as it was. Take the tanh of each
    number first.
    """
    return worked((SECOND_QUERY + KEYS_BY_HAND) @ V_BY_HAND)


@by_hand.misconception
def v_forgotten_on_paper() -> object:
    """These scores are sums of the two tanh. Multiply each tanh by its number in v before you add:
    the first counts twice.
    """
    return worked(torch.tanh(SECOND_QUERY + KEYS_BY_HAND).sum(dim=-1))


@by_hand.misconception
def tanh_at_the_end_on_paper() -> object:
    """You took the tanh of the score. It belongs one step earlier: the tanh of query + key, number
    by number, and then v.
    """
    return worked(torch.tanh((SECOND_QUERY + KEYS_BY_HAND) @ V_BY_HAND))


@by_hand.misconception
def dot_products_on_paper() -> object:
    """These scores are dot products of query and keys. Additive attention adds the two, takes the
    tanh and multiplies by v.
    """
    return worked(KEYS_BY_HAND @ SECOND_QUERY)


@by_hand.misconception
def multiplied_on_paper() -> object:
    """You multiplied query and key. Additive attention adds the two before the tanh."""
    return worked(torch.tanh(SECOND_QUERY * KEYS_BY_HAND) @ V_BY_HAND)


@by_hand.misconception
def exponentials_on_paper() -> object:
    """These weights are the exponentials themselves. Divide each by their sum, so that the three
    add up to 1.
    """
    return worked(scores_by_hand(), scores_by_hand().exp())


@by_hand.misconception
def shares_on_paper() -> object:
    """You divided each score by the sum of the scores. The softmax takes the exponential of each
    score first, and divides by the sum of those.
    """
    return worked(scores_by_hand(), scores_by_hand() / scores_by_hand().sum())


@by_hand.misconception
def context_of_keys_on_paper() -> object:
    """This context mixes the keys. The keys are for comparing; what is mixed are the annotations
    themselves.
    """
    scores = scores_by_hand()
    return worked(scores, None, torch.softmax(scores, dim=-1) @ KEYS_BY_HAND)


@by_hand.misconception
def average_on_paper() -> object:
    """This context is the plain average of the three annotations. Multiply each by its weight
    before you add.
    """
    return worked(scores_by_hand(), None, WORDS_BY_HAND.mean(dim=0))


@by_hand.misconception
def two_decimals_on_paper() -> object:
    """You rounded on the way: this is what comes of tanh and weights with two decimals. Carry at
    least five, and type four.
    """
    return rounded_from(2)


@by_hand.misconception
def three_decimals_on_paper() -> object:
    """You rounded on the way: this is what comes of tanh and weights with three decimals. Carry at
    least five, and type four.
    """
    return rounded_from(3)


@by_hand.misconception
def typed_with_three_decimals() -> object:
    """These are the right numbers, with three decimals. Type four."""
    right = scores_by_hand()
    weights = torch.softmax(right, dim=-1)
    return worked(*(part.round(decimals=3) for part in (right, weights, weights @ WORDS_BY_HAND)))


@by_hand.misconception
def typed_with_two_decimals() -> object:
    """These are the right numbers, with two decimals. Type four."""
    right = scores_by_hand()
    weights = torch.softmax(right, dim=-1)
    return worked(*(part.round(decimals=2) for part in (right, weights, weights @ WORDS_BY_HAND)))


@by_hand.misconception
def sign_of_the_first_tanh() -> object:
    """In the first score a sign is lost: tanh(-0.5) is -tanh(0.5), a number below zero."""
    tanhs = torch.tanh(SECOND_QUERY + KEYS_BY_HAND)
    tanhs[0] = tanhs[0].abs()
    return worked(tanhs @ V_BY_HAND)


@by_hand.misconception
def sign_of_the_second_tanh() -> object:
    """In the second score a sign is lost: tanh(-1.5) is -tanh(1.5), a number below zero."""
    tanhs = torch.tanh(SECOND_QUERY + KEYS_BY_HAND)
    tanhs[1] = tanhs[1].abs()
    return worked(tanhs @ V_BY_HAND)


@by_hand.misconception
def signs_of_every_tanh() -> object:
    """The signs are lost: the tanh of a number below zero is below zero."""
    return worked(torch.tanh(SECOND_QUERY + KEYS_BY_HAND).abs() @ V_BY_HAND)


@by_hand.misconception
def v_swapped_on_paper() -> object:
    """You used v the other way round: the first tanh counts twice, the second once."""
    return worked(torch.tanh(SECOND_QUERY + KEYS_BY_HAND) @ V_BY_HAND.flip(0))


@by_hand.misconception
def separate_tanhs_on_paper() -> object:
    """You took the tanh of query and key separately. Add the two first, then take one tanh."""
    return worked((torch.tanh(SECOND_QUERY) + torch.tanh(KEYS_BY_HAND)) @ V_BY_HAND)


@by_hand.misconception
def annotations_for_keys_on_paper() -> object:
    """You added the query to the annotations. It is compared with the keys, the last column of the
    table.
    """
    return worked(torch.tanh(SECOND_QUERY + WORDS_BY_HAND) @ V_BY_HAND)


@by_hand.misconception
def sum_of_the_first_step() -> object:
    """You divided by the sum of the first step. The second step has exponentials of its own, and a
    sum of its own.
    """
    first_sum = scores_by_hand(FIRST_QUERY).exp().sum()
    return worked(scores_by_hand(), scores_by_hand().exp() / first_sum)


@by_hand.misconception
def context_of_the_first_step() -> object:
    """Scores and weights are right, but this context uses the weights of the first step."""
    first_weights = torch.softmax(scores_by_hand(FIRST_QUERY), dim=-1)
    return worked(scores_by_hand(), None, first_weights @ WORDS_BY_HAND)


@by_hand.accepts
def four_decimals_on_paper() -> object:
    """Four decimals, carried all the way."""
    return rounded_from(4)


# --- annotations ---------------------------------------------------------------------------------

annotations = Exam(reference.concat_annotations)


@annotations.example
def three_words() -> Pair:
    """a sentence of three words"""
    return tensor([1.0, 1.5], [2.0, 2.5], [3.0, 3.5]), tensor([-3.0], [-2.0], [-1.0])


@annotations.example
def as_wide_as_long() -> Pair:
    """as many words as numbers in a state"""
    return tensor([1.0, 1.5], [2.0, 2.5]), tensor([-2.0, -2.5], [-1.0, -1.5])


@annotations.case
def any_readers(draw: Draw) -> Pair:
    """states drawn at random"""
    return draw.tensor("source d_forward"), draw.tensor("source d_backward")


@annotations.case(times=1)
def equal_readers(draw: Draw) -> Pair:
    """readers of equal width"""
    return draw.tensor("source d_forward"), draw.tensor("source d_forward")


@annotations.case(times=1)
def single_word(draw: Draw) -> Pair:
    """a sentence of one word"""
    draw.fix(source=1)
    return draw.tensor("source d_forward"), draw.tensor("source d_backward")


@annotations.misconception
def not_turned_round(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """Each word got the backward state of another one. The backward reader meets the last word
    first: turn its states round.
    """
    return torch.cat([forward_states, backward_states], dim=-1)


@annotations.misconception
def sliced_backwards(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """`[::-1]` turns lists and arrays round, but PyTorch's tensors take no negative steps. They
    have a method for it: `flip`, which wants to know the axis.
    """
    return torch.cat([forward_states, backward_states[::-1]], dim=-1)


@annotations.misconception
def both_turned_round(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """You turned both readers round: your first row belongs to the last word. Only the backward
    states stand in reverse.
    """
    return torch.cat([forward_states, backward_states], dim=-1).flip(0)


@annotations.misconception
def forward_turned_round(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """You turned the forward states round. They are in the order of the words already; the backward
    states are not.
    """
    return torch.cat([forward_states.flip(0), backward_states], dim=-1)


@annotations.misconception
def features_turned_round(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """You turned round the numbers inside of each backward state. Turn round the order of the
    states: that is the first axis.
    """
    return torch.cat([forward_states, backward_states.flip(-1)], dim=-1)


@annotations.misconception
def everything_turned_round(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """The order of the states is right, but the numbers inside of each are turned round as well.
    Flip the first axis alone.
    """
    return torch.cat([forward_states, backward_states.flip(0, 1)], dim=-1)


@annotations.misconception
def backward_first(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """The two halves are in the wrong order: the forward state comes first."""
    return torch.cat([backward_states.flip(0), forward_states], dim=-1)


@annotations.misconception
def below_each_other(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """You put the states below each other, as if there were twice as many words. Put them side by
    side: concatenate along the last axis.
    """
    return torch.cat([forward_states, backward_states.flip(0)], dim=0)


@annotations.misconception
def added_up(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """You added the two states. Concatenate them: an annotation has the numbers of both."""
    return forward_states + backward_states.flip(0)


@annotations.accepts
def word_by_word(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """A loop over the words."""
    last = len(forward_states) - 1
    rows = [torch.cat([f, backward_states[last - i]]) for i, f in enumerate(forward_states)]
    return torch.stack(rows)


@annotations.accepts
def by_indexing(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """The backward states by their numbers."""
    order = torch.arange(len(backward_states) - 1, -1, -1)
    return torch.hstack([forward_states, backward_states[order]])


@annotations.accepts
def filled_in(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """An empty tensor, filled in two halves."""
    width = forward_states.shape[1]
    both = forward_states.new_empty(len(forward_states), width + backward_states.shape[1])
    both[:, :width] = forward_states
    both[:, width:] = torch.flipud(backward_states)
    return both


# --- concatenated score --------------------------------------------------------------------------

concat = Exam(reference.concat_score)


@concat.example
def one_state_three_words() -> Many:
    """one state and three words"""
    return STATE, WORDS, torch.cat([W_QUERY, W_KEY]), V


@concat.example
def large_state() -> Many:
    """a state of large numbers"""
    return 3 * STATE, WORDS[:2], torch.cat([W_QUERY, W_KEY]), V


def concat_arguments(draw: Draw) -> Many:
    """Arguments of sizes that differ."""
    W = torch.cat([draw.tensor("query_dim hidden"), draw.tensor("key_dim hidden")])
    return draw.tensor("query_dim"), draw.tensor("source key_dim"), W, draw.tensor("hidden")


@concat.case
def any_words(draw: Draw) -> Many:
    """states drawn at random"""
    return concat_arguments(draw)


@concat.case(times=1)
def one_annotation(draw: Draw) -> Many:
    """a sentence of one word"""
    return concat_arguments(draw.fix(source=1))


@concat.case(times=1)
def equal_widths(draw: Draw) -> Many:
    """as many words as the state has numbers"""
    return concat_arguments(draw.fix(source=3, query_dim=3, key_dim=3))


def joined(state: Tensor, annotations: Tensor) -> Tensor:
    """The state in front of each annotation."""
    return torch.cat([state.expand(len(annotations), -1), annotations], dim=-1)


@concat.misconception
def annotation_in_front(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """You put the annotation in front of the state. Their widths add up either way, so nothing
    stops you, but the first rows of W belong to the state.
    """
    states = state.expand(len(annotations), -1)
    return torch.tanh(torch.cat([annotations, states], dim=-1) @ W) @ v


@concat.misconception
def concat_without_tanh(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """The tanh is missing. Without it the state adds the same number to every score, and the
    weights do not depend on it at all.
    """
    return joined(state, annotations) @ W @ v


@concat.misconception
def concat_tanh_at_the_end(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """You took the tanh of the score. Take it of the hidden layer, before v."""
    return torch.tanh(joined(state, annotations) @ W @ v)


@concat.misconception
def concat_tanh_before_the_matrix(
    state: Tensor, annotations: Tensor, W: Tensor, v: Tensor
) -> Tensor:
    """You took the tanh of state and annotations as they came. It belongs behind W."""
    return torch.tanh(joined(state, annotations)) @ W @ v


@concat.misconception
def concat_without_v(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """You added up the hidden layer. Multiply it by v: each hidden number has a weight of its
    own.
    """
    return torch.tanh(joined(state, annotations) @ W).sum(dim=-1)


@concat.misconception
def hidden_layer_only(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """This is the hidden layer, several numbers for each word. One step is left: its product with
    v.
    """
    return torch.tanh(joined(state, annotations) @ W)


@concat.misconception
def times_v_not_summed(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """You multiplied by v, number by number, and did not add up. A score is one number."""
    return torch.tanh(joined(state, annotations) @ W) * v


@concat.misconception
def concat_summed_over_the_words(
    state: Tensor, annotations: Tensor, W: Tensor, v: Tensor
) -> Tensor:
    """This is one number for the whole sentence: you added up over the words, too. Add up over the
    hidden numbers alone, the last axis.
    """
    return (torch.tanh(joined(state, annotations) @ W) * v).sum()


@concat.misconception
def concat_weights(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """These numbers have been through a softmax. Return the scores themselves."""
    return torch.softmax(torch.tanh(joined(state, annotations) @ W) @ v, dim=-1)


@concat.misconception
def sigmoid_for_tanh(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """This is a sigmoid, between 0 and 1. Bahdanau's score has a tanh, between -1 and 1."""
    return torch.sigmoid(joined(state, annotations) @ W) @ v


@concat.misconception
def state_alone(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """`torch.cat` needs sides with equally many axes: the state has one, the annotations have two.
    Repeat the state for each annotation first, with `expand`.
    """
    return torch.tanh(torch.cat([state, annotations], dim=-1) @ W) @ v


@concat.misconception
def concat_as_a_list(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> list[Tensor]:
    """This is a list of scores. Make one tensor of it: `torch.stack`."""
    return [torch.tanh(torch.cat([state, h]) @ W) @ v for h in annotations]


@concat.accepts
def concat_in_a_loop(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """A loop over the words."""
    return torch.stack([v.dot(torch.tanh(torch.cat([state, h]) @ W)) for h in annotations])


@concat.accepts
def concat_by_repeating(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """The state repeated, an index expression."""
    pairs = torch.hstack([state.repeat(annotations.shape[0], 1), annotations])
    return torch.einsum("sh,h->s", torch.tanh(torch.einsum("sd,dh->sh", pairs, W)), v)


@concat.accepts
def concat_as_columns(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """One column for each word, as in the paper."""
    H = annotations.T
    S = state[:, None].expand(-1, H.shape[1])
    return v @ torch.tanh(W.T @ torch.cat([S, H]))


# --- additive score ------------------------------------------------------------------------------

additive = Exam(reference.additive_score)


@additive.example
def one_query_three_keys() -> Many:
    """one query and three keys"""
    return STATE, WORDS, W_QUERY, W_KEY, V


@additive.example
def another_query() -> Many:
    """another query, two keys"""
    return -2 * STATE, WORDS[1:], W_QUERY, W_KEY, V


def additive_arguments(draw: Draw) -> Many:
    """Arguments of sizes that differ."""
    return (
        draw.tensor("query_dim"),
        draw.tensor("source key_dim"),
        draw.tensor("query_dim hidden"),
        draw.tensor("key_dim hidden"),
        draw.tensor("hidden"),
    )


@additive.case
def any_query(draw: Draw) -> Many:
    """queries and keys drawn at random"""
    return additive_arguments(draw)


@additive.case(times=1)
def one_key(draw: Draw) -> Many:
    """a single key"""
    return additive_arguments(draw.fix(source=1))


@additive.case(times=1)
def everything_equally_wide(draw: Draw) -> Many:
    """as many keys as hidden numbers"""
    return additive_arguments(draw.fix(source=4, hidden=4, query_dim=4, key_dim=4))


@additive.holds
def query_matters(additive_score: Function, *arguments: Tensor) -> bool:
    """another query moves the scores apart, and not all by the same number"""
    query, keys, *weights = arguments
    # The last two lines of a sentence of one key can't move apart.
    if len(keys) == 1:
        return True
    moved = additive_score(query + 1, keys, *weights) - additive_score(query, keys, *weights)
    return bool(moved.max() - moved.min() > 1e-6)


@additive.misconception
def tanh_dropped(query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor) -> Tensor:
    """The tanh is missing. Without it the query adds the same number to every score, and a softmax
    does not see that: every query would get the same weights.
    """
    return (query @ W_query + keys @ W_key) @ v


@additive.misconception
def tanh_of_each_side(
    query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor
) -> Tensor:
    """You took the tanh of each side and added afterwards. So the query again adds the same to
    every score: add first, then take one tanh.
    """
    return (torch.tanh(query @ W_query) + torch.tanh(keys @ W_key)) @ v


@additive.misconception
def tanh_last(query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor) -> Tensor:
    """You took the tanh of the score. Take it of the sum of the two projections, before v."""
    return torch.tanh((query @ W_query + keys @ W_key) @ v)


@additive.misconception
def multiplied(query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor) -> Tensor:
    """You multiplied the two projections. This attention is called additive because it adds
    them.
    """
    return torch.tanh((query @ W_query) * (keys @ W_key)) @ v


@additive.misconception
def v_replaced_by_sum(
    query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor
) -> Tensor:
    """You added up the hidden layer. Multiply it by v: each hidden number has a weight of its
    own.
    """
    return torch.tanh(query @ W_query + keys @ W_key).sum(dim=-1)


@additive.misconception
def v_on_the_left(query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor) -> Tensor:
    """v stands on the left and meets the words. It should meet the hidden numbers, the last axis:
    put it on the right.
    """
    return v @ torch.tanh(query @ W_query + keys @ W_key)


@additive.misconception
def summed_over_the_keys(
    query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor
) -> Tensor:
    """This is one number for all keys together: you added up over the keys, too. Add up over the
    hidden numbers alone, the last axis.
    """
    return (torch.tanh(query @ W_query + keys @ W_key) * v).sum()


@additive.misconception
def keys_alone(query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor) -> Tensor:
    """These scores come from the keys alone. Add the projected query before the tanh."""
    return torch.tanh(keys @ W_key) @ v


@additive.misconception
def already_weights(
    query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor
) -> Tensor:
    """These numbers have been through a softmax. Return the scores themselves."""
    return torch.softmax(torch.tanh(query @ W_query + keys @ W_key) @ v, dim=-1)


@additive.misconception
def scaled_like_dot_products(
    query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor
) -> Tensor:
    """These scores are divided by a square root, as those of lesson 03 are. The tanh keeps these
    small by itself: leave them as they are.
    """
    return torch.tanh(query @ W_query + keys @ W_key) @ v / math.sqrt(len(v))


@additive.misconception
def matrices_on_the_left(
    query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor
) -> Tensor:
    """The matrices stand on the right here, `query @ W_query`: they are (in, out). On the left they
    would have to be transposed.
    """
    return torch.tanh(W_query @ query + W_key @ keys) @ v


@additive.accepts
def additive_in_a_loop(
    query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor
) -> Tensor:
    """A loop over the keys."""
    return torch.stack([torch.tanh(query @ W_query + key @ W_key).dot(v) for key in keys])


@additive.accepts
def additive_by_einsum(
    query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor
) -> Tensor:
    """Index expressions."""
    hidden = torch.einsum("q,qh->h", query, W_query) + torch.einsum("sk,kh->sh", keys, W_key)
    return torch.einsum("sh,h->s", hidden.tanh(), v)


@additive.accepts
def additive_concatenated(
    query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor
) -> Tensor:
    """Concatenated, both matrices in one."""
    return (joined(query, keys) @ torch.cat([W_query, W_key])).tanh() @ v


# --- repair --------------------------------------------------------------------------------------

repaired = Exam(reference.repaired_alignment)


@repaired.example
def square_batch() -> Three:
    """as many sentences as words"""
    keys = torch.stack([WORDS @ W_KEY, WORDS.flip(0) @ W_KEY, -WORDS @ W_KEY])
    return torch.stack([STATE, -STATE, 2 * STATE]) @ W_QUERY, keys, V


@repaired.example
def two_sentences() -> Three:
    """two sentences of four words"""
    return torch.stack([STATE, -STATE]) @ W_QUERY, BATCH @ W_KEY / 4, V


@repaired.case
def any_batch(draw: Draw) -> Three:
    """sentences drawn at random"""
    return draw.tensor("batch hidden"), draw.tensor("batch source hidden"), draw.tensor("hidden")


@repaired.case(times=1)
def batch_as_long(draw: Draw) -> Three:
    """as many sentences as words, drawn at random"""
    draw.fix(batch=4, source=4)
    return draw.tensor("batch hidden"), draw.tensor("batch source hidden"), draw.tensor("hidden")


@repaired.case(times=1)
def alone(draw: Draw) -> Three:
    """a batch of one sentence"""
    draw.fix(batch=1)
    return draw.tensor("batch hidden"), draw.tensor("batch source hidden"), draw.tensor("hidden")


@repaired.misconception
def as_found(projected_query: Tensor, projected_keys: Tensor, v: Tensor) -> Tensor:
    """Query i still meets word i of every sentence. The new axis stands in front of the batch, or
    there is none; it belongs between batch and hidden, so that query i meets all words of sentence
    i.
    """
    return torch.softmax(torch.tanh(projected_query + projected_keys) @ v, dim=-1)


@repaired.misconception
def first_query_for_all(projected_query: Tensor, projected_keys: Tensor, v: Tensor) -> Tensor:
    """Every sentence is asked by the first query. Each has a query of its own."""
    return torch.softmax(torch.tanh(projected_query[0] + projected_keys) @ v, dim=-1)


@repaired.misconception
def over_the_batch(projected_query: Tensor, projected_keys: Tensor, v: Tensor) -> Tensor:
    """The scores are right, but the softmax now runs over the sentences. Each row must sum to 1."""
    return torch.softmax(torch.tanh(projected_query.unsqueeze(1) + projected_keys) @ v, dim=0)


@repaired.misconception
def query_left_out(projected_query: Tensor, projected_keys: Tensor, v: Tensor) -> Tensor:
    """The query is gone: these weights come from the keys alone."""
    return torch.softmax(torch.tanh(projected_keys) @ v, dim=-1)


@repaired.misconception
def axis_at_the_end(projected_query: Tensor, projected_keys: Tensor, v: Tensor) -> Tensor:
    """`unsqueeze(-1)` puts the new axis behind the hidden numbers, which then meet the words. It
    belongs between batch and hidden: number 1.
    """
    return torch.softmax(torch.tanh(projected_query.unsqueeze(-1) + projected_keys) @ v, dim=-1)


@repaired.misconception
def tanh_lost_in_repair(projected_query: Tensor, projected_keys: Tensor, v: Tensor) -> Tensor:
    """The axis is right, but the tanh got lost: the query does not count any more."""
    return torch.softmax((projected_query.unsqueeze(1) + projected_keys) @ v, dim=-1)


@repaired.accepts
def sentence_by_sentence(projected_query: Tensor, projected_keys: Tensor, v: Tensor) -> Tensor:
    """A loop over the sentences."""
    pairs = zip(projected_query, projected_keys, strict=True)
    return torch.stack([torch.softmax(torch.tanh(q + K) @ v, dim=-1) for q, K in pairs])


@repaired.accepts
def query_expanded(projected_query: Tensor, projected_keys: Tensor, v: Tensor) -> Tensor:
    """The query repeated for each word."""
    queries = projected_query[:, None, :].expand_as(projected_keys)
    return torch.softmax((queries + projected_keys).tanh() @ v, dim=1)


@repaired.accepts
def words_in_front(projected_query: Tensor, projected_keys: Tensor, v: Tensor) -> Tensor:
    """The words' axis moved in front of the batch, and back."""
    hidden = torch.tanh(projected_query + projected_keys.transpose(0, 1))
    return torch.softmax((hidden @ v).T, dim=-1)


# --- masked softmax ------------------------------------------------------------------------------

masked = Exam(reference.masked_softmax)


@masked.example
def three_lengths() -> Pair:
    """three sentences of 4, 2 and 1 words"""
    scores = tensor([1.0, -0.5, 0.3, 2.0], [0.2, 1.1, -1.0, 0.7], [-2.0, 0.5, 1.5, -0.4])
    return scores, torch.tensor([4, 2, 1])


@masked.example
def loud_padding() -> Pair:
    """padding with scores of 1000"""
    return tensor([-1.0, 0.5, 1000.0], [1000.0, 999.0, 1000.0]), torch.tensor([2, 2])


@masked.example
def low_words() -> Pair:
    """words with scores of about -1000"""
    return tensor([-1000.0, -1001.0, 0.5], [0.2, -1.0, 0.7]), torch.tensor([2, 3])


@masked.example
def nothing_to_hide() -> Pair:
    """sentences without padding"""
    return tensor([1.0, -0.5, 0.3], [0.2, 1.1, -1.0]), torch.tensor([3, 3])


def draw_lengths(draw: Draw) -> Tensor:
    """Lengths from 1 to the number of places, the first sentence the shortest or the longest."""
    batch, source = draw.size("batch"), draw.size("source")
    return torch.from_numpy(draw.rng.integers(1, source + 1, size=batch))


@masked.case
def any_scores(draw: Draw) -> Pair:
    """scores drawn at random"""
    scores = draw.tensor("batch source", scale=2)
    return scores, draw_lengths(draw)


@masked.case
def huge_scores(draw: Draw) -> Pair:
    """scores of ±1000"""
    scores = draw.tensor("batch source", scale=1000)
    return scores, draw_lengths(draw)


@masked.case(times=1)
def as_many_as_long(draw: Draw) -> Pair:
    """as many sentences as places"""
    draw.fix(batch=4, source=4)
    return draw.tensor("batch source"), torch.tensor([2, 4, 1, 3])


@masked.holds
def padding_gets_nothing(masked_softmax: Function, scores: Tensor, lengths: Tensor) -> bool:
    """padding gets a weight of exactly 0, and the words 1 in total"""
    weights = masked_softmax(scores, lengths)
    behind = torch.arange(scores.shape[1]) >= lengths[:, None]
    ones = torch.ones(len(scores), dtype=weights.dtype)
    return bool((weights[behind] == 0).all()) and torch.allclose(weights.sum(dim=1), ones)


@masked.holds
def padding_is_not_read(masked_softmax: Function, scores: Tensor, lengths: Tensor) -> bool:
    """other scores in the padding change nothing"""
    behind = torch.arange(scores.shape[1]) >= lengths[:, None]
    other = scores.masked_fill(behind, 3.0)
    return torch.equal(masked_softmax(other, lengths), masked_softmax(scores, lengths))


def hidden_places(scores: Tensor, lengths: Tensor) -> Tensor:
    """True where there is padding."""
    return torch.arange(scores.shape[-1]) >= lengths[:, None]


@masked.misconception
def lengths_unused(scores: Tensor, lengths: Tensor) -> Tensor:
    """The padding gets weights, too. Hide the places from `lengths` on before the softmax. If you
    do: `masked_fill` returns a new tensor, is that the one you use?
    """
    return torch.softmax(scores, dim=-1)


@masked.misconception
def zeroed_after(scores: Tensor, lengths: Tensor) -> Tensor:
    """The rows no longer sum to 1: you set weights to 0 after the softmax, and their shares are
    lost. Hide the scores before it.
    """
    return torch.softmax(scores, dim=-1).masked_fill(hidden_places(scores, lengths), 0.0)


@masked.misconception
def scores_set_to_zero(scores: Tensor, lengths: Tensor) -> Tensor:
    """You gave padding the score 0, and exp(0) is 1, not 0. The score whose exponential is 0 is
    -inf.
    """
    return torch.softmax(scores.masked_fill(hidden_places(scores, lengths), 0.0), dim=-1)


@masked.misconception
def hidden_over_the_batch(scores: Tensor, lengths: Tensor) -> Tensor:
    """The softmax runs over the sentences: its columns sum to 1. Let it run over the places of each
    sentence, the last axis.
    """
    return torch.softmax(scores.masked_fill(hidden_places(scores, lengths), -math.inf), dim=0)


@masked.misconception
def one_place_too_many(scores: Tensor, lengths: Tensor) -> Tensor:
    """One padding place gets through. Places are counted from 0: a sentence of 2 words has the
    places 0 and 1, and place 2 is hidden.
    """
    return torch.softmax(scores.masked_fill(hidden_places(scores, lengths + 1), -math.inf), dim=-1)


@masked.misconception
def one_place_too_few(scores: Tensor, lengths: Tensor) -> Tensor:
    """The last word of each sentence is hidden, too. Places are counted from 0: a sentence of 2
    words has the places 0 and 1, and the first hidden one is 2.
    """
    return torch.softmax(scores.masked_fill(hidden_places(scores, lengths - 1), -math.inf), dim=-1)


@masked.misconception
def nothing_but_nan(scores: Tensor, lengths: Tensor) -> Tensor:
    """Whole rows are NaN. Did you hide the words as well? Or multiply by -inf? 0 · -inf is NaN, not
    0: choose between score and -inf, with `masked_fill` or `torch.where`.
    """
    return torch.softmax(scores + hidden_places(scores, lengths) * -math.inf, dim=-1)


@masked.misconception
def words_hidden(scores: Tensor, lengths: Tensor) -> Tensor:
    """You hid the words and kept the padding: the comparison is the wrong way round. Where nothing
    is left, the result is NaN.
    """
    return torch.softmax(scores.masked_fill(~hidden_places(scores, lengths), -math.inf), dim=-1)


@masked.misconception
def renormalised(scores: Tensor, lengths: Tensor) -> Tensor:
    """Setting weights to 0 and dividing by what is left works, until the padding's score is so
    large that nothing is left: 0 / 0 is NaN. Hide the scores before the softmax.
    """
    kept = torch.softmax(scores, dim=-1).masked_fill(hidden_places(scores, lengths), 0.0)
    return kept / kept.sum(dim=-1, keepdim=True)


@masked.misconception
def not_small_enough(scores: Tensor, lengths: Tensor) -> Tensor:
    """You gave padding a low score, but not low enough: it keeps a little weight, and where all
    scores are lower it gets everything. Use -inf.
    """
    return torch.softmax(scores.masked_fill(hidden_places(scores, lengths), -10.0), dim=-1)


@masked.misconception
def minus_one_hundred(scores: Tensor, lengths: Tensor) -> Tensor:
    """The score that you gave to padding hides it only while the words score higher. Where all
    their scores are lower, it gets everything: use -inf.
    """
    return torch.softmax(scores.masked_fill(hidden_places(scores, lengths), -100.0), dim=-1)


@masked.misconception
def first_sentence_length(scores: Tensor, lengths: Tensor) -> Tensor:
    """Every sentence was cut at the length of the first one. Compare places and lengths as a row
    and a column: (batch, 1) against (source,).
    """
    return torch.softmax(scores.masked_fill(hidden_places(scores, lengths[:1]), -math.inf), dim=-1)


@masked.misconception
def longest_sentence_length(scores: Tensor, lengths: Tensor) -> Tensor:
    """Every sentence was cut at the length of the longest one, so that shorter ones keep padding.
    Compare places and lengths as a row and a column: (source,) against (batch, 1).
    """
    longest = lengths.max().expand_as(lengths)
    return torch.softmax(scores.masked_fill(hidden_places(scores, longest), -math.inf), dim=-1)


@masked.misconception
def exponentials_by_hand(scores: Tensor, lengths: Tensor) -> Tensor:
    """Your own exponentials overflow, or all become 0: then the division gives NaN. Subtract the
    largest score of the words first, or use `torch.softmax`.
    """
    exponentials = scores.masked_fill(hidden_places(scores, lengths), -math.inf).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@masked.misconception
def exponentials_times_the_table(scores: Tensor, lengths: Tensor) -> Tensor:
    """Your own exponentials overflow, and multiplying by 0 does not undo it: inf · 0 is NaN. Or all
    become 0, and 0 / 0 is NaN. Hide the scores first, then use `torch.softmax`.
    """
    exponentials = scores.exp() * ~hidden_places(scores, lengths)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@masked.misconception
def written_into(scores: Tensor, lengths: Tensor) -> Tensor:
    """The numbers are right, but `masked_fill_` and assignments change the tensor that the caller
    handed in. `masked_fill`, without the last underscore, makes a new one.
    """
    scores.masked_fill_(hidden_places(scores, lengths), -math.inf)
    return torch.softmax(scores, dim=-1)


@masked.misconception
def lengths_as_a_row(scores: Tensor, lengths: Tensor) -> Tensor:
    """Your comparison puts the lengths beside the places, as one row. Make a column of them,
    `lengths[:, None]`: then each sentence is compared with its own length.
    """
    return torch.softmax(
        scores.masked_fill(torch.arange(scores.shape[-1]) >= lengths, -math.inf), dim=-1
    )


@masked.accepts
def masked_in_a_loop(scores: Tensor, lengths: Tensor) -> Tensor:
    """A loop over the sentences."""
    weights = torch.zeros_like(scores)
    for i, length in enumerate(lengths.tolist()):
        weights[i, :length] = torch.softmax(scores[i, :length], dim=0)
    return weights


@masked.accepts
def masked_by_adding(scores: Tensor, lengths: Tensor) -> Tensor:
    """A bias of -inf, added."""
    bias = torch.zeros_like(scores)
    bias[torch.arange(scores.shape[1]).expand_as(scores) >= lengths.unsqueeze(1)] = -math.inf
    return (scores.where(bias == 0, bias)).softmax(dim=1)


@masked.accepts
def masked_by_exponentials(scores: Tensor, lengths: Tensor) -> Tensor:
    """Exponentials, written out."""
    is_word = torch.arange(scores.shape[1])[None] < lengths[:, None]
    largest = torch.where(is_word, scores, -math.inf).amax(dim=1, keepdim=True)
    exponentials = torch.where(is_word, scores - largest, -math.inf).exp()
    return exponentials / exponentials.sum(dim=1, keepdim=True)


# --- context -------------------------------------------------------------------------------------

context = Exam(reference.context_vector)


@context.example
def two_mixtures() -> Pair:
    """two sentences of four words"""
    return tensor([0.1, 0.2, 0.3, 0.4], [0.7, 0.3, 0.0, 0.0]), BATCH


@context.example
def square_mixtures() -> Pair:
    """as many sentences as words"""
    return tensor([0.9, 0.1], [0.25, 0.75]), BATCH[:, :2]


@context.example
def lone_mixture() -> Pair:
    """a batch of one sentence"""
    return tensor([0.1, 0.2, 0.3, 0.4]), BATCH[:1]


@context.case
def any_mixture(draw: Draw) -> Pair:
    """weights and annotations drawn at random"""
    return torch.from_numpy(draw.weights("batch source")), draw.tensor("batch source key_dim")


@context.case(times=1)
def one_sentence(draw: Draw) -> Pair:
    """a batch of one sentence"""
    draw.fix(batch=1)
    return torch.from_numpy(draw.weights("batch source")), draw.tensor("batch source key_dim")


@context.case(times=1)
def one_word(draw: Draw) -> Pair:
    """sentences of one word"""
    draw.fix(source=1)
    return torch.from_numpy(draw.weights("batch source")), draw.tensor("batch source key_dim")


@context.misconception
def every_pair_of_sentences(weights: Tensor, annotations: Tensor) -> Tensor:
    """`weights @ annotations` mixes every sentence by the weights of every sentence. Each needs its
    own only: multiply with an axis added, then sum, or use `torch.bmm`.
    """
    return weights @ annotations


@context.misconception
def axis_of_one_left(weights: Tensor, annotations: Tensor) -> Tensor:
    """The result still has an axis of length 1, from the matrix product: remove it with
    `squeeze(1)`.
    """
    return torch.bmm(weights.unsqueeze(1), annotations)


@context.misconception
def every_axis_squeezed(weights: Tensor, annotations: Tensor) -> Tensor:
    """`squeeze()` removes every axis of length 1, and in a batch of one sentence also the batch.
    Say which axis: `squeeze(1)`.
    """
    return torch.bmm(weights.unsqueeze(1), annotations).squeeze()


@context.misconception
def weights_without_axis(weights: Tensor, annotations: Tensor) -> Tensor:
    """(batch, source) does not fit (batch, source, key_dim): give the weights a last axis, with
    `unsqueeze(-1)`.
    """
    return (weights * annotations).sum(dim=1)


@context.misconception
def unsummed(weights: Tensor, annotations: Tensor) -> Tensor:
    """These are the weighted annotations, one by one. Add up those of a sentence."""
    return weights.unsqueeze(-1) * annotations


@context.misconception
def summed_over_the_batch(weights: Tensor, annotations: Tensor) -> Tensor:
    """You added up over the sentences. Add up over the words of each, axis 1."""
    return (weights.unsqueeze(-1) * annotations).sum(dim=0)


@context.misconception
def summed_over_the_features(weights: Tensor, annotations: Tensor) -> Tensor:
    """You added up the numbers of each annotation. Add up over the words, axis 1."""
    return (weights.unsqueeze(-1) * annotations).sum(dim=-1)


@context.misconception
def unweighted(weights: Tensor, annotations: Tensor) -> Tensor:
    """This is the plain average of the annotations. Let each count by its weight."""
    return annotations.mean(dim=1)


@context.misconception
def softmax_again(weights: Tensor, annotations: Tensor) -> Tensor:
    """You took the softmax of the weights. They have been through one already: use them as they
    are.
    """
    return (torch.softmax(weights, dim=-1).unsqueeze(-1) * annotations).sum(dim=1)


@context.misconception
def average_of_products(weights: Tensor, annotations: Tensor) -> Tensor:
    """You also divided by the number of words. The weights sum to 1 already: the weighted sum is an
    average.
    """
    return (weights.unsqueeze(-1) * annotations).mean(dim=1)


@context.misconception
def hard_choice(weights: Tensor, annotations: Tensor) -> Tensor:
    """This is the annotation with the largest weight alone, which is hard attention. Soft attention
    mixes all of them.
    """
    return annotations[torch.arange(len(weights)), weights.argmax(dim=1)]


@context.misconception
def first_weights_for_all(weights: Tensor, annotations: Tensor) -> Tensor:
    """Every sentence was mixed by the weights of the first one."""
    return (weights[0].unsqueeze(-1) * annotations).sum(dim=1)


@context.misconception
def all_sentences_in_one(weights: Tensor, annotations: Tensor) -> Tensor:
    """The sentences were added up, too: this is one vector for the whole batch. Keep the batch
    axis.
    """
    return torch.einsum("bs,bsd->d", weights, annotations)


@context.accepts
def context_by_bmm(weights: Tensor, annotations: Tensor) -> Tensor:
    """Batched matrix products."""
    return torch.bmm(weights[:, None, :], annotations)[:, 0]


@context.accepts
def context_by_einsum(weights: Tensor, annotations: Tensor) -> Tensor:
    """An index expression."""
    return torch.einsum("bs,bsd->bd", weights, annotations)


@context.accepts
def context_in_a_loop(weights: Tensor, annotations: Tensor) -> Tensor:
    """A loop over the sentences."""
    return torch.stack([w @ sentence for w, sentence in zip(weights, annotations, strict=True)])


# --- the module ----------------------------------------------------------------------------------

Settings = dict[str, int]
Module = tuple[Settings, dict[str, Tensor], tuple[Tensor, ...]]

attention = Exam(reference.AdditiveAttention, use=run_module)


@attention.example
def two_sentences_attended() -> Module:
    """two sentences, of four words and of two"""
    settings = {"query_dim": 2, "key_dim": 3, "hidden_dim": 4}
    weights = {"W_query": W_QUERY, "W_key": W_KEY, "v": V[:, None]}
    return settings, weights, (torch.stack([STATE, -STATE]), BATCH, LENGTHS)


@attention.example
def one_sentence_attended() -> Module:
    """a batch of one sentence"""
    settings: Settings = {"query_dim": 2, "key_dim": 3, "hidden_dim": 4}
    weights = {"W_query": W_QUERY, "W_key": W_KEY, "v": V[:, None]}
    return settings, weights, (STATE[None], BATCH[:1], LENGTHS[:1])


@attention.example
def one_word_attended() -> Module:
    """two sentences of one word"""
    settings: Settings = {"query_dim": 2, "key_dim": 3, "hidden_dim": 4}
    weights = {"W_query": W_QUERY, "W_key": W_KEY, "v": V[:, None]}
    return settings, weights, (torch.stack([STATE, -STATE]), BATCH[:, :1], torch.tensor([1, 1]))


@attention.example
def square_everywhere() -> Module:
    """three sentences of three words, all widths 3"""
    settings = {"query_dim": 3, "key_dim": 3, "hidden_dim": 3}
    weights = {"W_query": WORDS, "W_key": W_KEY[:, :3], "v": V[:3, None]}
    annotations = torch.stack([WORDS, WORDS.flip(0), -WORDS])
    return settings, weights, (WORDS.flip(1), annotations, torch.tensor([3, 2, 1]))


def module_arguments(draw: Draw, scale: float = 1.0) -> Module:
    """Settings, weights and inputs of sizes that differ."""
    inputs = (
        draw.tensor("batch query_dim", scale),
        draw.tensor("batch source key_dim", scale),
        draw_lengths(draw),
    )
    settings = {name: draw.size(name) for name in ("query_dim", "key_dim", "hidden_dim")}
    weights = {
        "W_query": draw.tensor("query_dim hidden_dim"),
        "W_key": draw.tensor("key_dim hidden_dim"),
        "v": draw.tensor("hidden_dim")[:, None],
    }
    return settings, weights, inputs


@attention.case(times=2)
def drawn_module(draw: Draw) -> Module:
    """sentences drawn at random"""
    return module_arguments(draw)


@attention.case(times=1)
def all_widths_alike(draw: Draw) -> Module:
    """all widths alike"""
    return module_arguments(draw.fix(query_dim=4, key_dim=4, hidden_dim=4))


@attention.case(times=1)
def lone_sentence(draw: Draw) -> Module:
    """a batch of one sentence"""
    return module_arguments(draw.fix(batch=1))


@attention.case(times=1)
def lone_word(draw: Draw) -> Module:
    """sentences of one word"""
    return module_arguments(draw.fix(source=1))


@attention.case(times=1)
def strong_annotations(draw: Draw) -> Module:
    """annotations thirty times as large"""
    return module_arguments(draw, scale=30)


class _Wrong(reference.AdditiveAttention):
    """The parts of the module, each of which may be wrong."""

    def hidden(self, query: Tensor, annotations: Tensor) -> Tensor:
        return torch.tanh(self.W_query(query).unsqueeze(1) + self.W_key(annotations))

    def rate(self, query: Tensor, annotations: Tensor) -> Tensor:
        return self.v(self.hidden(query, annotations)).squeeze(-1)

    def weigh(self, scores: Tensor, lengths: Tensor) -> Tensor:
        return torch.softmax(scores.masked_fill(hidden_places(scores, lengths), -math.inf), dim=-1)

    def mix(self, weights: Tensor, annotations: Tensor) -> Tensor:
        return torch.bmm(weights.unsqueeze(1), annotations).squeeze(1)

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        weights = self.weigh(self.rate(query, annotations), lengths)
        return self.mix(weights, annotations), weights


@attention.misconception
class LengthsUnused(_Wrong):
    """The padding gets weights, too. Hide the places from `lengths` on before the softmax, in each
    sentence from its own length on.
    """

    def weigh(self, scores: Tensor, lengths: Tensor) -> Tensor:
        return torch.softmax(scores, dim=-1)


@attention.misconception
class TanhDropped(_Wrong):
    """The tanh is missing, and with it the query: without a tanh it adds the same to every score,
    and the weights stay as they are. Its gradient is zero.
    """

    def hidden(self, query: Tensor, annotations: Tensor) -> Tensor:
        return self.W_query(query).unsqueeze(1) + self.W_key(annotations)


@attention.misconception
class SoftmaxOverTheBatch(_Wrong):
    """The softmax runs over the sentences. It should run over the places of each, the last axis."""

    def weigh(self, scores: Tensor, lengths: Tensor) -> Tensor:
        return torch.softmax(scores.masked_fill(hidden_places(scores, lengths), -math.inf), dim=0)


@attention.misconception
class SoftmaxOverOneScore(_Wrong):
    """All your weights are 1. After `v` the scores have a last axis of length 1, and a softmax over
    a single number is 1: remove that axis first, or take the one before.
    """

    def weigh(self, scores: Tensor, lengths: Tensor) -> Tensor:
        return torch.softmax(scores.unsqueeze(-1), dim=-1).squeeze(-1)


@attention.misconception
class ScoresWithAnAxis(_Wrong):
    """After `v` the scores have the shape (batch, source, 1), and the table of padding does not
    fit. Remove the last axis first: `squeeze(-1)`.
    """

    def rate(self, query: Tensor, annotations: Tensor) -> Tensor:
        return self.v(self.hidden(query, annotations))


@attention.misconception
class SoftmaxOverTheLastAxis(_Wrong):
    """After `v` the scores have a last axis of length 1, and your softmax runs over it: each word
    gets 1, and padding NaN. Remove that axis first: `squeeze(-1)`.
    """

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        scores = self.v(self.hidden(query, annotations))
        is_padding = hidden_places(annotations[..., 0], lengths).unsqueeze(-1)
        weights = torch.softmax(scores.masked_fill(is_padding, -math.inf), dim=-1)
        return (weights * annotations).sum(dim=1), weights.squeeze(-1)


@attention.misconception
class ScoresSqueezed(_Wrong):
    """`squeeze()` removes every axis of length 1 from the scores, and in sentences of one word also
    that of the words. Say which axis: `squeeze(-1)`.
    """

    def rate(self, query: Tensor, annotations: Tensor) -> Tensor:
        return self.v(self.hidden(query, annotations)).squeeze()


@attention.misconception
class ScoresSqueezedAndBroadcast(_Wrong):
    """`squeeze()` removes every axis of length 1 from the scores, and in sentences of one word also
    that of the words, which the table of padding then spreads over the batch. Say which axis:
    `squeeze(-1)`.
    """

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        scores = self.v(self.hidden(query, annotations)).squeeze()
        is_padding = hidden_places(annotations[..., 0], lengths)
        weights = torch.softmax(scores.masked_fill(is_padding, -math.inf), dim=-1)
        return (weights.unsqueeze(-1) * annotations).sum(dim=1), weights


@attention.misconception
class WeightsWithAnAxisBehind(_Wrong):
    """The context is right. Your weights have a last axis of length 1, which came from `v`: they
    should be (batch, source).
    """

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        context, weights = super().forward(query, annotations, lengths)
        return context, weights.unsqueeze(-1)


@attention.misconception
class WeightsWithAnAxisBetween(_Wrong):
    """The context is right. Your weights have an axis of length 1 in the middle, which the matrix
    product needed: they should be (batch, source).
    """

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        context, weights = super().forward(query, annotations, lengths)
        return context, weights.unsqueeze(1)


@attention.misconception
class ContextSqueezed(_Wrong):
    """`squeeze()` removes every axis of length 1 from the context, and in a batch of one sentence
    also the batch. Say which axis: `squeeze(1)`.
    """

    def mix(self, weights: Tensor, annotations: Tensor) -> Tensor:
        return torch.bmm(weights.unsqueeze(1), annotations).squeeze()


@attention.misconception
class ContextOfProjectedKeys(_Wrong):
    """You mixed the projected annotations. `W_key` is for comparing alone; the context is made of
    the annotations as they came.
    """

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        weights = self.weigh(self.rate(query, annotations), lengths)
        return self.mix(weights, self.W_key(annotations)), weights


@attention.misconception
class QueryWithoutAxis(_Wrong):
    """The queries have no axis for the words: (batch, hidden) meets (batch, source, hidden). This
    fails, or, with as many sentences as words, adds query i to word i. Use `unsqueeze(1)`.
    """

    def hidden(self, query: Tensor, annotations: Tensor) -> Tensor:
        return torch.tanh(self.W_query(query) + self.W_key(annotations))


@attention.misconception
class BatchSecond(_Wrong):
    """You took the annotations for (source, batch, key_dim). The batch comes first here."""

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        turned = annotations.transpose(0, 1)
        weights = self.weigh(self.rate(query, turned), lengths)
        return self.mix(weights, turned), weights


@attention.misconception
class ZeroedAfterwards(_Wrong):
    """Your weights no longer sum to 1: padding was set to 0 after the softmax. Hide the scores
    before it.
    """

    def weigh(self, scores: Tensor, lengths: Tensor) -> Tensor:
        return torch.softmax(scores, dim=-1).masked_fill(hidden_places(scores, lengths), 0.0)


@attention.misconception
class SwappedOutputs(_Wrong):
    """The two results are in the wrong order: the context comes first, then the weights."""

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        context, weights = super().forward(query, annotations, lengths)
        return weights, context


@attention.misconception
class ContextAlone(_Wrong):
    """This is the context alone. Return two results, the context and the weights."""

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        return super().forward(query, annotations, lengths)[0]  # type: ignore[return-value]


@attention.misconception
class ContextWithAnAxis(_Wrong):
    """The context still has an axis of length 1, from the matrix product: remove it with
    `squeeze(1)`.
    """

    def mix(self, weights: Tensor, annotations: Tensor) -> Tensor:
        return torch.bmm(weights.unsqueeze(1), annotations)


@attention.misconception
class ContextAloneWithAnAxis(_Wrong):
    """Two things are missing: the context still has an axis of length 1, remove it with
    `squeeze(1)`; and return the weights beside it.
    """

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        weights = self.weigh(self.rate(query, annotations), lengths)
        return torch.bmm(weights.unsqueeze(1), annotations)  # type: ignore[return-value]


@attention.misconception
class Detached(_Wrong):
    """The numbers are right, but no gradient comes back: `detach`, `.data`, `.item()` or `no_grad`
    cut the module off, and it would never learn.
    """

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        context, weights = super().forward(query, annotations, lengths)
        return context.detach(), weights.detach()


@attention.misconception
class WithBiases(_Wrong):
    """Your layers have a bias, which nn.Linear gives you unless told otherwise. This attention has
    none: `bias=False`.
    """

    def __init__(self, query_dim: int, key_dim: int, hidden_dim: int) -> None:
        super().__init__(query_dim, key_dim, hidden_dim)
        self.W_query = nn.Linear(query_dim, hidden_dim)
        self.W_key = nn.Linear(key_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, 1)


@attention.accepts
class WithParameters(nn.Module):
    """Matrices as nn.Parameter."""

    def __init__(self, query_dim: int, key_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(query_dim, hidden_dim))
        self.W_key = nn.Parameter(torch.rand(key_dim, hidden_dim))
        self.v = nn.Parameter(torch.rand(hidden_dim, 1))

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        hidden = torch.tanh((query @ self.W_query)[:, None] + annotations @ self.W_key)
        scores = (hidden @ self.v)[..., 0]
        outside = torch.arange(scores.shape[1]) >= lengths.unsqueeze(1)
        scores[outside] = float("-inf")
        weights = scores.softmax(dim=1)
        return (weights[..., None] * annotations).sum(1), weights


@attention.accepts
class SentenceBySentence(nn.Module):
    """A loop over the sentences."""

    def __init__(self, query_dim: int, key_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.W_query = nn.Linear(query_dim, hidden_dim, bias=False)
        self.W_key = nn.Linear(key_dim, hidden_dim, bias=False)
        self.v = nn.Linear(hidden_dim, 1, bias=False)

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        contexts, every = [], []
        for q, sentence, length in zip(query, annotations, lengths, strict=True):
            words = sentence[:length]
            scores = self.v(torch.tanh(self.W_query(q) + self.W_key(words)))[:, 0]
            weights = torch.softmax(scores, dim=0)
            contexts.append(weights @ words)
            every.append(torch.cat([weights, weights.new_zeros(len(sentence) - len(words))]))
        return torch.stack(contexts), torch.stack(every)


@attention.accepts
class ByEinsum(nn.Module):
    """Index expressions, mixed kinds of parameters."""

    def __init__(self, query_dim: int, key_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(query_dim, hidden_dim))
        self.W_key = nn.Linear(key_dim, hidden_dim, bias=False)
        self.v = nn.Parameter(torch.rand(hidden_dim, 1))

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        asked = torch.einsum("bq,qh->bh", query, self.W_query).unsqueeze(1)
        scores = torch.einsum("bsh,ho->bs", torch.tanh(asked + self.W_key(annotations)), self.v)
        is_word = torch.arange(scores.shape[1]) < lengths[:, None]
        weights = torch.softmax(torch.where(is_word, scores, -math.inf), dim=-1)
        return torch.einsum("bs,bsd->bd", weights, annotations), weights


# --- write the test ------------------------------------------------------------------------------

Attention = Callable[[Tensor, Tensor, Tensor], Pair]
Trial = tuple[Attention, Tensor, Tensor, Tensor]

blind = Exam(reference.is_blind_to_padding, dtypes=("float64",))

QUERIES = tensor([0.5, -1.0, 0.3], [-0.2, 0.8, 0.4])


def _tried_on(specimen: Attention, lengths: tuple[int, int], padding: float) -> Callable[[], Trial]:
    def trial() -> Trial:
        words = torch.stack([BATCH[0], BATCH[1].clone()])
        sizes = torch.tensor(lengths)
        words[hidden_places(words[..., 0], sizes)] = padding
        return specimen, QUERIES, words, sizes

    named = getattr(specimen, "__name__", "")
    trial.__doc__ = f"{named}, {lengths[0]} and {lengths[1]} words, padded with {padding:g}"
    return trial


for specimen in (
    padding.masked_attention,
    padding.average_of_words,
    padding.unmasked_attention,
    padding.one_too_far,
    padding.first_length_for_all,
    padding.zeroed_padding,
    padding.centred_attention,
    padding.average_of_everything,
    padding.misreported_weights,
):
    blind.example(_tried_on(specimen, (3, 2), 0.0))
blind.example(_tried_on(padding.unmasked_attention, (3, 2), 1.0))
blind.example(_tried_on(padding.unmasked_attention, (4, 3), 7.0))
blind.example(_tried_on(padding.masked_attention, (4, 4), 0.0))
blind.example(_tried_on(padding.last_place_too, (2, 2), 0.0))


def last_word(query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
    """Only the last true word counts: blind to padding."""
    weights = torch.eye(annotations.shape[1], dtype=annotations.dtype)[lengths - 1]
    return torch.einsum("bs,bsd->bd", weights, annotations), weights


def by_cosines(query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
    """A softmax of cosines, rounded differently each time: blind to padding."""
    asked = query / query.norm(dim=-1, keepdim=True)
    keys = annotations / annotations.norm(dim=-1, keepdim=True)
    # What is added is lost again in the softmax, but for its last bits.
    scores = torch.einsum("bd,bsd->bs", asked, keys) + annotations.sum() / 1000
    scores = scores.masked_fill(hidden_places(scores, lengths), -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("bs,bsd->bd", weights, annotations), weights


def only_the_last_sentence(query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
    """The last sentence alone is not masked: not blind."""
    known = lengths.clone()
    known[-1] = annotations.shape[1]
    return padding.masked_attention(query, annotations, known)


def faintly(query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
    """The padding keeps a thousandth of its weight: not blind."""
    right, with_padding = (
        f(query, annotations, lengths)
        for f in (padding.masked_attention, padding.unmasked_attention)
    )
    mixed = [0.999 * one + 0.001 * other for one, other in zip(right, with_padding, strict=True)]
    return mixed[0], mixed[1]


def weights_of_another_mask(query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
    """The context is right, the weights it hands out are not: not blind."""
    context, _ = padding.masked_attention(query, annotations, lengths)
    return context, padding.unmasked_attention(query, annotations, lengths)[1]


def _trial(specimen: Attention) -> Callable[[Draw], Trial]:
    def trial(draw: Draw) -> Trial:
        draw.fix(batch=3, source=6)
        words = draw.tensor("batch source d")
        return specimen, draw.tensor("batch d"), words, torch.tensor([5, 2, 4])

    trial.__doc__ = f"{specimen.__doc__}".partition(":")[0].lower()
    return trial


for tried in (
    last_word,
    by_cosines,
    only_the_last_sentence,
    faintly,
    weights_of_another_mask,
):
    blind.case(_trial(tried))


def both_alike(one: Pair, other: Pair) -> bool:
    """Whether contexts and weights agree."""
    return all(torch.allclose(a, b) for a, b in zip(one, other, strict=True))


@blind.misconception
def nothing_changed(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """Your test passes every attention. Both calls seem to get the same padding: put other numbers
    there for one of them.
    """
    return both_alike(
        attention(query, annotations, lengths), attention(query, annotations, lengths)
    )


@blind.misconception
def padding_zeroed(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """Your change leaves zeros as they are: you set the padding to 0, or multiplied it. Add
    something to what is there.
    """
    changed = annotations.masked_fill(hidden_places(annotations[..., 0], lengths)[..., None], 0.0)
    return both_alike(attention(query, annotations, lengths), attention(query, changed, lengths))


@blind.misconception
def padding_set_to_one(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """You set the padding to 1, but in some of these sentences that number stands there already:
    then nothing changes. Add something to what is there.
    """
    changed = annotations.masked_fill(hidden_places(annotations[..., 0], lengths)[..., None], 1.0)
    return both_alike(attention(query, annotations, lengths), attention(query, changed, lengths))


@blind.misconception
def padding_set_to_seven(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """You set the padding to 7, but in some of these sentences that number stands there already:
    then nothing changes. Add something to what is there.
    """
    changed = annotations.masked_fill(hidden_places(annotations[..., 0], lengths)[..., None], 7.0)
    return both_alike(attention(query, annotations, lengths), attention(query, changed, lengths))


@blind.misconception
def weights_compared(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """Your test is content when the weights agree. There are attentions where only the contexts
    change: both have to agree.
    """
    changed = annotations + 7 * hidden_places(annotations[..., 0], lengths)[..., None]
    return torch.allclose(
        attention(query, annotations, lengths)[1], attention(query, changed, lengths)[1]
    )


@blind.misconception
def contexts_compared(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """Your test is content when the contexts agree. There are attentions where only the weights
    change: both have to agree.
    """
    changed = annotations + 7 * hidden_places(annotations[..., 0], lengths)[..., None]
    return torch.allclose(
        attention(query, annotations, lengths)[0], attention(query, changed, lengths)[0]
    )


@blind.misconception
def poisoned(attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor) -> bool:
    """Your test passes no attention, as soon as there is padding: 0 · NaN is NaN, and so is
    0 · inf. Use a finite number.
    """
    places = hidden_places(annotations[..., 0], lengths)[..., None]
    changed = annotations.masked_fill(places, math.nan)
    return both_alike(attention(query, annotations, lengths), attention(query, changed, lengths))


@blind.misconception
def everything_changed(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """Your test passes no attention that looks at anything: the words were changed as well. Change
    the places from `lengths` on alone.
    """
    return both_alike(
        attention(query, annotations, lengths), attention(query, annotations + 1, lengths)
    )


@blind.misconception
def last_place_only(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """You changed the last place of every sentence. It is not padding in all of them, and not all
    of the padding in others.
    """
    changed = annotations.clone()
    changed[:, -1] += 7
    return both_alike(attention(query, annotations, lengths), attention(query, changed, lengths))


@blind.misconception
def words_changed(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """Your test passes no attention, not even those that are blind. Did you change the words, and
    keep the padding?
    """
    is_word = ~hidden_places(annotations[..., 0], lengths)
    changed = annotations + 7 * is_word[..., None]
    return both_alike(attention(query, annotations, lengths), attention(query, changed, lengths))


@blind.misconception
def answer_turned_round(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """Your answers are all the wrong way round: True is for an attention that does not notice the
    change.
    """
    changed = annotations + 7 * hidden_places(annotations[..., 0], lengths)[..., None]
    before = attention(query, annotations, lengths)
    return not both_alike(before, attention(query, changed, lengths))


@blind.misconception
def lengths_changed(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """You changed `lengths`, and so told the attention that padding are words. Leave them as they
    are, and change the numbers in the padding.
    """
    full = torch.full_like(lengths, annotations.shape[1])
    return both_alike(attention(query, annotations, lengths), attention(query, annotations, full))


@blind.misconception
def weights_are_zero(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """You only ask whether the weights of padding are 0. An attention can hand out such weights and
    still let the padding into its contexts: change the padding, and compare both.
    """
    _, weights = attention(query, annotations, lengths)
    return bool((weights[hidden_places(weights, lengths)] == 0).all())


@blind.misconception
def first_sentence_only(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """Your test misses an attention that goes wrong in the shorter sentence alone. Did you look at
    the first sentence only, or change only what lies behind the longest?
    """
    places = hidden_places(annotations[..., 0], lengths)[..., None]
    before = attention(query, annotations, lengths)
    after = attention(query, annotations + 7 * places, lengths)
    return both_alike((before[0][0], before[1][0]), (after[0][0], after[1][0]))


@blind.misconception
def one_too_late(attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor) -> bool:
    """You leave the first padding place as it is. A sentence of 2 words has the places 0 and 1;
    place 2 is padding.
    """
    places = hidden_places(annotations[..., 0], lengths + 1)[..., None]
    changed = annotations + 7 * places
    return both_alike(attention(query, annotations, lengths), attention(query, changed, lengths))


@blind.misconception
def first_padding_alone(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """An attention that looks at a later place of the padding, and not at the first, passes your
    test. Put other numbers into all of it.
    """
    is_first = hidden_places(annotations[..., 0], lengths) & ~hidden_places(
        annotations[..., 0], lengths + 1
    )
    changed = annotations + 7 * is_first[..., None]
    return both_alike(attention(query, annotations, lengths), attention(query, changed, lengths))


@blind.misconception
def caller_s_padding(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """You write into the annotations that you were given, and compare a result with itself. Change
    a copy: `annotations.clone()`, or `masked_fill` without the last underscore.
    """
    places = hidden_places(annotations[..., 0], lengths)[..., None]
    annotations += 7 * places
    return both_alike(
        attention(query, annotations, lengths), attention(query, annotations, lengths)
    )


@blind.misconception
def a_table_of_answers(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> Tensor:
    """This is an answer for every number. Say True or False once, for all of them together."""
    places = hidden_places(annotations[..., 0], lengths)[..., None]
    changed = annotations + 7 * places
    return torch.isclose(
        attention(query, annotations, lengths)[0], attention(query, changed, lengths)[0]
    )


@blind.accepts
def by_random_padding(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """Other numbers, drawn with a seed."""
    noise = 9 * torch.randn(
        annotations.shape, generator=torch.Generator().manual_seed(0), dtype=annotations.dtype
    )
    places = hidden_places(annotations[..., 0], lengths)[..., None]
    changed = torch.where(places, noise, annotations)
    return both_alike(attention(query, annotations, lengths), attention(query, changed, lengths))


@blind.accepts
def sentence_after_sentence(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """A loop that changes the padding."""
    changed = annotations.clone()
    for sentence, length in zip(changed, lengths.tolist(), strict=True):
        sentence[length:] += 50
    context, weights = attention(query, annotations, lengths)
    other_context, other_weights = attention(query, changed, lengths)
    gap = max(
        (context - other_context).abs().max().item(), (weights - other_weights).abs().max().item()
    )
    return gap < 1e-7


@blind.accepts
def by_scaling(attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor) -> bool:
    """The padding turned round and moved far away."""
    places = hidden_places(annotations[..., 0], lengths)[..., None]
    changed = annotations - 20 * places.to(annotations.dtype)
    return both_alike(attention(query, annotations, lengths), attention(query, changed, lengths))


# --- steps of a decoder --------------------------------------------------------------------------

Score = Callable[[Tensor, Tensor], Tensor]
Cell = Callable[[Tensor, Tensor], Tensor]

STATES = tensor([0.4, -0.6], [-0.9, 0.2])
LAST_WORDS = tensor([1.0, 0.5, -0.5, 0.2], [-0.3, 0.8, 0.6, -1.0])


def mixture(score: Score, state: Tensor, annotations: Tensor) -> Pair:
    """The context of a state, and the weights that made it."""
    weights = torch.softmax(score(state, annotations), dim=-1)
    return (weights.unsqueeze(-1) * annotations).sum(dim=1), weights


bahdanau = Exam(reference.bahdanau_step, returns=("state", "context", "weights"))

BahdanauInputs = tuple[Tensor, Tensor, Tensor, Score, Cell]


@bahdanau.example
def second_word_is_written() -> BahdanauInputs:
    """two decoders write their second word"""
    return STATES, LAST_WORDS, BATCH[:, :3] / 4, plain_score, plain_cell


@bahdanau.example
def same_widths() -> BahdanauInputs:
    """a state, a word and annotations of the same width"""
    return (WORDS[:2] / 2, BATCH[:, 1] / 2, BATCH[:, :2], plain_score, plain_cell)


def step_arguments(draw: Draw) -> BahdanauInputs:
    """Arguments of sizes that differ."""
    return (
        draw.tensor("batch hidden"),
        draw.tensor("batch d_word"),
        draw.tensor("batch source key_dim"),
        plain_score,
        plain_cell,
    )


@bahdanau.case
def drawn_step(draw: Draw) -> BahdanauInputs:
    """states and words drawn at random"""
    return step_arguments(draw)


@bahdanau.case(times=1)
def one_decoder(draw: Draw) -> BahdanauInputs:
    """a batch of one sentence"""
    return step_arguments(draw.fix(batch=1))


@bahdanau.misconception
def cell_first(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """You scored with a state that the cell has moved on already. Bahdanau scores with the previous
    state, s_{t-1}, because the new one is only computed from the context.
    """
    nothing = torch.zeros_like(annotations[:, 0])
    early = cell(torch.cat([word, nothing], dim=-1), previous_state)
    context, weights = mixture(score, early, annotations)
    return cell(torch.cat([word, context], dim=-1), previous_state), context, weights


@bahdanau.misconception
def luong_order(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """This is Luong's order: the cell first, with the word alone, and attention afterwards. In
    Bahdanau's step the attention comes first, and its context goes into the cell.
    """
    state = cell(word, previous_state)
    return state, *mixture(score, state, annotations)


@bahdanau.misconception
def cell_without_context(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """The context is right, but the cell never sees it: its input is [word ; context]."""
    return cell(word, previous_state), *mixture(score, previous_state, annotations)


@bahdanau.misconception
def context_in_front(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """The cell's input is [word ; context], in this order. You put the context first."""
    context, weights = mixture(score, previous_state, annotations)
    return cell(torch.cat([context, word], dim=-1), previous_state), context, weights


@bahdanau.misconception
def cell_without_word(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """The cell got the context alone. It also needs the word that was written last."""
    context, weights = mixture(score, previous_state, annotations)
    return cell(context, previous_state), context, weights


@bahdanau.misconception
def scored_with_the_word(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """You scored with the word written last. The one who asks is the decoder's state."""
    context, weights = mixture(score, word, annotations)
    return cell(torch.cat([word, context], dim=-1), previous_state), context, weights


@bahdanau.misconception
def attends_to_its_own_word(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """Your attention looks at the decoder's own word: a single weight, which is always 1. Compare
    the state with the annotations, which come from the encoder, and mix those.
    """
    context, weights = mixture(score, previous_state, word.unsqueeze(1))
    return cell(torch.cat([word, context], dim=-1), previous_state), context, weights


@bahdanau.misconception
def scores_not_weights(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """The context was mixed by the scores. A softmax over the words makes weights of them."""
    weights = score(previous_state, annotations)
    context = (weights.unsqueeze(-1) * annotations).sum(dim=1)
    return cell(torch.cat([word, context], dim=-1), previous_state), context, weights


@bahdanau.misconception
def step_over_the_batch(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """The softmax runs over the sentences. It should run over the words of each, the last axis."""
    weights = torch.softmax(score(previous_state, annotations), dim=0)
    context = (weights.unsqueeze(-1) * annotations).sum(dim=1)
    return cell(torch.cat([word, context], dim=-1), previous_state), context, weights


@bahdanau.misconception
def attended_again(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """The state is right, but the context and the weights you return were made with the new state.
    Return those that the cell was given.
    """
    context, _ = mixture(score, previous_state, annotations)
    state = cell(torch.cat([word, context], dim=-1), previous_state)
    return state, *mixture(score, state, annotations)


@bahdanau.misconception
def previous_state_returned(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """You return the previous state. The first result is what the cell made of it."""
    return previous_state, *mixture(score, previous_state, annotations)


@bahdanau.misconception
def context_before_state(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """The first two results have changed places: the new state comes first, then the context."""
    state, context, weights = reference.bahdanau_step(
        previous_state, word, annotations, score, cell
    )
    return context, state, weights


@bahdanau.misconception
def weights_before_context(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """The last two results have changed places: the context comes before the weights."""
    state, context, weights = reference.bahdanau_step(
        previous_state, word, annotations, score, cell
    )
    return state, weights, context


@bahdanau.misconception
def arguments_of_the_cell_swapped(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """You called the cell with its arguments swapped: it is `cell(inputs, state)`."""
    context, weights = mixture(score, previous_state, annotations)
    return cell(previous_state, torch.cat([word, context], dim=-1)), context, weights


@bahdanau.accepts
def bahdanau_by_bmm(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """Batched matrix products."""
    weights = score(previous_state, annotations).softmax(dim=1)
    context = torch.bmm(weights.unsqueeze(1), annotations).squeeze(1)
    return cell(torch.hstack([word, context]), previous_state), context, weights


@bahdanau.accepts
def bahdanau_by_einsum(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """An index expression."""
    exponentials = torch.exp(score(previous_state, annotations))
    weights = exponentials / exponentials.sum(dim=1, keepdim=True)
    context = torch.einsum("bs,bsd->bd", weights, annotations)
    return cell(torch.cat((word, context), 1), previous_state), context, weights


@bahdanau.accepts
def bahdanau_in_a_loop(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """A loop over the sentences."""
    weights = torch.softmax(score(previous_state, annotations), dim=-1)
    context = torch.stack([w @ words for w, words in zip(weights, annotations, strict=True)])
    return cell(torch.cat([word, context], dim=-1), previous_state), context, weights


luong = Exam(reference.luong_step, returns=("state", "attentional state", "weights"))

LuongInputs = tuple[Tensor, Tensor, Tensor, Score, Cell, Tensor]


@luong.example
def luong_writes() -> LuongInputs:
    """two decoders write their second word"""
    W_context = torch.cat([W_KEY[:, :2], W_QUERY[:, 2:]])
    return STATES, LAST_WORDS, BATCH[:, :3] / 4, plain_score, plain_cell, W_context


@luong.example
def luong_same_widths() -> LuongInputs:
    """a state, a word and annotations of the same width"""
    W_context = torch.cat([W_KEY[:, :3], W_KEY[:, 1:]])
    return WORDS[:2] / 2, BATCH[:, 1] / 2, BATCH[:, :2], plain_score, plain_cell, W_context


def luong_arguments(draw: Draw) -> LuongInputs:
    """Arguments of sizes that differ."""
    W_context = torch.cat([draw.tensor("key_dim hidden"), draw.tensor("hidden hidden")])
    return (*step_arguments(draw), W_context)


@luong.case
def luong_drawn(draw: Draw) -> LuongInputs:
    """states and words drawn at random"""
    return luong_arguments(draw)


@luong.case(times=1)
def luong_alone(draw: Draw) -> LuongInputs:
    """a batch of one sentence"""
    return luong_arguments(draw.fix(batch=1))


@luong.misconception
def scored_with_the_previous_state(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """You scored with the previous state, as Bahdanau does. In Luong's step the cell comes first,
    and the new state asks.
    """
    state = cell(word, previous_state)
    context, weights = mixture(score, previous_state, annotations)
    return state, torch.tanh(torch.cat([context, state], dim=-1) @ W_context), weights


@luong.misconception
def bahdanau_order(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """The context went into the cell, as in Bahdanau's step. Luong's cell gets the word alone; the
    context joins its state afterwards.
    """
    context, weights = mixture(score, previous_state, annotations)
    state = cell(torch.cat([word, context], dim=-1), previous_state)
    return state, torch.tanh(torch.cat([context, state], dim=-1) @ W_context), weights


@luong.misconception
def state_in_front(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """The order is [context ; state]: the first rows of W_context belong to the context. You put
    the state first.
    """
    state = cell(word, previous_state)
    context, weights = mixture(score, state, annotations)
    return state, torch.tanh(torch.cat([state, context], dim=-1) @ W_context), weights


@luong.misconception
def attentional_without_tanh(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """The attentional state has a tanh around the product."""
    state = cell(word, previous_state)
    context, weights = mixture(score, state, annotations)
    return state, torch.cat([context, state], dim=-1) @ W_context, weights


@luong.misconception
def context_returned(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """Your second result is the context. Join it with the state, multiply by W_context, and take
    the tanh.
    """
    state = cell(word, previous_state)
    return state, *mixture(score, state, annotations)


@luong.misconception
def attentional_state_handed_on(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """Your first result is the attentional state. The cell goes on from its own state, h_t; the
    attentional one only predicts the word.
    """
    state = cell(word, previous_state)
    context, weights = mixture(score, state, annotations)
    attentional = torch.tanh(torch.cat([context, state], dim=-1) @ W_context)
    return attentional, attentional, weights


@luong.misconception
def luong_over_the_batch(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """The softmax runs over the sentences. It should run over the words of each, the last axis."""
    state = cell(word, previous_state)
    weights = torch.softmax(score(state, annotations), dim=0)
    context = (weights.unsqueeze(-1) * annotations).sum(dim=1)
    return state, torch.tanh(torch.cat([context, state], dim=-1) @ W_context), weights


@luong.misconception
def context_without_state(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """The attentional state was made with the previous state. The state beside the context is the
    new one.
    """
    state = cell(word, previous_state)
    context, weights = mixture(score, state, annotations)
    return state, torch.tanh(torch.cat([context, previous_state], dim=-1) @ W_context), weights


@luong.misconception
def states_swapped(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """The two states have changed places: the cell's new state comes first, then the attentional
    one.
    """
    state, attentional, weights = reference.luong_step(
        previous_state, word, annotations, score, cell, W_context
    )
    return attentional, state, weights


@luong.accepts
def luong_by_bmm(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """Batched matrix products."""
    state = cell(word, previous_state)
    weights = score(state, annotations).softmax(dim=1)
    context = torch.bmm(weights.unsqueeze(1), annotations).squeeze(1)
    return state, (torch.hstack([context, state]) @ W_context).tanh(), weights


@luong.accepts
def luong_in_two_products(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """W_context cut in two."""
    state = cell(word, previous_state)
    weights = torch.softmax(score(state, annotations), dim=-1)
    context = torch.einsum("bs,bsd->bd", weights, annotations)
    width = context.shape[1]
    return state, torch.tanh(context @ W_context[:width] + state @ W_context[width:]), weights


@luong.accepts
def luong_in_a_loop(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """A loop over the sentences."""
    state = cell(word, previous_state)
    weights = torch.softmax(score(state, annotations), dim=-1)
    context = torch.stack([w @ words for w, words in zip(weights, annotations, strict=True)])
    rows = [torch.cat(pair) @ W_context for pair in zip(context, state, strict=True)]
    return state, torch.tanh(torch.stack(rows)), weights


# --- Luong's scores ------------------------------------------------------------------------------

scores = Exam(reference.luong_score)

Scored = tuple[object, ...]


@scores.example
def dot_of_three() -> Scored:
    """dot: three keys as wide as the query"""
    return tensor(0.5, -1.0, 2.0), WORDS, "dot"


@scores.example
def general_of_three() -> Scored:
    """general: a query of two numbers, keys of three"""
    return STATE, WORDS, "general", W_KEY[:2, :3]


@scores.example
def general_square() -> Scored:
    """general: query and keys of two numbers each"""
    return STATE, WORDS[:, :2], "general", W_KEY[:2, :2]


@scores.example
def concat_of_three() -> Scored:
    """concat: a query of two numbers, keys of three"""
    return STATE, WORDS, "concat", torch.cat([W_QUERY, W_KEY]), V


@scores.example
def no_such_kind() -> Scored:
    """a kind that does not exist"""
    return STATE, WORDS[:, :2], "cosine"


@scores.case
def drawn_dot(draw: Draw) -> Scored:
    """dot, drawn at random"""
    return draw.tensor("d"), draw.tensor("source d"), "dot"


@scores.case
def drawn_general(draw: Draw) -> Scored:
    """general, drawn at random"""
    keys = draw.tensor("source key_dim")
    return draw.tensor("query_dim"), keys, "general", draw.tensor("query_dim key_dim")


@scores.case
def drawn_concat(draw: Draw) -> Scored:
    """concat, drawn at random"""
    query, keys, W, v = concat_arguments(draw)
    return query, keys, "concat", W, v


@scores.case(times=1)
def one_key_only(draw: Draw) -> Scored:
    """general, a single key"""
    keys = draw.fix(source=1).tensor("source key_dim")
    return draw.tensor("query_dim"), keys, "general", draw.tensor("query_dim key_dim")


def any_score(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """The right scores."""
    return reference.luong_score(query, keys, kind, W, v)


@scores.misconception
def general_transposed(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """For "general" you used W the other way round: key W query. The score is query W key, with W
    of (query_dim, key_dim).
    """
    if kind == "general" and W is not None:
        return keys @ W @ query
    return any_score(query, keys, kind, W, v)


@scores.misconception
def general_without_matrix(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """For "general" the matrix W is missing between query and key."""
    return any_score(query, keys, "dot" if kind == "general" else kind, W, v)


@scores.misconception
def dot_from_the_left(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """For "dot", `query @ keys` takes each column for a key. The keys are the rows: put them on the
    left.
    """
    return query @ keys if kind == "dot" else any_score(query, keys, kind, W, v)


@scores.misconception
def general_from_the_left(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """For "general", `query @ W @ keys` takes each column for a key. The keys are the rows: put
    them on the left of what query and W make.
    """
    if kind == "general" and W is not None:
        return query @ W @ keys
    return any_score(query, keys, kind, W, v)


@scores.misconception
def luong_key_in_front(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """For "concat" you put the key in front. The order is [query ; key]: the first rows of W belong
    to the query.
    """
    if kind == "concat" and W is not None and v is not None:
        pairs = torch.cat([keys, query.expand(len(keys), -1)], dim=-1)
        return torch.tanh(pairs @ W) @ v
    return any_score(query, keys, kind, W, v)


@scores.misconception
def luong_without_tanh(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """For "concat" the tanh is missing, and without it the query cancels in the softmax."""
    if kind == "concat" and W is not None and v is not None:
        return joined(query, keys) @ W @ v
    return any_score(query, keys, kind, W, v)


@scores.misconception
def luong_tanh_at_the_end(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """For "concat" you took the tanh of the score. Take it of the hidden layer, before v."""
    if kind == "concat" and W is not None and v is not None:
        return torch.tanh(joined(query, keys) @ W @ v)
    return any_score(query, keys, kind, W, v)


@scores.misconception
def luong_scaled(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """You divided by the square root of the width. That came two years later, in "Attention Is All
    You Need"; Luong's scores are not scaled.
    """
    return any_score(query, keys, kind, W, v) / math.sqrt(len(query))


@scores.misconception
def dot_scaled(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """You divided "dot" by the square root of the width. Luong's scores are not scaled; that came
    two years later.
    """
    scale = math.sqrt(len(query)) if kind == "dot" else 1
    return any_score(query, keys, kind, W, v) / scale


@scores.misconception
def concat_for_the_rest(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """An unknown kind falls through to "concat", as if that were the only one left. Ask for it by
    name, and raise a ValueError behind it.
    """
    if kind in ("dot", "general"):
        return any_score(query, keys, kind, W, v)
    return torch.tanh(joined(query, keys) @ W) @ v  # type: ignore[operator]


@scores.misconception
def luong_weights(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """These numbers have been through a softmax. Return the scores themselves."""
    return torch.softmax(any_score(query, keys, kind, W, v), dim=-1)


@scores.misconception
def dot_for_the_rest(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """An unknown kind got the scores of another. Raise a ValueError: a misspelt kind should not
    pass unnoticed.
    """
    return any_score(query, keys, kind if kind in ("general", "concat") else "dot", W, v)


@scores.misconception
def nothing_for_the_rest(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor | None:
    """An unknown kind got nothing at all. Raise a ValueError, which says what is wrong where it is
    wrong.
    """
    return any_score(query, keys, kind, W, v) if kind in ("dot", "general", "concat") else None


@scores.accepts
def luong_scores_in_a_loop(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """A loop over the keys."""
    if kind not in ("dot", "general", "concat"):
        raise ValueError(kind)
    if kind == "dot":
        return torch.stack([query.dot(key) for key in keys])
    assert W is not None
    if kind == "general":
        return torch.stack([query @ W @ key for key in keys])
    assert v is not None
    return torch.stack([torch.tanh(torch.cat([query, key]) @ W) @ v for key in keys])


@scores.accepts
def luong_by_einsum(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """Index expressions."""
    if kind == "dot":
        return torch.einsum("d,sd->s", query, keys)
    if kind == "general" and W is not None:
        return torch.einsum("q,qk,sk->s", query, W, keys)
    if kind == "concat" and W is not None and v is not None:
        width = len(query)
        return (query @ W[:width] + keys @ W[width:]).tanh() @ v
    raise ValueError("no such score")


@scores.accepts
def luong_by_a_match(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """A match statement."""
    match kind, W, v:
        case "dot", _, _:
            return (keys * query).sum(dim=-1)
        case "general", Tensor(), _:
            return (keys @ W.T) @ query
        case "concat", Tensor(), Tensor():
            return torch.tanh(joined(query, keys) @ W) @ v
        case _:
            raise ValueError(f"kind must be dot, general or concat, not {kind}")


# --- local attention -----------------------------------------------------------------------------

window = Exam(reference.local_window)

Window = tuple[float, int, int]


@window.example
def in_the_middle() -> Window:
    """a window inside of the sentence"""
    return 4.0, 10, 2


@window.example
def at_the_beginning() -> Window:
    """a window that begins before the sentence"""
    return 1.0, 8, 3


@window.example
def at_the_end() -> Window:
    """a window that ends behind the sentence"""
    return 6.0, 8, 3


@window.example
def between_two_words() -> Window:
    """a middle between two words"""
    return 3.7, 9, 2


@window.case(times=8)
def any_window(draw: Draw) -> Window:
    """windows drawn at random"""
    length = int(draw.rng.integers(4, 20))
    return float(draw.rng.uniform(0, length - 1)), length, int(draw.rng.integers(1, 5))


@window.case(times=2)
def whole_middle(draw: Draw) -> Window:
    """windows around a word"""
    length = int(draw.rng.integers(4, 20))
    return float(draw.rng.integers(0, length)), length, int(draw.rng.integers(1, 5))


@window.case(times=1)
def wider_than_all(draw: Draw) -> Window:
    """a window wider than the sentence"""
    return 1.5, 4, 10


@window.case(times=1)
def only_the_middle(draw: Draw) -> Window:
    """D = 0: only the middle itself"""
    return 2.0, 5, 0


@window.misconception
def end_left_out(p_t: float, length: int, D: int) -> Tensor:
    """The last place is missing. `range` and `arange` stop before their end: p_t + D belongs to the
    window.
    """
    first, last = math.ceil(max(p_t - D, 0)), math.floor(min(p_t + D, length - 1))
    return torch.arange(first, max(last, first))


@window.misconception
def end_without_plus_one(p_t: float, length: int, D: int) -> Tensor:
    """The last place is missing where the window ends inside of the sentence: `arange` stops before
    its end, so it needs p_t + D + 1.
    """
    first, end = math.ceil(max(p_t - D, 0)), min(math.floor(p_t + D), length)
    return torch.arange(first, max(end, first))


@window.misconception
def last_word_left_out(p_t: float, length: int, D: int) -> Tensor:
    """Where the window reaches the end of the sentence, its last word is missing: `arange` stops
    before its end, so that is length, not length - 1.
    """
    first, end = math.ceil(max(p_t - D, 0)), min(math.floor(p_t + D) + 1, length - 1)
    return torch.arange(first, max(end, first))


@window.misconception
def not_cut_at_the_left(p_t: float, length: int, D: int) -> Tensor:
    """There are places below 0. A sentence has none, and as an index they would count from its end:
    begin at 0 at the earliest.
    """
    return torch.arange(math.ceil(p_t - D), math.floor(min(p_t + D, length - 1)) + 1)


@window.misconception
def not_cut_at_the_right(p_t: float, length: int, D: int) -> Tensor:
    """There are places behind the end of the sentence: the last one is length - 1."""
    return torch.arange(math.ceil(max(p_t - D, 0)), math.floor(p_t + D) + 1)


@window.misconception
def not_cut_at_all(p_t: float, length: int, D: int) -> Tensor:
    """There are places before the beginning or behind the end of the sentence. Keep those from 0 to
    length - 1.
    """
    return torch.arange(math.ceil(p_t - D), math.floor(p_t + D) + 1)


@window.misconception
def one_behind_the_end(p_t: float, length: int, D: int) -> Tensor:
    """There is a place behind the end of the sentence. Places are counted from 0: the last one is
    length - 1.
    """
    first, last = math.ceil(max(p_t - D, 0)), math.floor(min(p_t + D, length))
    return torch.arange(first, last + 1)


@window.misconception
def rounded_down(p_t: float, length: int, D: int) -> Tensor:
    """You rounded p_t down first. It may lie between two words: keep it as it is, and keep the
    places within D of it.
    """
    places = torch.arange(length)
    return places[(places - int(p_t)).abs() <= D]


@window.misconception
def rounded_to_nearest(p_t: float, length: int, D: int) -> Tensor:
    """You rounded p_t first. It may lie between two words: keep it as it is, and keep the places
    within D of it.
    """
    places = torch.arange(length)
    return places[(places - round(p_t)).abs() <= D]


@window.misconception
def half_as_wide(p_t: float, length: int, D: int) -> Tensor:
    """Your window is D wide. D is its reach to each side, so that it holds up to 2D + 1 places."""
    places = torch.arange(length)
    return places[(places - p_t).abs() <= D / 2]


@window.misconception
def without_its_edges(p_t: float, length: int, D: int) -> Tensor:
    """The places at a distance of exactly D are missing: they belong to the window."""
    places = torch.arange(length)
    return places[(places - p_t).abs() < D]


@window.misconception
def as_a_table(p_t: float, length: int, D: int) -> Tensor:
    """This says of each place whether it is in the window. Return the places themselves."""
    return (torch.arange(length) - p_t).abs() <= D


@window.misconception
def as_a_column(p_t: float, length: int, D: int) -> Tensor:
    """The places are right, but in a column: `nonzero` makes a row for each find, and
    `torch.where(condition)` a tuple. Return one axis.
    """
    return torch.nonzero((torch.arange(length) - p_t).abs() <= D)


@window.misconception
def as_decimals(p_t: float, length: int, D: int) -> Tensor:
    """The places are right, but as decimal numbers, which can't be used as an index. Return whole
    numbers.
    """
    places = torch.arange(length)
    return places[(places - p_t).abs() <= D].to(torch.float32)


@window.accepts
def window_by_its_ends(p_t: float, length: int, D: int) -> Tensor:
    """The two ends, rounded inwards."""
    return torch.arange(max(0, math.ceil(p_t - D)), min(length - 1, math.floor(p_t + D)) + 1)


@window.accepts
def window_in_a_loop(p_t: float, length: int, D: int) -> Tensor:
    """A loop over the places."""
    return torch.tensor([s for s in range(length) if abs(s - p_t) <= D], dtype=torch.long)


@window.accepts
def window_by_nonzero(p_t: float, length: int, D: int) -> Tensor:
    """The indices where a condition holds."""
    s = torch.arange(length, dtype=torch.float64)
    return torch.nonzero((s >= p_t - D) & (s <= p_t + D)).flatten()


local = Exam(reference.local_weights)

Local = tuple[Tensor, float, int]
SEVEN_SCORES = tensor(0.5, -1.0, 1.5, 0.2, -0.3, 2.0, 0.8)


@local.example
def window_of_five() -> Local:
    """seven words, a window around place 3"""
    return SEVEN_SCORES, 3.0, 2


@local.example
def off_centre() -> Local:
    """seven words, the middle between two of them"""
    return SEVEN_SCORES, 1.4, 3


@local.case
def drawn_scores(draw: Draw) -> Local:
    """scores drawn at random"""
    source = int(draw.rng.integers(5, 12))
    values = torch.from_numpy(draw.rng.normal(size=source))
    return values, float(draw.rng.uniform(0, source - 1)), int(draw.rng.integers(1, 4))


@local.case(times=1)
def loud_outside(draw: Draw) -> Local:
    """scores of 1000 outside of the window"""
    return tensor(1000.0, 0.5, -0.5, 1.0, 1000.0), 2.0, 1


@local.case(times=1)
def all_inside(draw: Draw) -> Local:
    """a window wider than the sentence"""
    return draw.tensor("source"), 1.5, 9


def inside_softmax(scores: Tensor, p_t: float, D: int) -> Pair:
    """The softmax of the window, and the distances from its middle."""
    distances = torch.arange(len(scores), dtype=scores.dtype) - p_t
    return torch.softmax(scores.masked_fill(distances.abs() > D, -math.inf), dim=-1), distances


@local.misconception
def gaussian_forgotten(scores: Tensor, p_t: float, D: int) -> Tensor:
    """These are the weights of the window, all of it alike. Multiply by the Gaussian around p_t."""
    return inside_softmax(scores, p_t, D)[0]


@local.misconception
def made_to_sum_to_one(scores: Tensor, p_t: float, D: int) -> Tensor:
    """Your weights sum to 1. Luong's sum to less: the Gaussian stands outside of the softmax, and
    nothing divides by the sum after it.
    """
    weights = reference.local_weights(scores, p_t, D)
    return weights / weights.sum()


@local.misconception
def softmax_of_everything(scores: Tensor, p_t: float, D: int) -> Tensor:
    """Your softmax runs over the whole sentence and was cut afterwards. The words outside of the
    window must not count in its sum: hide their scores first.
    """
    distances = torch.arange(len(scores), dtype=scores.dtype) - p_t
    damped = torch.softmax(scores, dim=-1) * torch.exp(-2 * distances**2 / D**2)
    return damped.masked_fill(distances.abs() > D, 0.0)


@local.misconception
def no_window(scores: Tensor, p_t: float, D: int) -> Tensor:
    """Words outside of the window get weights. The Gaussian alone does not cut them off: hide the
    scores with |s - p_t| > D.
    """
    distances = torch.arange(len(scores), dtype=scores.dtype) - p_t
    return torch.softmax(scores, dim=-1) * torch.exp(-2 * distances**2 / D**2)


@local.misconception
def sigma_twice_as_large(scores: Tensor, p_t: float, D: int) -> Tensor:
    """Your Gaussian is too wide: σ is D / 2, not D."""
    weights, distances = inside_softmax(scores, p_t, D)
    return weights * torch.exp(-(distances**2) / (2 * D**2))


@local.misconception
def two_left_out(scores: Tensor, p_t: float, D: int) -> Tensor:
    """The 2 in 2 σ² is missing: your Gaussian is too narrow."""
    weights, distances = inside_softmax(scores, p_t, D)
    return weights * torch.exp(-(distances**2) / (D / 2) ** 2)


@local.misconception
def minus_missing(scores: Tensor, p_t: float, D: int) -> Tensor:
    """The minus sign is missing in the exponent: your weights grow away from the middle."""
    weights, distances = inside_softmax(scores, p_t, D)
    return weights * torch.exp(distances**2 / (2 * (D / 2) ** 2))


@local.misconception
def sigma_rounded_down(scores: Tensor, p_t: float, D: int) -> Tensor:
    """Your Gaussian is too narrow where D is odd: `//` rounds down, and σ is D / 2."""
    weights, distances = inside_softmax(scores, p_t, D)
    return weights * torch.exp(-(distances**2) / (2 * (D // 2) ** 2))


@local.misconception
def edges_hidden(scores: Tensor, p_t: float, D: int) -> Tensor:
    """The places at a distance of exactly D are hidden: they belong to the window."""
    _, distances = inside_softmax(scores, p_t, D)
    inside = torch.softmax(scores.masked_fill(distances.abs() >= D, -math.inf), dim=-1)
    return inside * torch.exp(-(distances**2) / (2 * (D / 2) ** 2))


@local.misconception
def middle_rounded(scores: Tensor, p_t: float, D: int) -> Tensor:
    """You rounded p_t first. It may lie between two words: measure the distances from it as it
    is.
    """
    return reference.local_weights(scores, round(p_t), D)


@local.misconception
def sigma_not_squared(scores: Tensor, p_t: float, D: int) -> Tensor:
    """σ is not squared: the exponent is divided by 2 σ²."""
    weights, distances = inside_softmax(scores, p_t, D)
    return weights * torch.exp(-(distances**2) / (2 * (D / 2)))


@local.misconception
def window_alone(scores: Tensor, p_t: float, D: int) -> Tensor:
    """These are the weights of the window alone. Return one for each word of the sentence, with 0
    outside of the window.
    """
    places = torch.arange(len(scores))
    return reference.local_weights(scores, p_t, D)[(places - p_t).abs() <= D]


@local.misconception
def distance_not_squared(scores: Tensor, p_t: float, D: int) -> Tensor:
    """The distance from p_t is not squared."""
    weights, distances = inside_softmax(scores, p_t, D)
    return weights * torch.exp(-distances.abs() / (2 * (D / 2) ** 2))


@local.misconception
def gaussian_on_scores(scores: Tensor, p_t: float, D: int) -> Tensor:
    """You multiplied the scores by the Gaussian. It damps the weights, after the softmax."""
    distances = torch.arange(len(scores), dtype=scores.dtype) - p_t
    damped = scores * torch.exp(-2 * distances**2 / D**2)
    return torch.softmax(damped.masked_fill(distances.abs() > D, -math.inf), dim=-1)


@local.misconception
def gaussian_alone(scores: Tensor, p_t: float, D: int) -> Tensor:
    """This is the Gaussian alone. Multiply it by the softmax of the window's scores."""
    _, distances = inside_softmax(scores, p_t, D)
    return torch.exp(-2 * distances**2 / D**2).masked_fill(distances.abs() > D, 0.0)


@local.accepts
def local_in_a_loop(scores: Tensor, p_t: float, D: int) -> Tensor:
    """A loop over the window."""
    places = [s for s in range(len(scores)) if abs(s - p_t) <= D]
    weights = torch.zeros_like(scores)
    weights[places] = torch.softmax(scores[places], dim=0)
    for s in places:
        weights[s] *= math.exp(-2 * (s - p_t) ** 2 / D**2)
    return weights


@local.accepts
def local_by_where(scores: Tensor, p_t: float, D: int) -> Tensor:
    """Conditions over the whole sentence."""
    s = torch.arange(len(scores)).to(scores)
    inside = (s - p_t).abs() <= D
    weights = torch.where(inside, scores, float("-inf")).softmax(0)
    return weights * torch.exp(-0.5 * ((s - p_t) / (D / 2)) ** 2)


@local.accepts
def local_with_scatter(scores: Tensor, p_t: float, D: int) -> Tensor:
    """The window cut out, and put back."""
    s = torch.arange(len(scores))
    places = s[(s - p_t).abs() <= D]
    sigma = D / 2
    damped = torch.softmax(scores[places], dim=0) * torch.exp(
        -((places.to(scores) - p_t) ** 2) / (2 * sigma**2)
    )
    return torch.zeros_like(scores).scatter(0, places, damped)
