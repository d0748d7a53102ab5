"""What can one type?

The program `autograder` has one command for each thing that one does with a course. Commands import
what they need when they are called, so that `autograder --help` is quick.

From outside: `program`.
"""

from autograder.cli.program import main as main
