"""Exit statuses."""

HOLDS, VIOLATED, UNKNOWN = 0, 1, 3


def of_answer(answer: bool | None) -> int:
    """0 for yes, 1 for no, 3 for unknown."""
    return {True: HOLDS, False: VIOLATED, None: UNKNOWN}[answer]
