"""What does a class show?

From the records of a graded class and the cells that it handed in; nothing of a student's is run.
"""
