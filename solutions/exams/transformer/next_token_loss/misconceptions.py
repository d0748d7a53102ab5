"""What goes wrong in `next_token_loss`."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.nn.functional import cross_entropy, log_softmax

from solutions.exams.transformer.next_token_loss.exam import chosen, loss, of_pairs, shifted


@loss.misconception
def not_shifted(logits: Tensor, tokens: Tensor) -> Tensor:
    """You compare the logits with the token at the same position, which the model has just seen.
    The logits at position i are about the token at i + 1.
    """
    return of_pairs(logits, tokens)


@loss.misconception
def logits_not_cut(logits: Tensor, tokens: Tensor) -> Tensor:
    """You leave out the first token, but no logits, so there are more predictions than tokens to
    compare them with. The last position has no next token: leave out its logits.
    """
    return of_pairs(logits, tokens[:, 1:])


@loss.misconception
def cut_at_the_end(logits: Tensor, tokens: Tensor) -> Tensor:
    """You cut both at the end, so each prediction is compared with the token that the model has
    just seen. From the tokens, leave out the first one instead.
    """
    return of_pairs(logits[:, :-1], tokens[:, :-1])


@loss.misconception
def cut_at_the_start(logits: Tensor, tokens: Tensor) -> Tensor:
    """You cut both at the start, so each prediction is compared with the token that the model has
    just seen. From the logits, leave out the last ones instead.
    """
    return of_pairs(logits[:, 1:], tokens[:, 1:])


@loss.misconception
def shifted_back(logits: Tensor, tokens: Tensor) -> Tensor:
    """You shift in the wrong direction: each prediction is compared with the token before. Leave
    out the last logits and the first token.
    """
    return of_pairs(logits[:, 1:], tokens[:, :-1])


@loss.misconception
def shifted_twice(logits: Tensor, tokens: Tensor) -> Tensor:
    """You shift by two positions. Shift by one: the logits at position i are about the token at i +
    1.
    """
    return of_pairs(logits[:, :-2], tokens[:, 2:])


@loss.misconception
def rolled_round(logits: Tensor, tokens: Tensor) -> Tensor:
    """The last prediction is compared with the first token, as if you had rolled the tokens. The
    last position has no next token: leave it out.
    """
    return of_pairs(logits, tokens.roll(-1, dims=1))


@loss.misconception
def texts_cut_off(logits: Tensor, tokens: Tensor) -> Tensor:
    """You leave out texts of the batch instead of positions. The positions are on the second axis:
    logits[:, :-1] and tokens[:, 1:].
    """
    return of_pairs(logits[:-1], tokens[1:])


@loss.misconception
def shifted_across_texts(logits: Tensor, tokens: Tensor) -> Tensor:
    """You flatten before you shift, so the last prediction of a text is compared with the first
    token of the next one. Shift first.
    """
    return cross_entropy(logits.flatten(0, 1)[:-1], tokens.flatten()[1:])


@loss.misconception
def last_position_only(logits: Tensor, tokens: Tensor) -> Tensor:
    """Your loss covers only the last token. Every token but the first is predicted from those
    before it: average over all of them.
    """
    return cross_entropy(logits[:, -2], tokens[:, -1])


@loss.misconception
def last_position_only_and_not_shifted(logits: Tensor, tokens: Tensor) -> Tensor:
    """Your loss covers only the last position, and compares its logits with the token that the
    model has just seen there. The logits at position i are about the token at i + 1: average over
    all positions that have a next token.
    """
    return cross_entropy(logits[:, -1], tokens[:, -1])


@loss.misconception
def first_position_only(logits: Tensor, tokens: Tensor) -> Tensor:
    """Your loss covers only the second token. Every token but the first is predicted from those
    before it: average over all of them.
    """
    return cross_entropy(logits[:, 0], tokens[:, 1])


@loss.misconception
def first_text_only(logits: Tensor, tokens: Tensor) -> Tensor:
    """Your loss covers only the first text of the batch. Average over all texts."""
    return cross_entropy(logits[0, :-1], tokens[0, 1:])


@loss.misconception
def last_text_only(logits: Tensor, tokens: Tensor) -> Tensor:
    """Your loss covers only the last text of the batch. Average over all texts; if you use a loop,
    does each round overwrite the loss of the round before?
    """
    return cross_entropy(logits[-1, :-1], tokens[-1, 1:])


@loss.misconception
def summed(logits: Tensor, tokens: Tensor) -> Tensor:
    """This is the sum over all predictions. Take the average."""
    return shifted(logits, tokens, reduction="sum")


@loss.misconception
def summed_over_positions(logits: Tensor, tokens: Tensor) -> Tensor:
    """You sum over the positions of a text, and average only over the texts. Average over both."""
    return shifted(logits, tokens, reduction="sum") / len(tokens)


@loss.misconception
def summed_over_texts(logits: Tensor, tokens: Tensor) -> Tensor:
    """You average over the positions of a text, and sum over the texts. Average over both."""
    return shifted(logits, tokens) * len(tokens)


@loss.misconception
def divided_by_all_tokens(logits: Tensor, tokens: Tensor) -> Tensor:
    """You divide by the number of tokens. Each text has one prediction fewer than that, since its
    first token is not predicted.
    """
    return shifted(logits, tokens, reduction="sum") / tokens.numel()


@loss.misconception
def divided_by_the_length_of_a_text(logits: Tensor, tokens: Tensor) -> Tensor:
    """You divide the sum over all texts by the number of tokens in one of them. Average over all
    predictions: each text has one fewer than tokens, since its first token is not predicted.
    """
    return -chosen(log_softmax(logits, dim=-1), tokens).sum() / tokens.shape[1]


@loss.misconception
def one_for_each(logits: Tensor, tokens: Tensor) -> Tensor:
    """This is a loss for each prediction. Take the average of all of them."""
    return shifted(logits, tokens, reduction="none")


@loss.misconception
def one_for_each_position(logits: Tensor, tokens: Tensor) -> Tensor:
    """This is a loss for each prediction. Take the average of all of them."""
    return shifted(logits, tokens, reduction="none").reshape(len(tokens), -1)


@loss.misconception
def one_for_each_text(logits: Tensor, tokens: Tensor) -> Tensor:
    """This is a loss for each text. Take the average of all of them."""
    return one_for_each_position(logits, tokens).mean(dim=1)


@loss.misconception
def softmax_twice(logits: Tensor, tokens: Tensor) -> Tensor:
    """The softmax is applied twice: `cross_entropy` takes logits, and does the rest itself."""
    return shifted(logits.softmax(dim=-1), tokens)


@loss.misconception
def softmax_over_positions(logits: Tensor, tokens: Tensor) -> Tensor:
    """Your softmax runs over the positions. Take it over the vocabulary, the last axis."""
    log_probs = log_softmax(logits[:, :-1], dim=1)
    return -log_probs.gather(-1, tokens[:, 1:, None]).mean()


@loss.misconception
def softmax_over_texts(logits: Tensor, tokens: Tensor) -> Tensor:
    """Your softmax runs over the texts of the batch. Take it over the vocabulary, the last axis."""
    return -chosen(log_softmax(logits, dim=0), tokens).mean()


@loss.misconception
def without_logarithm(logits: Tensor, tokens: Tensor) -> Tensor:
    """These are probabilities: the logarithm is missing, for example because of a softmax instead
    of log_softmax.
    """
    return -chosen(logits.softmax(dim=-1), tokens).mean()


@loss.misconception
def exponentials_of_logits(logits: Tensor, tokens: Tensor) -> Tensor:
    """For large logits your loss is infinite or NaN, because the exponential of such a number is
    infinite. Use `cross_entropy`, or `log_softmax`, which subtracts the largest logit first.
    """
    return -chosen(logits - logits.exp().sum(dim=-1, keepdim=True).log(), tokens).mean()


@loss.misconception
def exponentials_divided(logits: Tensor, tokens: Tensor) -> Tensor:
    """For large logits your loss is infinite or NaN, because the exponential of such a number is
    infinite. Use `cross_entropy`, or `log_softmax`, which subtracts the largest logit first.
    """
    return -chosen(logits.exp() / logits.exp().sum(dim=-1, keepdim=True), tokens).log().mean()


@loss.misconception
def logarithm_of_a_softmax(logits: Tensor, tokens: Tensor) -> Tensor:
    """For large logits your loss is infinite, because small probabilities are rounded to 0, whose
    logarithm is −∞. Use `log_softmax` in place of a softmax and a logarithm.
    """
    return -chosen(logits.softmax(dim=-1).log(), tokens).mean()


@loss.misconception
def logarithm_of_the_chosen(logits: Tensor, tokens: Tensor) -> Tensor:
    """For large logits your loss is infinite, because small probabilities are rounded to 0, whose
    logarithm is −∞. Use `log_softmax` in place of a softmax and a logarithm.
    """
    return -chosen(logits.softmax(dim=-1), tokens).log().mean()


def _with_a_little_added(little: float) -> None:
    """Declare an answer that keeps probabilities above 0 by adding so little to them."""

    def little_added(logits: Tensor, tokens: Tensor) -> Tensor:
        return -(chosen(logits.softmax(dim=-1), tokens) + little).log().mean()

    little_added.__name__ += f"_{little:.0e}".replace("-", "_")
    little_added.__doc__ = (
        "Where the next token is very unlikely, your loss is too small: the probability is kept "
        "above 0, as by adding 1e-9 or by `clamp`, so its logarithm is cut off. Use "
        "`cross_entropy`, or `log_softmax`, which needs no such bound."
    )
    loss.misconception(little_added)


for _little in (1e-12, 1e-10, 1e-9, 1e-8):
    _with_a_little_added(_little)


@loss.misconception
def without_softmax(logits: Tensor, tokens: Tensor) -> Tensor:
    """Your loss is the average of the logits themselves, for example because `nll_loss` expects
    logarithms of probabilities. Use `cross_entropy`, or apply `log_softmax` first.
    """
    return -chosen(logits, tokens).mean()


@loss.misconception
def sign_forgotten(logits: Tensor, tokens: Tensor) -> Tensor:
    """Your loss is below zero. The cross-entropy is the average of −ln p, so check the sign."""
    return -shifted(logits, tokens)


@loss.misconception
def in_bits(logits: Tensor, tokens: Tensor) -> Tensor:
    """You use logarithms to base 2. Use natural logarithms."""
    return shifted(logits, tokens) / torch.log(torch.tensor(2.0)).item()


@loss.misconception
def in_bits_of_a_softmax(logits: Tensor, tokens: Tensor) -> Tensor:
    """You use logarithms to base 2, and for large logits your loss is infinite, because small
    probabilities are rounded to 0. `log_softmax` takes natural logarithms, and rounds nothing to 0.
    """
    return -chosen(logits.softmax(dim=-1), tokens).log2().mean()


@loss.misconception
def in_bits_of_a_whole_softmax(logits: Tensor, tokens: Tensor) -> Tensor:
    """You use logarithms to base 2, and for large logits your loss is infinite, because small
    probabilities are rounded to 0. `log_softmax` takes natural logarithms, and rounds nothing to 0.
    """
    return -chosen(logits.softmax(dim=-1).log2(), tokens).mean()


@loss.misconception
def perplexity(logits: Tensor, tokens: Tensor) -> Tensor:
    """This is the perplexity, exp of the loss. Return the loss itself."""
    return shifted(logits, tokens).exp()


@loss.misconception
def logarithm_of_the_average(logits: Tensor, tokens: Tensor) -> Tensor:
    """You average the probabilities and then take the logarithm. Take the logarithms first, and
    then average.
    """
    return -chosen(logits.softmax(dim=-1), tokens).mean().log()


@loss.misconception
def token_zero_ignored(logits: Tensor, tokens: Tensor) -> Tensor:
    """You leave out predictions of token 0, as if it were padding. Here it is a token like any
    other.
    """
    return shifted(logits, tokens, ignore_index=0)


@loss.misconception
def smoothed(logits: Tensor, tokens: Tensor) -> Tensor:
    """You smooth the labels, as the 2017 paper does in training. The exercise needs the plain
    cross-entropy: leave out `label_smoothing`.
    """
    return shifted(logits, tokens, label_smoothing=0.1)


@loss.misconception
def squared_errors(logits: Tensor, tokens: Tensor) -> Tensor:
    """You compare the probabilities with a one-hot vector by their squared distance. Use the
    cross-entropy.
    """
    targets = functional.one_hot(tokens[:, 1:], logits.shape[-1]).to(logits.dtype)
    return functional.mse_loss(logits[:, :-1].softmax(dim=-1), targets)


@loss.misconception
def positions_and_texts_mixed(logits: Tensor, tokens: Tensor) -> Tensor:
    """Logits and tokens are flattened in different orders, so a prediction is compared with the
    token of another text or position. Flatten both text by text.
    """
    return of_pairs(logits[:, :-1], tokens[:, 1:].T)


@loss.misconception
def positions_as_classes(logits: Tensor, tokens: Tensor) -> Tensor:
    """`cross_entropy` looks for the vocabulary on the second axis, and yours is on the last, so it
    takes the positions for tokens. Swap the two with `transpose(1, 2)`, or flatten batch and
    positions into one axis.
    """
    return cross_entropy(logits[:, :-1], tokens[:, 1:])


@loss.misconception
def reshaped_in_place_of_transposed(logits: Tensor, tokens: Tensor) -> Tensor:
    """You reshape the logits to (batch, vocabulary, positions), which mixes them up. Swap the two
    axes with `transpose(1, 2)`, or flatten batch and positions into one axis.
    """
    cut = logits[:, :-1]
    return cross_entropy(cut.reshape(len(cut), cut.shape[2], -1), tokens[:, 1:])


@loss.misconception
def cut_off_from_the_model(logits: Tensor, tokens: Tensor) -> Tensor:
    """The loss is right, but no gradient flows back to the logits, so no model can be trained with
    it. Is there an `item`, a `detach`, a `no_grad`, or a new tensor made of plain numbers?
    """
    return shifted(logits, tokens).detach()


@loss.misconception
def always_zero(logits: Tensor, tokens: Tensor) -> Tensor:
    """Your loss is always 0, whatever the logits are. Do you add the losses of all predictions to
    it?
    """
    return logits.new_zeros(())


@loss.misconception
def nothing_returned(logits: Tensor, tokens: Tensor) -> Any:
    """Your function returns None. Return the loss."""
    return None
