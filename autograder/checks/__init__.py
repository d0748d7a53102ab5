"""What is wrong with this answer?

The check below each exercise, the printed examples that it knows, the exam behind them, and the
card that says what was found. It needs NumPy, IPython and nbformat, and nothing else of ours.

In the field's words: an autograder with named misconceptions, on worked examples.

From outside: `check`, `hidden`, `examples`, `packed`, `purpose`, `own_judgement`.
"""
