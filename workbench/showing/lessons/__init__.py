"""The lessons in the notebooks: predictions before answers, and exercises that are checked by running them."""

from workbench.registry.programs import needs

needs("lab", "a lesson")

from workbench.showing.lessons.exercise import Exercise, exercise
from workbench.showing.lessons.prediction import Prediction, predict

__all__ = ["Exercise", "Prediction", "exercise", "predict"]
