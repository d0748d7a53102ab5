"""What does a learner's own test have to tell apart?

Right and wrong attentions, tokenizers and functions that use a module, for the exercises in which
one writes the test, and models that an answer is tried on.

From outside: `specimens`, `triples`, `padding`, `padding_specimens`, `causal_specimens`,
`position_scores`, `cached_steps`, `predictors`, `tokenizers`,
`language_models`.
"""
