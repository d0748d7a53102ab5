"""How many there are of something, as a sentence has it."""


def counted(number: int, one: str, more: str = "") -> str:
    """ "1 student", "2 students"; `more` is what several are called, where that is no added s."""
    return f"1 {one}" if number == 1 else f"{number:,} {more or f'{one}s'}"
