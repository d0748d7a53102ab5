"""What comes back through an answer: the gradients of a fixed weighted sum of its output."""

import torch


def send_back(output: object) -> None:
    """Back-propagate through an output, if there is anything for it to come back to."""
    if isinstance(output, torch.Tensor) and output.requires_grad:
        # Weights of the entries that no symmetry cancels, as equal ones would.
        ramp = torch.arange(1, output.numel() + 1, dtype=torch.float64).cos().to(output.dtype)
        # From one number: for a given gradient, torch first imports a library, in each process.
        torch.autograd.backward([(output.flatten() * ramp).sum().real])
