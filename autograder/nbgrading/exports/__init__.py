"""How do grades leave for other programs?

As plugins of `nbgrader export`: one for spreadsheets and programs, and one each for Canvas, Moodle
and Gradescope. What a student chose, such as a name, is text in all of them.
"""
