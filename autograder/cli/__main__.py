"""`python -m autograder.cli`, for programs that start the command line."""

from autograder.cli.program import main

if __name__ == "__main__":
    main()
