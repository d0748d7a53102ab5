"""The exams of the lessons."""
