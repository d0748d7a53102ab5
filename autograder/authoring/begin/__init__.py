"""How does one begin: a course of one's own, or an exercise in somebody else's?

From outside: `new_course`, `new_exercise`, `templating`.
"""
