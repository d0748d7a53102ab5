"""Lesson 09: the parts of a Transformer, put together, and a model that writes.

Inputs are (batch, tokens, d_model). In a mask, True means "hidden".
"""

import itertools
from collections import Counter
from collections.abc import Callable, Sequence

import torch
from torch import nn
from torch.nn.functional import cross_entropy, gelu

from companion import merge_pair


def norms_by_hand() -> dict[str, object]:
    """Normalise a token with the features 4, −2, 1 and 5 on paper, in both ways.

    The weights are ones, the biases zeros, and ε is left out. Replace each `...` by a number.

    Returns:
        The mean and the variance of the features, and the four features after layer normalisation;
        then their root mean square, and the four features after RMS normalisation. Four decimals
        will do.
    """
    by_hand: dict[str, object] = {
        "mean": ...,
        "variance": ...,
        "layer normalisation": [..., ..., ..., ...],
        "root mean square": ...,
        "RMS normalisation": [..., ..., ..., ...],
    }
    ### BEGIN SOLUTION (replaces the lines above)
    token = torch.tensor([4, -2, 1, 5], dtype=torch.float64)
    variance, mean_square = token.var(correction=0), token.square().mean()
    by_hand = {
        "mean": token.mean().item(),
        "variance": variance.item(),
        "layer normalisation": ((token - token.mean()) / variance.sqrt()).tolist(),
        "root mean square": mean_square.sqrt().item(),
        "RMS normalisation": (token / mean_square.sqrt()).tolist(),
    }
    ### END SOLUTION
    return by_hand


class LayerNorm(nn.Module):
    """Bring the features of each token to mean 0 and variance 1, then scale and shift them.

    Ba and others, Layer Normalization (2016), section 3. Call it with (..., d_model). It returns
    (..., d_model). Write the computation yourself, without `nn.LayerNorm`, `F.layer_norm` or
    another of PyTorch's normalisations.

    Args:
        d_model: the number of features of a token.
        eps: is added to the variance inside the square root, so that nothing is divided by 0 when
            all features are equal. The variance is the mean of the squared deviations.

    The parameters are `weight`, (d_model,), which starts as ones, and `bias`, (d_model,), which
    starts as zeros.
    """

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        ### END SOLUTION

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        ### BEGIN SOLUTION
        centred = inputs - inputs.mean(dim=-1, keepdim=True)
        variance = centred.square().mean(dim=-1, keepdim=True)
        return centred / torch.sqrt(variance + self.eps) * self.weight + self.bias
        ### END SOLUTION


class RMSNorm(nn.Module):
    """Divide the features of each token by their root mean square, then scale them.

    Zhang and Sennrich, Root Mean Square Layer Normalization (2019), equation 4. Call it with
    (..., d_model). It returns (..., d_model). Write the computation yourself, without `nn.RMSNorm`,
    `F.rms_norm` or another of PyTorch's normalisations.

    Args:
        d_model: the number of features of a token.
        eps: is added to the mean of the squares, inside the square root.

    The parameter is `weight`, (d_model,), which starts as ones.
    """

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        ### END SOLUTION

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        ### BEGIN SOLUTION
        mean_square = inputs.square().mean(dim=-1, keepdim=True)
        return inputs / torch.sqrt(mean_square + self.eps) * self.weight
        ### END SOLUTION


class FeedForward(nn.Module):
    """Two linear layers with a ReLU between them, applied to each token separately.

    Vaswani and others, Attention Is All You Need (2017), section 3.3. Call it with
    (batch, tokens, d_model). It returns (batch, tokens, d_model).

    Args:
        d_model: the number of features of a token.
        d_hidden: the number of features between the two layers.

    The layers are `linear1` and `linear2`, each with a bias.
    """

    def __init__(self, d_model: int, d_hidden: int) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.linear1 = nn.Linear(d_model, d_hidden)
        self.linear2 = nn.Linear(d_hidden, d_model)
        ### END SOLUTION

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        ### BEGIN SOLUTION
        return self.linear2(torch.relu(self.linear1(inputs)))
        ### END SOLUTION


