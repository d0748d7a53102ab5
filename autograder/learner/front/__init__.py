"""What does JupyterLab do for a learner beyond itself, on their own machine and in a browser?

From outside: `extension`.
"""
