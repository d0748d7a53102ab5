"""What does a learner's own test have to tell apart?

Right and wrong attentions, tokenizers and functions that use a module, for the exercises in which
one writes the test, the models that an answer is tried on, and the feature maps that linear
attention is tried with.

From outside: `specimens`, `triples`, `padding`, `padding_specimens`, `causal_specimens`,
`position_scores`, `cached_steps`, `predictors`, `blockwise`, `feature_maps`, `tokenizers`,
`language_models`.
"""
