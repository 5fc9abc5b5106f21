"""What the tests of panels share: what is in sight, what a person does, and a kernel that runs cells."""

import html
import re
from collections.abc import Iterator
from typing import Any

from jupyter_client.manager import start_new_kernel

from workbench.language import *
from workbench.showing.panel.fields import Checkbox
from workbench.showing.panel.parts import Part
from workbench.showing.panel.player import Player
from workbench.showing.panel.toggles import Toggles


class Every(Model):
    """A constant of each kind."""

    On = Constant(True, bool, "a switch")
    Count = Constant(4, range(2, 9, 2), "an integer")
    Kind = Constant("b", ("a", "b", 3), "a choice")
    Actors = Constant(3, Names("a", range(1, 6)), "a set")
    Parts = Constant(None, Partition("Actors"), "a partition", ghost=True)

    n = Variable(0)

    @action
    def up(self, s):
        require(s.n < self.Count, "at the end")
        s.n += 1

    @invariant
    def Small(self, s):
        return s.n < 6 or not self.On or self.Kind == "a"

    @reachable
    def AtTwo(self, s):
        """Two is counted."""
        return s.n == 2


# What a person sees, and does -----------------------------------------------------------------------------------------


def parts(shown: Any) -> Iterator[Any]:
    """What stands in a widget or in a part of it, and what stands in that."""
    part = getattr(shown, "content", shown)
    yield part
    if part.shown:
        for child in part.children:
            yield from parts(child)


def everything(shown: Any) -> str:
    """All the HTML in it."""
    return "".join(part.markup() for part in parts(shown) if part.shown)


def find(shown: Any, text: str) -> Any:
    """The control, or the button, with this text on it, beside it, or in it while it is empty."""
    said = ("text", "label", "placeholder")
    return next(part for part in parts(shown) if any(getattr(part, name, "").startswith(text) for name in said))


def use(part: Any, sent: str, value: Any = None) -> None:
    """What the page says when a person has pressed, ticked, chosen or typed something."""
    if part.surface is None:
        part.receive(sent, value)
    else:
        part.surface._handle_custom_msg({"part": part.number, "send": sent, "value": value, "click": 1}, [])


def choose_state(pane: Any, state: int, by_hand: bool = True) -> None:
    """What the page of a whole graph says when a state is chosen in it."""
    pane.surface._handle_custom_msg({"part": pane.number, "ask": {"state": state, "chosen": by_hand}}, [])


def enter(shown: Any, text: str, value: Any) -> None:
    """Choose or type something in a field; a number as a page says it."""
    use(find(shown, text), "value", str(value) if type(value) is int else value)


def switches(shown: Any, name: str) -> Toggles:
    """The switches of which one has this name."""
    return next(part for part in parts(shown) if isinstance(part, Toggles) and name in part.titles)


def click(shown: Any, text: str) -> None:
    """What a click on a switch of this name does, or on the first button or box with this text on it or about it."""
    for part in parts(shown):
        if isinstance(part, Toggles):
            if text in part.titles:
                return use(part, text, text not in part.on)
            continue
        for sent, rest in re.findall(r'data-send="([^"]*)"(.*?(?:</button>|</g>|/>|</label>))', _html(part), re.DOTALL):
            if text in html.unescape(sent + re.sub("<[^>]*>", "", f"<{rest}") + rest):
                value = 'checked="' not in rest if sent.startswith("tick") or isinstance(part, Checkbox) else None
                return use(part, html.unescape(sent), value)
    raise AssertionError(f"there is no {text!r}")


def _html(part: Part) -> str:
    return part.markup() if part.shown else ""


def playing(shown: Any) -> Any:
    """The player that is in it."""
    return next(part for part in parts(shown) if isinstance(part, Player))


def drawn(shown: Any, name: str) -> Any:
    """What its player draws."""
    return playing(shown).values[name]


def take(player: Any, label: str) -> None:
    """Click a step among the possible ones."""
    for sent in re.findall(r'data-take="([^"]*)"', drawn(player, "moves")):
        if html.unescape(sent).endswith(f" {label}"):
            ask(player, take=html.unescape(sent))
            return
    raise AssertionError(f"{label} is not possible")


def ask(player: Any, **what: str) -> list[Any]:
    """What the page of a player wants; the answers."""
    sent: list[Any] = []
    player.send = sent.append
    player._handle_custom_msg({"part": playing(player).number, "ask": what}, [])
    return [answer for answer in sent if "player" in answer]


class Kernel:
    """A kernel that runs cells as a notebook has it do, each under the name of its cell.

    Attributes:
        displayed: What the cell that ran last has shown, by MIME type.
        opened: The states with which it has opened widgets.
    """

    def __init__(self) -> None:
        self.manager, self.client = start_new_kernel(kernel_name="python3")
        self.displayed: list[dict[str, Any]] = []
        self.opened: list[dict[str, Any]] = []

    def run(self, cell: str, code: str) -> str:
        """What a cell prints."""
        content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False}
        message = self.client.session.msg("execute_request", content, metadata={"cellId": cell})
        self.client.shell_channel.send(message)
        printed, self.displayed, self.opened = "", [], []
        while True:
            said = self.client.get_iopub_msg(timeout=300)
            if said["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            assert said["msg_type"] != "error", said["content"]["traceback"]
            if said["msg_type"] == "display_data":
                self.displayed.append(said["content"]["data"])
            if said["msg_type"] == "comm_open":
                self.opened.append(said["content"]["data"]["state"])
            if said["msg_type"] == "stream":
                printed += said["content"]["text"]
            if said["msg_type"] == "status" and said["content"]["execution_state"] == "idle":
                return printed.strip()

    def alive(self) -> int:
        """How many panels, and simulators on their own, the kernel keeps."""
        return int(
            self.run(
                "count",
                "from ipywidgets import Widget; print(sum('wb-panel' in one['state'].get("
                "'_dom_classes', ()) for one in Widget.get_manager_state()['state'].values()))",
            )
        )
