"""What does a reader see of a lesson who has not opened it?

From outside: `doors`, `lesson_page`, `outputs`, `to_come`.
"""
