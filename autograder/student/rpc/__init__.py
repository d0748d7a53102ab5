"""What do the two sides say to each other?

The grader asks, the student's process answers, and only plain values cross: the protocol, and what
stands on each side for what is on the other.

In the field's words: remote procedure calls, proxies.

From outside: `session`, `questions`, `stand_in`, `changes`, `deadline`, `doubts`.
"""
