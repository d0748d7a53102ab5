"""What becomes of an answer that can't be checked by one call?

Drivers of exams: each tries an answer out and returns what is to be compared.

From outside: `continuation_trial`, `gpt_trial`, `other_ways`, `text_training_trial`,
`training_trials`; lessons, and other exams, import from `companion`.
"""
