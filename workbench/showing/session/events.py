"""Events by name, with subscribers that may leave again."""

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

Name = TypeVar("Name", bound=str)


class Events(Generic[Name]):
    """Tells subscribers that something has happened; they look up the details at the source.

    Examples:
        >>> events = Events[str]()
        >>> leave = events.on("ready", lambda: print("it is ready"))
        >>> events.tell("ready")
        it is ready
        >>> leave()
        >>> events.tell("ready")
    """

    def __init__(self) -> None:
        self._subscribers: list[tuple[Name, Callable[[], None]]] = []

    def on(self, name: Name, call: Callable[[], None]) -> Callable[[], None]:
        """Have `call` called at every event of that name; returns a function that ends this."""
        subscriber = (name, call)
        self._subscribers.append(subscriber)

        def leave() -> None:
            self._subscribers = [other for other in self._subscribers if other is not subscriber]

        return leave

    def tell(self, name: Name) -> None:
        """Call the subscribers of that name; raises as :func:`call_all` does."""
        call_all(call for event, call in list(self._subscribers) if event == name)


def call_all(calls: Iterable[Callable[[], None]]) -> None:
    """Make all `calls`, even if some of them raise; then raise the first error.

    So a view that fails does not keep the other views from drawing.
    """
    errors: list[Exception] = []
    for call in calls:
        try:
            call()
        except Exception as error:
            errors.append(error)
    if errors:
        raise errors[0]
