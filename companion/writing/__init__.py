"""How does a text become tokens, and tokens a text?"""
