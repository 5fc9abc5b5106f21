"""The lessons in the notebooks: predictions before answers, and exercises that are checked by running them."""

from workbench.programs import needs

needs("lab", "a lesson")

from workbench.lessons.exercise import Exercise, exercise
from workbench.lessons.prediction import Prediction, predict

__all__ = ["Exercise", "Prediction", "exercise", "predict"]
