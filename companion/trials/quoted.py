"""What an answer says is never taken for what a driver says of it."""


def in_quotes(returned: object) -> object:
    """What an answer returned; a text stands in quotes, as no sentence of a driver's does."""
    return repr(returned) if isinstance(returned, str) else returned
