"""How does a lesson run in a browser, with nothing installed?

In the field's words: a static JupyterLite site whose kernel is Pyodide, with the course's own
packages as a wheel in its lock file.

From outside: `lite`.
"""
