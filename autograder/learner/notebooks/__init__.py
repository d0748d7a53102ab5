"""How do lessons come to where one works, and how does what one wrote stay when they change?

From outside: `work`, `update`, `keeping`, `reset`, `again`, `carrying`.
"""
