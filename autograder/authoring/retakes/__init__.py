"""How is a lesson asked again, with other numbers?

From outside: `anew`, `new_retake`, `varied`.
"""
