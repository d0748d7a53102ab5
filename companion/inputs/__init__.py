"""What do the lessons compute with?

The running sentences, the worksheets, and the small German-English language of lesson 01.

From outside: `sentences`, `features`, `creature`, `lexicon`, `translation`.
"""
