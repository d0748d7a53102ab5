"""What does a course look like to somebody who has not opened it?

Lessons, tables and documents become pages that need no server and ask nothing of any other
machine. In the field's words: a static site, made with Sphinx and MyST-NB.

From outside: `site`.
"""
