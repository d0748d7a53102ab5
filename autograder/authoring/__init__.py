"""How does a text become notebooks?

A lesson's text and the reference are read, held against each other and built into the notebook of
the instructor and that of the students, and into the tables in `docs/`.
"""
