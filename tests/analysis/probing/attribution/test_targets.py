"""The outcome to explain: each kind is the model's own number, and what it lacks is refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bertviz_app import open_model
from bertviz_app.analysis.entry import Inputs
from bertviz_app.analysis.model_access import ModelAccess
from bertviz_app.analysis.probing.attribution import Target, TargetParameters
from bertviz_app.errors import AnalysisError, AppError
from bertviz_app.trace import Trace
from tests.support.engine_model import EngineModel
from tests.support.families import write_family


def _outcome(model: EngineModel, trace: Trace, other: Trace | None = None, **parameters: Any) -> float:
    """Return the outcome of the trace's own tokens."""

    def work(access: ModelAccess) -> float:
        target = Target(Inputs(trace, access, other), TargetParameters(**parameters))
        return float(target.of([trace.tokens])[0])

    return model.with_model(trace, work)


@pytest.fixture(scope="module")
def masked(tmp_path_factory: pytest.TempPathFactory) -> EngineModel:
    folder = tmp_path_factory.mktemp("bert") / "bert"
    write_family(folder, "bert", "AutoModelForPreTraining")
    return EngineModel(folder)


def test_logits_are_those_of_the_task_heads(masked: EngineModel) -> None:
    trace = masked.trace("the cat [MASK] the fish", pair="it was hungry")
    logits = masked.logits(trace)
    at = trace.tokens.pieces.index("[MASK]")
    assert logits.masked is not None
    assert logits.next_sentence is not None
    assert _outcome(masked, trace, target="masked") == pytest.approx(logits.masked[at].max(), abs=1e-4)
    of_cat = logits.masked[2, masked.trace("cat").tokens.ids[1]]
    assert _outcome(masked, trace, target="masked", position=2, answer="cat") == pytest.approx(
        of_cat, abs=1e-4
    )
    follows, not_follows = logits.next_sentence
    assert _outcome(masked, trace, target="next-sentence") == pytest.approx(follows - not_follows, abs=1e-4)


def test_vectors_in_their_present_direction(masked: EngineModel) -> None:
    trace, other = masked.trace("the cat"), masked.trace("the fish was hungry")
    assert trace.pooled is not None
    assert _outcome(masked, trace, target="pooled") == pytest.approx(np.linalg.norm(trace.pooled), rel=1e-5)
    mean, second = trace.hidden[-1].mean(0), other.hidden[-1].mean(0)
    assert _outcome(masked, trace) == pytest.approx(np.linalg.norm(mean), rel=1e-5)
    cosine = mean @ second / np.linalg.norm(mean) / np.linalg.norm(second)
    assert _outcome(masked, trace, other, target="cosine") == pytest.approx(cosine, abs=1e-5)


def test_classes_by_name_and_by_number(tmp_path: Path) -> None:
    labels: dict[str, Any] = {
        "id2label": {0: "bad", 1: "good", 2: "so so"},
        "label2id": {"bad": 0, "good": 1, "so so": 2},
    }
    write_family(tmp_path / "bert", "bert", "AutoModelForSequenceClassification", num_labels=3, **labels)
    model = EngineModel(tmp_path / "bert")
    trace = model.trace("the cat")
    logits = model.logits(trace).classes
    assert logits is not None
    assert _outcome(model, trace, target="class") == pytest.approx(logits.max(), abs=1e-5)
    assert _outcome(model, trace, target="class", answer="Good") == pytest.approx(logits[1], abs=1e-5)
    assert _outcome(model, trace, target="class", answer="2") == pytest.approx(logits[2], abs=1e-5)
    with pytest.raises(AnalysisError, match="no class “3”"):
        _outcome(model, trace, target="class", answer="3")
    with pytest.raises(AnalysisError, match=r"no class “fine”\. There are: bad, good, so so"):
        _outcome(model, trace, target="class", answer="fine")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"target": "class"}, "has no classes"),
        ({"target": "masked"}, "No token of this text is masked"),
        ({"target": "masked", "position": 99}, "no token 99"),
        ({"target": "masked", "position": 1, "answer": "xyzzyplugh"}, "piece"),
        ({"target": "cosine"}, "compares two runs"),
    ],
)
def test_what_there_is_not_is_refused(masked: EngineModel, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(AppError, match=message):
        masked.analyse("occlusion", masked.trace("the cat"), **parameters)


def test_a_task_of_a_checkpoint_without_its_head_is_refused(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat")
    for target, message in (
        ("masked", "masked tokens"),
        ("next-sentence", "next sentence"),
        ("class", "no classes"),
    ):
        with pytest.raises(AnalysisError, match=message):
            model.analyse("saliency", trace, target=target)
