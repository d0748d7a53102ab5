"""How is an answer called that is not simply called?

As a module with weights of its own, in its first call and in the next, with tensors that require
gradients, or whose numbers do not lie one after the other, and within a bound on memory.

From outside: `run_module`, `back_propagation`, `layouts`, `memory`, `ways`.
"""
