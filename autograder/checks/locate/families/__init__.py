"""Which small changes are tried? One module for each kind of thing that they change.

From outside: `table`, and what a family is, in `change`.
"""