class EncoderBlock(nn.Module):
    """One block of the Transformer's encoder: self-attention, then the feed-forward layer.

    Each of the two has a residual connection around it, and the sum is normalised (post-norm).
    Vaswani and others, Attention Is All You Need (2017), section 3.1.

    Call it with `inputs`, (batch, tokens, d_model), and `padding`, (batch, tokens), bool, True
    where `inputs` is padding, or None if there is no padding. It returns (batch, tokens, d_model).

    Args:
        d_model: the number of features of a token.
        num_heads: the number of heads, a divisor of d_model.
        d_hidden: the number of features inside the feed-forward layer.
        dropout: the probability with which each feature that attention or the feed-forward layer
            returns is dropped in training, before the sum. No attention weights are dropped.

    Build it from these parts, named as in `nn.TransformerEncoderLayer`, but without that layer
    itself: `self_attn`, an `nn.MultiheadAttention` with `batch_first=True`; `linear1` and
    `linear2`, with a ReLU between them; `norm1`, after attention, and `norm2`, each an
    `nn.LayerNorm`.
    """

    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.self_attn = nn.MultiheadAttention(d_model, num_heads, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_hidden)
        self.linear2 = nn.Linear(d_hidden, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(self, inputs: torch.Tensor, padding: torch.Tensor | None = None) -> torch.Tensor:
        ### BEGIN SOLUTION
        attended, _ = self.self_attn(
            inputs, inputs, inputs, key_padding_mask=padding, need_weights=False
        )
        middle = self.norm1(inputs + self.dropout(attended))
        fed = self.linear2(torch.relu(self.linear1(middle)))
        return self.norm2(middle + self.dropout(fed))
        ### END SOLUTION


class DecoderBlock(nn.Module):
    """One block of the Transformer's decoder: causal self-attention, cross-attention, feed-forward.

    Each of the three has a residual connection around it, and the sum is normalised (post-norm).
    Vaswani and others, Attention Is All You Need (2017), section 3.1.

    Call it with `inputs`, (batch, tokens, d_model), with `memory`, the encoder's output,
    (batch, keys, d_model), and with `padding`, (batch, keys), bool, True where `memory` is padding,
    or None if there is no padding. It returns (batch, tokens, d_model).

    Args:
        d_model: the number of features of a token.
        num_heads: the number of heads, a divisor of d_model.
        d_hidden: the number of features inside the feed-forward layer.
        dropout: the probability with which each feature that one of the three returns is dropped
            in training, before the sum. No attention weights are dropped.

    Build it from these parts, named as in `nn.TransformerDecoderLayer`, but without that layer
    itself: `self_attn` and `multihead_attn`, each an `nn.MultiheadAttention` with
    `batch_first=True`; `linear1` and `linear2`, with a ReLU between them; `norm1`, `norm2` and
    `norm3`, each an `nn.LayerNorm`, in the order in which they are used.
    """

    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.self_attn = nn.MultiheadAttention(d_model, num_heads, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, num_heads, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_hidden)
        self.linear2 = nn.Linear(d_hidden, d_model)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.dropout = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(
        self, inputs: torch.Tensor, memory: torch.Tensor, padding: torch.Tensor | None = None
    ) -> torch.Tensor:
        ### BEGIN SOLUTION
        num_tokens = inputs.shape[1]
        future = torch.ones(num_tokens, num_tokens, dtype=torch.bool).triu(1)
        attended, _ = self.self_attn(inputs, inputs, inputs, attn_mask=future, need_weights=False)
        x = self.norm1(inputs + self.dropout(attended))
        read, _ = self.multihead_attn(
            x, memory, memory, key_padding_mask=padding, need_weights=False
        )
        x = self.norm2(x + self.dropout(read))
        fed = self.linear2(torch.relu(self.linear1(x)))
        return self.norm3(x + self.dropout(fed))
        ### END SOLUTION


class GPTBlock(nn.Module):
    """One block of a GPT: causal self-attention, then the feed-forward layer, with pre-norm.

    The normalisation comes before each of the two, inside the residual connection. Radford and
    others, Language Models are Unsupervised Multitask Learners (2019), section 2.3.

    Call it with inputs of shape (batch, tokens, d_model). It returns (batch, tokens, d_model).

    Args:
        d_model: the number of features of a token.
        num_heads: the number of heads, a divisor of d_model.
        d_hidden: the number of features inside the feed-forward layer.
        dropout: the probability with which each feature that attention or the feed-forward layer
            returns is dropped in training, before the sum. No attention weights are dropped.

    Build it from these parts, without `nn.TransformerEncoderLayer`: `self_attn`, an
    `nn.MultiheadAttention` with `batch_first=True`; `linear1` and `linear2`, with PyTorch's `gelu`
    between them; `norm1`, before attention, and `norm2`, each an `nn.LayerNorm`.
    """

    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.self_attn = nn.MultiheadAttention(d_model, num_heads, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_hidden)
        self.linear2 = nn.Linear(d_hidden, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        ### BEGIN SOLUTION
        num_tokens = inputs.shape[1]
        future = torch.ones(num_tokens, num_tokens, dtype=torch.bool).triu(1)
        normed = self.norm1(inputs)
        attended, _ = self.self_attn(normed, normed, normed, attn_mask=future, need_weights=False)
        x = inputs + self.dropout(attended)
        fed = self.linear2(gelu(self.linear1(self.norm2(x))))
        return x + self.dropout(fed)
        ### END SOLUTION


def repaired_residual_stream(
    x: torch.Tensor,
    layers: Sequence[Callable[[torch.Tensor], torch.Tensor]],
    norms: Sequence[Callable[[torch.Tensor], torch.Tensor]],
) -> torch.Tensor:
    """Repair a stack that is meant to be pre-norm, but lets nothing pass through unchanged.

    Args:
        x: the input of the stack, (batch, tokens, d_model).
        layers: attention and feed-forward layers in turn, any number of them.
        norms: one normalisation for each layer, to be applied before it.

    Returns:
        The output of the stack, (batch, tokens, d_model): the input plus what each layer has added
        to it.
    """
    stream = x
    for layer, norm in zip(layers, norms, strict=True):
        stream = norm(stream)
        stream = stream + layer(stream)
    ### BEGIN SOLUTION (replaces the lines above)
    stream = x
    for layer, norm in zip(layers, norms, strict=True):
        stream = stream + layer(norm(stream))
    ### END SOLUTION
    return stream


def learn_merges(text: str, num_merges: int) -> list[tuple[str, str]]:
    """Learn which neighbouring pieces of a text to merge into one: byte-pair encoding.

    Sennrich and others, Neural Machine Translation of Rare Words with Subword Units (2016), section
    3.2, starting from single characters and without boundaries between words.

    Args:
        text: the text to learn from.
        num_merges: how many pairs to merge at most.

    Returns:
        The merged pairs, each a tuple, in the order in which they were merged. At each step, this
        is the pair that occurs most often in the text as merged so far, where three pieces
        "a", "a", "a" contain the pair ("a", "a") twice. If several pairs are equally frequent, it
        is the one that comes first in the text. Once no pair occurs twice, nothing more is merged.
    """
    ### BEGIN SOLUTION
    pieces = list(text)
    merges: list[tuple[str, str]] = []
    for _ in range(num_merges):
        # Counter keeps the order of the text, and of equal counts max takes the first.
        counts = Counter(itertools.pairwise(pieces))
        pair = max(counts, key=counts.__getitem__, default=None)
        if pair is None or counts[pair] < 2:
            break
        merges.append(pair)
        pieces = merge_pair(pieces, pair)
    return merges
    ### END SOLUTION


def encode(text: str, merges: Sequence[tuple[str, str]]) -> list[str]:
    """Split a text into the pieces of a byte-pair encoding that was learned before.

    Args:
        text: any text.
        merges: pairs of pieces, in the order in which they were learned.

    Returns:
        The pieces of the text, in order. The text is first split into characters, and then each
        pair in turn is merged wherever it occurs, from left to right. Joined, they are the text.
    """
    ### BEGIN SOLUTION
    pieces = list(text)
    for pair in merges:
        pieces = merge_pair(pieces, pair)
    return pieces
    ### END SOLUTION


def is_lossless(
    encode: Callable[[str], list[int]], decode: Callable[[list[int]], str], texts: Sequence[str]
) -> bool:
    """Write the test: does every text come back unchanged when its tokens are decoded?

    Args:
        encode: turns a text into the ids of its tokens.
        decode: turns the ids of tokens into a text.
        texts: the texts to try, at least one. A text on which `encode` or `decode` raises an error
            does not come back.

    Returns:
        True if every text comes back exactly as it was, otherwise False.
    """
    ### BEGIN SOLUTION
    for text in texts:
        try:
            if decode(encode(text)) != text:
                return False
        except Exception:
            return False
    return True
    ### END SOLUTION


def next_token_loss(logits: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
    """The loss of a language model that predicts each token of a text from those before it.

    Args:
        logits: the model's output for the text, (batch, tokens, vocabulary); the logits at
            position i are about the token at position i + 1.
        tokens: the text, (batch, tokens), of int64, at least two tokens long.

    Returns:
        The cross-entropy, averaged over all predictions of a known token, a tensor without
        axes, in the dtype of the logits.
    """
    ### BEGIN SOLUTION
    return cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())
    ### END SOLUTION


def next_token_distribution(
    logits: torch.Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> torch.Tensor:
    """The distribution from which the next token is drawn: temperature, then top-k, then top-p.

    Top-p is nucleus sampling: Holtzman and others, The Curious Case of Neural Text Degeneration
    (2020), section 3.1.

    Args:
        logits: those of the next token, (vocabulary,); no two of them are equal.
        temperature: the number, above 0, by which the logits are divided.
        top_k: how many tokens are kept, the most likely ones; it may be larger than the vocabulary.
            None keeps all.
        top_p: of these, the most likely ones are kept until the sum of their probabilities reaches
            top_p, where the probabilities of the tokens that top-k has kept sum to 1. The token
            that reaches top_p is kept, too. None keeps all.

    Returns:
        The probabilities, (vocabulary,), which sum to 1, in the dtype of the logits; those of
        the tokens that are not kept are 0.
    """
    ### BEGIN SOLUTION
    probabilities, order = torch.softmax(logits / temperature, dim=-1).sort(descending=True)
    if top_k is not None:
        probabilities[top_k:] = 0
        probabilities = probabilities / probabilities.sum()
    if top_p is not None:
        before = probabilities.cumsum(dim=-1) - probabilities
        probabilities = probabilities.masked_fill(before >= top_p, 0)
    kept = torch.zeros_like(probabilities).scatter(0, order, probabilities)
    return kept / kept.sum()
    ### END SOLUTION


def generate(
    model: Callable[[torch.Tensor], torch.Tensor],
    tokens: torch.Tensor,
    num_new_tokens: int,
    context_length: int,
) -> torch.Tensor:
    """Continue texts, each time with the token that the model finds most likely: greedy decoding.

    Args:
        model: takes tokens, (batch, tokens), at most `context_length` of them, and returns logits,
            (batch, tokens, vocabulary).
        tokens: the beginning of each text, (batch, tokens), of int64.
        num_new_tokens: how many tokens to add, possibly none.
        context_length: how many tokens the model can take; of a longer text, it is given the last
            ones.

    Returns:
        The texts, (batch, tokens + num_new_tokens), of int64; `tokens` is not changed.
    """
    ### BEGIN SOLUTION
    for _ in range(num_new_tokens):
        with torch.no_grad():
            logits = model(tokens[:, -context_length:])
        tokens = torch.cat([tokens, logits[:, -1:].argmax(dim=-1)], dim=1)
    return tokens
    ### END SOLUTION


def softmax_with_sink(scores: torch.Tensor, sink: torch.Tensor) -> torch.Tensor:
    """Attention weights of heads that have one more logit, the sink, to give weight to.

    As in gpt-oss (OpenAI, 2025). A sink of 0 adds 1 to the sum that a softmax divides by.

    Args:
        scores: the scores, (batch, heads, queries, keys), scaled; −inf where a key is hidden from
            a query, which may be the case for all of its keys.
        sink: the additional logit of each head, (heads,), finite, in the dtype of the scores.

    Returns:
        The attention weights, (batch, heads, queries, keys), in the dtype of the scores. Each row
        is the softmax of its scores and the head's sink together, without the sink's own weight.
        So a row sums to less than 1, and is 0 where all keys are hidden. Scores and sinks may be
        many hundreds: the weights have to be finite all the same.
    """
    ### BEGIN SOLUTION
    column = sink.view(-1, 1, 1).expand(*scores.shape[:-1], 1)
    return torch.softmax(torch.cat([scores, column], dim=-1), dim=-1)[..., :-1]
    ### END SOLUTION
