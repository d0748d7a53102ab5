"""What do the lessons import? The running inputs, small models, pictures, and things to test.

What a lesson asks for is computed by the library or by you. One thing could not be had otherwise:
the translator of lesson 01 brings its own additive attention, as PyTorch has none.

Lessons and exams import from here alone; `__init__.pyi` lists all that there is. Each name is
looked up when it is first asked for, so that a lesson waits only for what it uses.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
