"""Right answers to `next_token_loss` in other styles."""

import torch
from torch import Tensor
from torch.nn import functional
from torch.nn.functional import cross_entropy, log_softmax

from solutions.exams.transformer.next_token_loss.exam import loss


@loss.accepts
def classes_on_the_second_axis(logits: Tensor, tokens: Tensor) -> Tensor:
    """The vocabulary on the second axis, where `cross_entropy` looks for it."""
    return cross_entropy(logits[:, :-1].transpose(1, 2), tokens[:, 1:])


@loss.accepts
def gathered(logits: Tensor, tokens: Tensor) -> Tensor:
    """log_softmax, and of it what each next token has."""
    log_probs = log_softmax(logits[:, :-1], dim=-1)
    return -log_probs.gather(2, tokens[:, 1:].unsqueeze(-1)).mean()


@loss.accepts
def in_loops(logits: Tensor, tokens: Tensor) -> Tensor:
    """Prediction by prediction.

    One prediction at a time: its loss is the log-sum-exp of all scores, less the score of the token
    that came next.
    """
    losses = []
    for text in range(tokens.shape[0]):
        for i in range(tokens.shape[1] - 1):
            scores = logits[text, i]
            losses.append(torch.logsumexp(scores, dim=0) - scores[tokens[text, i + 1]])
    return torch.stack(losses).mean()


@loss.accepts
def text_by_text(logits: Tensor, tokens: Tensor) -> Tensor:
    """The average of the losses of all texts, which are equally long.

    Each text has a loss of its own, and these are averaged. That is right only because all texts
    are equally long; otherwise, each token of a short one would weigh more.
    """
    total = logits.new_zeros(())
    for scores, text in zip(logits, tokens, strict=True):
        total = total + cross_entropy(scores[:-1], text[1:])
    return total / len(tokens)


@loss.accepts
def by_one_hot(logits: Tensor, tokens: Tensor) -> Tensor:
    """A one-hot vector for each next token, and an einsum."""
    log_probs = logits[:, :-1].log_softmax(dim=-1)
    targets = functional.one_hot(tokens[:, 1:], logits.size(-1)).to(log_probs.dtype)
    return -torch.einsum("btv,btv->bt", log_probs, targets).mean()
