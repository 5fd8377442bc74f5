"""What the last lesson says of three analyses of its sentence is what they compute."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bertviz_app.analysis.results import NamedArrays
from bertviz_app.api import open_model
from bertviz_app.learning.lessons.lesson import Station
from bertviz_app.learning.lessons.reading import shipped_lessons
from bertviz_app.learning.lessons.tasks import MissingError, QuantityInputs, TokenTask

STATIONS = {each.key: each for each in shipped_lessons()[-1].stations}


def _text(station: Station) -> str:
    assert station.task is not None
    return f"{station.text.en} {station.task.why.en}"


def test_the_numbers_of_the_three_pictures_are_those_of_the_text(minilm: Path) -> None:
    station = STATIONS["pictures"]
    assert station.scene.analyses == ("norm-attention", "occlusion")
    model = open_model(minilm)
    trace = model.trace("A cat ate the fish because it was hungry")
    labels = trace.tokens.labels
    layer, head, hungry = station.scene.layer, station.scene.head, labels.index("hungry")
    assert layer is not None
    assert head is not None
    assert f"{trace.attention(layer, head)[hungry, 0]:.2f}" == "0.94"
    assert "puts 0.94 of its weight" in _text(station)

    lengths = model.analyse("norm-attention", trace).arrays()["values"][layer, head, hungry]
    assert lengths[0] / lengths.sum() == pytest.approx(1 / 3, abs=0.04)

    occlusion = model.analyse("occlusion", trace).arrays()["values"]
    first, second = (labels[at] for at in np.argsort(-occlusion)[:2])
    assert (first, second) == ("cat", "fish")
    assert isinstance(station.task, TokenTask)
    rule, at = station.task.answer, labels.index(first)
    assert (rule.of, rule.analysis) == ("largest value", "occlusion")
    run = QuantityInputs(trace, analysed={"occlusion": occlusion})
    assert rule.positions(run) == {at}
    with pytest.raises(MissingError, match="there is no result of “occlusion”"):
        rule.positions(QuantityInputs(trace))
    assert f"“{first}”, then “{second}”" in _text(station)


def test_the_agreements_with_occlusion_are_those_of_the_text(minilm: Path) -> None:
    model = open_model(minilm)
    result = model.analyse("agreement", model.trace("A cat ate the fish because it was hungry"))
    assert isinstance(result, NamedArrays)
    names, spearman = result.axes_of["spearman"][0].labels, result.arrays()["spearman"]
    row = dict(zip(names, spearman[names.index("occlusion")], strict=True))
    assert f"{row['attention-rollout']:.2f}" == "-0.08"
    assert f"{row['decompx']:.2f}" == "0.97"
    assert "−0.08 on this sentence, and 0.97 for DecompX" in _text(STATIONS["agreement"])
