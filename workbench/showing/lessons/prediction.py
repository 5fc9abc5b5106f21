"""Predictions: a question before the cell that answers it."""

import ipywidgets

from workbench.kernel import InputError
from workbench.kernel.errors import brief, listed
from workbench.showing.panel.lifetime import Panel
from workbench.showing.panel.pane import Style, Words
from workbench.showing.pictures.markup import Markup, element
from workbench.showing.view.html import Rendered


class Prediction(Panel, ipywidgets.VBox):
    """A question with choices; made by :func:`predict`.

    What the next cell puts out is hidden until somebody has chosen, in a saved notebook and on the site, too: the style
    sheet does that, where there is one.
    """

    def __init__(self, question: str, choices: tuple[str, ...]) -> None:
        self.question, self.choices = question, choices
        self._buttons = ipywidgets.RadioButtons(options=choices, value=None, layout={"width": "auto"})
        super().__init__([Style(), Words(self._asked()), self._buttons])
        self.add_class("wb-prediction")

    @property
    def choice(self) -> str | None:
        """The chosen answer, or None."""
        return self._buttons.value

    @choice.setter
    def choice(self, choice: str | None) -> None:
        self._buttons.value = choice

    def answer(self, actual: str) -> str:
        """The actual answer, and whether it was predicted, in words.

        Raises:
            InputError: If it is not one of the choices: nobody could have been right.
        """
        if actual not in self.choices:
            raise InputError(f"answer {brief(actual)} is not accepted; the choices are {listed(self.choices)}")
        if self.choice is None:
            return f"Answer: {actual}."
        if self.choice == actual:
            return f"Answer: {actual}. You predicted it."
        return f"Answer: {actual}. You predicted: {self.choice}."

    def _asked(self) -> Markup:
        return element("p", element("b", "Predict:"), f" {self.question}")

    def __repr__(self) -> str:
        return f"Predict: {self.question} ({' / '.join(self.choices)})"

    def static(self) -> Rendered:
        choices = (
            element("li", element("label", element("input", type="radio", name="choice"), f" {choice}"))
            for choice in self.choices
        )
        asked = element("form", self._asked(), element("ul", *choices), class_="wb-prediction")
        return Rendered(asked, repr(self))


def predict(question: str, *choices: str) -> Prediction:
    """Ask a question that a later cell answers; without a kernel it is plain text.

    Args:
        *choices: Such as the words of a verdict.

    Examples:
        >>> guess = predict("Does the second commit succeed?", "yes", "no")
        >>> guess.choice = "yes"  # which is what a click does
        >>> guess.answer("no")
        'Answer: no. You predicted: yes.'
    """
    return Prediction(question, choices)
