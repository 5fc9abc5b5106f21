"""The flow through a trace that its player has wherever it plays: in a notebook, on pages, and in the playground.

Buttons are pressed by keys: a click that comes with a scroll may be sent to a frame that was there before it.
"""

import re
from typing import Any

from playwright.sync_api import expect


def plays(player: Any, states: int) -> None:
    """Step through a trace by keys, buttons, dots, and by what is found in it; it ends at the last state.

    Args:
        player: The locator of the player.
        states: How many the trace has.
    """
    where, picture, dots = player.locator(".wb-where"), player.locator(".wb-picture svg"), player.locator(".wb-dot")
    more, find = player.locator(".wb-more > summary"), player.get_by_label("find in the trace")

    def expect_at(state: int) -> None:
        """What is said, drawn and marked is that state."""
        expect(where).to_contain_text(re.compile(rf"State {state} of {states}:"))
        expect(picture).to_have_attribute("aria-label", re.compile(rf", {state}  "))
        expect(dots.nth(state - 1)).to_have_attribute("data-current", "")

    for key, state in (("End", states), ("ArrowLeft", states - 1), ("Home", 1), ("ArrowDown", 2), ("ArrowRight", 3)):
        player.press(key)
        expect_at(state)
    buttons = {"to the beginning": 1, "next step": 2, "previous step": 1, "to the (fault|end)": states}
    for button, state in buttons.items():
        player.get_by_role("button", name=re.compile(button)).press("Enter")
        expect_at(state)
    expect(player.get_by_role("button", name="next step")).to_be_disabled()
    dots.nth(1).dispatch_event("pointerdown", {"buttons": 1})
    expect_at(2)
    more.press("Enter")
    find.fill(dots.nth(states - 1).locator("title").text_content().partition("  ")[2])
    find.press("Shift+Enter")  # the last one that is called like that
    expect_at(states)
    expect(player.locator(".wb-found")).to_have_text(re.compile(r"^(\d+) of \1$"))
    find.fill("")
    more.press("Enter")
