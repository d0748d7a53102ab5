"""Where does a student's code run, and how is it spoken to?

In a process of its own behind walls, which answers calls and is believed nothing.

From outside: `limits`.
"""
