"""What does attention cost for long texts, and what do its cheaper forms lose?

Measurements, sparse patterns, small trainings and the pictures of lesson 08.
"""
