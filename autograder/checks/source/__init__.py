"""What does the text of a cell say, without running it?

Which statements it has once IPython has read it, what its names mean and what they need, what it
does beside giving names a meaning, what nbgrader's metadata says of it, and which axes a docstring
names.

In the field's words: static analysis, name resolution, program slicing.

From outside: `axes`, `cell_code`, `cells`, `effects`, `meaning`, `needed`, `notebook_file`,
`own_files`, `patches`, `scenery`, `words`, `written`.
"""
