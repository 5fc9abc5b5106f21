"""Predictions: a question before the cell that answers it."""

from typing import Any

from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief, listed
from workbench.showing.panel.fields import Field
from workbench.showing.panel.surface import Surface
from workbench.showing.pictures.markup import Markup, element
from workbench.showing.view.base.html import Rendered


class _Choices(Field):
    """One of a few answers, or none yet."""

    def __init__(self, question: Markup, choices: tuple[str, ...]) -> None:
        super().__init__("", None)
        self._question, self._choices = question, choices

    def read(self, sent: Any) -> Any:
        return sent if sent in self._choices else None

    def markup(self) -> Markup:
        choices = (
            element(
                "li",
                element(
                    "label",
                    element(
                        "input", type="radio", name="choice", value=choice, data_send=choice,
                        checked="checked" if choice == self.value else None,
                    ),
                    f" {choice}",
                ),
            )
            for choice in self._choices
        )  # fmt: skip
        return element("form", self._question, element("ul", *choices))


class Prediction(Surface):
    """A question with choices; made by :func:`predict`.

    The output of the next cell is hidden until somebody has chosen, in a saved notebook and on the site too; the style
    sheet does that, if there is one.
    """

    def __init__(self, question: str, choices: tuple[str, ...]) -> None:
        self.question, self.choices = question, choices
        self._answers = _Choices(element("p", element("b", "Predict:"), f" {question}"), choices)
        super().__init__(self._answers)
        self.add_class("wb-prediction")

    @property
    def choice(self) -> str | None:
        """The chosen answer, or None."""
        return self._answers.value

    @choice.setter
    def choice(self, choice: str | None) -> None:
        self._answers.value = choice

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

    def __repr__(self) -> str:
        return f"Predict: {self.question} ({' / '.join(self.choices)})"

    def static(self) -> Rendered:
        return Rendered(element("div", self._answers.markup(), class_="wb-prediction"), repr(self))


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
