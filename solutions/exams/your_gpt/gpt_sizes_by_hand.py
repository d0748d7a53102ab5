"""The exam of `gpt_sizes_by_hand`, lesson 10."""

from autograder import Exam
from solutions import your_gpt as reference

by_hand = Exam(reference.gpt_sizes_by_hand, reveal=False)

Sheet = dict[str, object]

VOCABULARY, D_MODEL, HEADS, KV_HEADS, HIDDEN, BLOCKS = 10, 8, 4, 2, 20, 3
FEED_FORWARD = (D_MODEL * HIDDEN + HIDDEN) + (HIDDEN * D_MODEL + D_MODEL)


@by_hand.example
def on_paper() -> tuple[()]:
    """your numbers"""
    return ()


def sheet(
    *,
    query: int = D_MODEL * D_MODEL,
    key: int = 32,
    attention: int | None = None,
    feed_forward: int = FEED_FORWARD,
    norms: int = 2 * D_MODEL,
    embeddings: int = VOCABULARY * D_MODEL,
    blocks: int = BLOCKS,
    last_norm: int = D_MODEL,
    cached: int = 24,
) -> Sheet:
    """The seven lines, in which one mistake is carried on to those that follow from it."""
    if attention is None:
        attention = 2 * query + 2 * key
    block = attention + feed_forward + norms
    return {
        "W_query": query,
        "W_key": key,
        "attention of one block": attention,
        "feed-forward layer of one block": feed_forward,
        "normalisations of one block": norms,
        "whole model": embeddings + blocks * block + last_norm,
        "numbers cached for each token": cached,
    }


@by_hand.misconception
def keys_as_wide_as_queries() -> Sheet:
    """Your W_key has as many parameters as W_query. It produces 2 heads, not 4, and each
    of them has 8 / 4 = 2 features.
    """
    return sheet(key=64)


@by_hand.misconception
def one_key_head() -> Sheet:
    """Your W_key has 16 parameters: with 8 rows, these are 2 columns. There are 2 key/value heads,
    and each of them has 2 features.
    """
    return sheet(key=16)


@by_hand.misconception
def head_count_for_features() -> Sheet:
    """Your keys have 2 features for each token, both in W_key and in the cache. There are 2
    key/value heads, and each of them has 8 / 4 = 2 features.
    """
    return sheet(key=D_MODEL * KV_HEADS, cached=BLOCKS * 2 * KV_HEADS)


@by_hand.misconception
def as_wide_in_the_cache() -> Sheet:
    """Your keys have 8 features for each token, both in W_key and in the cache. Only 2 heads
    produce keys, not 4, and each of them has 8 / 4 = 2 features.
    """
    return sheet(key=D_MODEL * D_MODEL, cached=BLOCKS * 2 * D_MODEL)


@by_hand.misconception
def no_output_projection() -> Sheet:
    """One or two of the four matrices of the attention are missing: it has W_query, W_key, W_value,
    and `out_proj`, which mixes the features of the merged heads.
    """
    return sheet(attention=64 + 2 * 32)


@by_hand.misconception
def values_forgotten() -> Sheet:
    """Your attention has W_query, out_proj, and one of W_key and W_value. It needs both."""
    return sheet(attention=2 * 64 + 32)


@by_hand.misconception
def all_four_alike() -> Sheet:
    """Your attention has four matrices of 8 · 8. W_key and W_value are smaller, because they
    produce only 2 heads: use your own number for W_key.
    """
    return sheet(attention=4 * 64)


@by_hand.misconception
def query_and_keys_alone() -> Sheet:
    """Your attention consists of W_query and W_key, the two matrices above it. It also has W_value
    and `out_proj`.
    """
    return sheet(attention=64 + 32)


@by_hand.misconception
def biases_in_attention() -> Sheet:
    """You counted biases in the attention. Its four projections have none."""
    return sheet(attention=192 + 8 + 4 + 4 + 8)


@by_hand.misconception
def biases_in_each_projection() -> Sheet:
    """You counted a bias with each matrix of the attention, with W_query and W_key too. None of the
    four projections has one.
    """
    return sheet(query=64 + 8, key=32 + 4)


