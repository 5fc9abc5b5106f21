"""Exit statuses."""

HOLDS, VIOLATED, BAD_INPUT, UNKNOWN = 0, 1, 2, 3


def of_answer(answer: bool | None, error: Exception | None = None) -> int:
    """0 for yes, 1 for no, 3 for unknown; 2 if it is unknown because of an `error`."""
    if answer is None and error is not None:
        return BAD_INPUT
    return {True: HOLDS, False: VIOLATED, None: UNKNOWN}[answer]
