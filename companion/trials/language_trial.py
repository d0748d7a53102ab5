"""What the loss of a language model is tried with: its gradient has to reach the logits."""

from collections.abc import Callable

import torch
from torch import Tensor


def try_loss(
    loss_of: Callable[[Tensor, Tensor], object], logits: Tensor, tokens: Tensor
) -> dict[str, object]:
    """Compute a loss, and back-propagate through it.

    Args:
        loss_of: the function to try, called with the next two.
        logits: `(batch, tokens, vocabulary)`.
        tokens: `(batch, tokens)`, of int64.

    Returns:
        The loss, whether the logits are left as they were, with gradients and without, and the
        gradient that comes back to them; None if none does.
    """
    leaf = logits.detach().clone().requires_grad_()
    # What is no leaf may be written to, so that an answer that does so is told of it.
    given, plain = leaf.clone(), logits.detach().clone()
    loss = loss_of(given, tokens)
    with torch.no_grad():
        loss_of(plain, tokens)
    kept = torch.equal(given.detach(), logits) and torch.equal(plain, logits)
    if isinstance(loss, Tensor) and loss.requires_grad:
        torch.autograd.backward([loss.sum()])
    return {"loss": loss, "logits left as they were": kept, "gradient for logits": leaf.grad}
