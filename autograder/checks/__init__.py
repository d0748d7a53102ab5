"""What is wrong with this answer?

The check below each exercise, the printed examples that it knows, the exam behind them, and the
card that says what was found. It needs nothing else of ours, and of others NumPy, IPython and
lazy_loader; nbformat where a notebook is read, and PyTorch where an exercise has tensors.

In the field's words: an autograder with named misconceptions, on worked examples.

From outside: `check`, `hidden`, `examples`, `packed`, `progress`, `purpose`, `own_judgement`,
`after_a_pass`, `stopping`, `described`.
"""
