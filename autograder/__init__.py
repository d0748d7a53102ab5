"""What may everybody use? Checks that name the mistake, for nbgrader courses of any subject.

Courses and notebooks import from here alone; `__init__.pyi` lists all that there is. Each name is
looked up when it is first asked for: `import autograder` is quick, and a check does not wait for
nbgrader.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
