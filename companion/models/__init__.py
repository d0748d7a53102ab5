"""What is trained, decoded or timed in a lesson?

Small models with what trains them, and the parts that a lesson gives ready-made.

From outside: `heads`, `positions`, `translator`, `training`.
"""
