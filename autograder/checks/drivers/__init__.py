"""How is an answer called that is not simply called?

As a module with weights of its own, and with tensors that require gradients.

From outside: `run_module`, `back_propagation`.
"""
