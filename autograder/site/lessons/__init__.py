"""What does a reader see of a lesson who has not opened it?

From outside: `colab`, `doors`, `lesson_page`, `outputs`, `to_come`.
"""
