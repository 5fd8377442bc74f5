"""The reviews of the lesson on fine-tuning are what its model takes them for."""

from __future__ import annotations

import pytest

from bertviz_app.api import open_model
from bertviz_app.learning.lessons.reading import shipped_lessons

STATION = next(each for each in shipped_lessons() if each.key == "fine-tuning").stations[0]
BORING = "정말 지루하고 재미없는 영화"


def _positive(text: str) -> float:
    model = open_model(str(STATION.scene.model))
    classes = model.classify(text)
    return next(each.value for each in classes.labels if each.name == "positive")


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_good_review_is_positive_and_the_one_of_the_hint_is_not(language: str) -> None:
    assert STATION.scene.text is not None
    assert STATION.task is not None
    assert _positive(STATION.scene.text.in_language(language)) == pytest.approx(0.99, abs=0.01)
    assert BORING in STATION.task.hint.in_language(language)
    assert _positive(BORING) < 0.01
