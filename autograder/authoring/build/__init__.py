"""What is made of the lessons, what has been proved of their exams, and what has changed since?

In the field's words: an incremental build, by digests of its inputs.

From outside: `build`, `build_inputs`, `incremental`, `known`, `matching`, `one_exam`,
`proofs`, `proving`, `trial`.
"""
