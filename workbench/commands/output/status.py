"""Exit statuses."""

HOLDS, VIOLATED, BAD_INPUT, UNKNOWN = 0, 1, 2, 3


def of_answer(answer: bool | None, error: Exception | None = None) -> int:
    """0 for yes, 1 for no, 3 for unknown; but 2 unless it is no, if there was an `error`."""
    if error is not None and answer is not False:
        return BAD_INPUT
    return {True: HOLDS, False: VIOLATED, None: UNKNOWN}[answer]
