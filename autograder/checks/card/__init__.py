"""How is shown what was found?

A report as a card in a notebook, as plain text and as data, and texts of others' making where a
terminal or a spreadsheet might obey them.

From outside: `as_html`, `as_text`, `spreadsheet`, `terminal`.
"""
