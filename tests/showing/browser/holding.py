"""Holds back what a kernel says to its window: what a slow kernel does is provoked by events, not by waiting."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: The page gets no message of a kernel while `held` is a list: one after the other then, when somebody calls what is
#: in it. It becomes one with the first message that has the text `from`.
HELD = """{
    window.held = window.from = null;
    const { get, set } = Object.getOwnPropertyDescriptor(WebSocket.prototype, "onmessage");
    Object.defineProperty(WebSocket.prototype, "onmessage", {
        get,
        set(hear) {
            set.call(this, (event) => {
                if (!window.held && window.from === null) return hear.call(this, event);
                const text = typeof event.data === "string" ? event.data : new TextDecoder().decode(event.data);
                if (!window.held && !text.includes(window.from)) return hear.call(this, event);
                window.held ??= [];
                window.held.push({ text, hear: () => hear.call(this, event) });
            });
        },
    });
}"""


@contextmanager
def held(page: Any, beginning: str = "") -> Iterator[None]:
    """Hold back what the kernel sends, from a message with this text on; let it through at the end."""
    page.evaluate("(text) => { window.from = text; }", beginning)
    try:
        yield
    finally:
        page.evaluate(
            "() => { const all = held ?? []; held = from = null; for (const message of all) message.hear(); }"
        )


def answered(page: Any, text: str) -> None:
    """Wait until the kernel has sent something with this text, which is held back."""
    page.wait_for_function("(text) => held?.some((message) => message.text.includes(text))", arg=text)


def heard(page: Any, clicks: int) -> None:
    """Wait until the kernel has answered so many clicks, and the answers are held back."""
    page.wait_for_function(
        """(clicks) => (held ?? []).filter(({ text }) => text.includes('"heard": [')).length >= clicks""", arg=clicks
    )
