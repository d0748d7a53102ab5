"""What does the text of a cell say about names, without running it?

From outside: `cell_code`, `instructor_names`, `needed`, `scenery`.
"""
