"""What do the lessons have in common, and what is in each? The pages that are made for `docs/`.

From outside: `curriculum`, `glossary`, `misconceptions`.
"""
