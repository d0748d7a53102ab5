"""What does the text of a cell say, without running it?

Which statements it has once IPython has read it, what its names mean and what they need, what it
does beside giving names a meaning, what metadata says of it, which axes a docstring names, and what
a lesson says of itself at its beginning.

In the field's words: static analysis, name resolution, program slicing.

From outside: `axes`, `cell_code`, `cells`, `effects`, `meaning`, `needed`, `notebook_file`,
`opening`, `own_files`, `patches`, `scenery`, `words`, `written`.
"""