@by_hand.misconception
def no_biases_in_the_feed_forward_layer() -> Sheet:
    """Your feed-forward layer has its two matrices only. Both of its linear layers have a bias, one
    of 20 numbers and one of 8.
    """
    return sheet(feed_forward=2 * D_MODEL * HIDDEN)


@by_hand.misconception
def first_bias_only() -> Sheet:
    """In your feed-forward layer the second bias is missing, which has a number for each of the 8
    features.
    """
    return sheet(feed_forward=FEED_FORWARD - D_MODEL)


@by_hand.misconception
def second_bias_only() -> Sheet:
    """In your feed-forward layer the first bias is missing, which has a number for each of the 20
    hidden features.
    """
    return sheet(feed_forward=FEED_FORWARD - HIDDEN)


@by_hand.misconception
def one_layer_only() -> Sheet:
    """Your feed-forward layer leads from 8 features to 20, and not back. A second linear layer
    leads from 20 to 8.
    """
    return sheet(feed_forward=D_MODEL * HIDDEN + HIDDEN)


@by_hand.misconception
def means_as_well() -> Sheet:
    """Your normalisations have twice as many parameters as they should, as a layer normalisation
    with weight and bias has. An RMS normalisation has a weight for each feature and no bias.
    """
    return sheet(norms=4 * D_MODEL, last_norm=2 * D_MODEL)


@by_hand.misconception
def one_norm_in_a_block() -> Sheet:
    """You counted one normalisation in a block. There are two: one before the attention and one
    before the feed-forward layer.
    """
    return sheet(norms=D_MODEL)


@by_hand.misconception
def last_norm_forgotten() -> Sheet:
    """The whole model is short of 8 parameters: after the last block there is one more
    normalisation.
    """
    return sheet(last_norm=0)


@by_hand.misconception
def two_embeddings() -> Sheet:
    """Your whole model has 80 parameters too many, as with a matrix for the logits. They are
    computed with the matrix of the embedding, which is counted only once.
    """
    return sheet(embeddings=2 * VOCABULARY * D_MODEL)


@by_hand.misconception
def embedding_forgotten() -> Sheet:
    """The whole model is short of 80 parameters: the embedding has 8 for each of the 10 tokens."""
    return sheet(embeddings=0)


@by_hand.misconception
def one_block_in_the_whole() -> Sheet:
    """Your whole model has one block. There are 3, and each has its own parameters."""
    return sheet(blocks=1)


@by_hand.misconception
def all_of_it_three_times() -> Sheet:
    """In your whole model the embedding and the last normalisation are multiplied by 3 as well.
    Only the blocks are there 3 times.
    """
    return sheet(embeddings=BLOCKS * VOCABULARY * D_MODEL, last_norm=BLOCKS * D_MODEL)


@by_hand.misconception
def blocks_without_norms() -> Sheet:
    """The whole model is short of 48 parameters: those of the two normalisations in each of the 3
    blocks.
    """
    return sheet() | {"whole model": sheet(norms=0)["whole model"]}


@by_hand.misconception
def blocks_alone() -> Sheet:
    """Your whole model is its three blocks. Before them comes the embedding, and after them the
    last normalisation.
    """
    return sheet(embeddings=0, last_norm=0)


@by_hand.misconception
def cached_in_one_block() -> Sheet:
    """8 numbers are what one block caches for a token. Each of the 3 blocks has its own cache."""
    return sheet(cached=8)


@by_hand.misconception
def half_of_it_cached() -> Sheet:
    """You count half of what is cached. For each token, every block caches a key and a value of 2
    features for each of the 2 key/value heads.
    """
    return sheet(cached=12)


@by_hand.misconception
def cached_for_every_query_head() -> Sheet:
    """You count twice what is cached. Only the 2 key/value heads are cached, and each of them has
    8 / 4 = 2 features.
    """
    return sheet(cached=48)


@by_hand.misconception
def keys_of_one_block_cached() -> Sheet:
    """4 numbers are what one block caches of the keys, or of the values. Both are cached, in each
    of the 3 blocks.
    """
    return sheet(cached=4)
