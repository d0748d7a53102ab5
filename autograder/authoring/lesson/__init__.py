"""What is a lesson, as its text and as its notebooks?

From outside: `alt_text`, `built`, `formulas`, `guesses`, `kept_back`, `leaks`, `lesson`,
`notebook`, `personal`, `reading`, `reference`, `release`.
"""
