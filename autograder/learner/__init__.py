"""What does one do with one's own work?

Lessons are copied to where one works, opened in JupyterLab, and marked by the full exam.

From outside: `front`, `jupyter`, `mark`, `marking`, `marks`, `run_notebook`, `status`,
`start_page`.
"""
