"""What is shown of a submission?

Pages of graded notebooks, formgrader and feedback: everything of a student's leaves through here,
and none of it is live.

From outside: `assignments`, `asked`, `formgrader`, `feedback`, `outline`, `records`, `rendering`,
`turns`.
"""
