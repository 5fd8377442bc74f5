"""What the heads of a checkpoint say, from Python: mistakes, and what belongs to a trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from bertviz_app.api import Model, open_model
from bertviz_app.errors import CheckpointError, SelectionError, TextError
from tests.support.families import write_family

TEXT, PAIR = "the cat ate the fish", "it was hungry"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("pretrained")
    write_family(folder, "bert", "AutoModelForPreTraining")
    return open_model(str(folder), "cpu")


def test_predictions_are_of_masked_tokens_or_of_given_positions(model: Model) -> None:
    trace = model.trace(TEXT, PAIR, replaced={2: "[MASK]", 5: "hungry"})
    found = model.predict(trace)
    assert [(one.position, one.is_masked) for one in found.fillings] == [(2, True)]
    assert found.next_sentence is not None
    found = model.predict(trace, [2, 5, 0], top=2)
    assert [(one.position, one.is_masked) for one in found.fillings] == [(2, True), (5, False), (0, False)]
    written = [one.written.piece for one in found.fillings if one.written is not None]
    assert written == ["cat", "fish", "[CLS]"], "what the text has, whatever is read there"
    assert all(len(one.fillers) == 2 for one in found.fillings)


def test_positions_that_cannot_be_predicted_are_refused(model: Model) -> None:
    with pytest.raises(TextError, match="no masked token in the text"):
        model.fill_mask(TEXT)
    with pytest.raises(TextError, match="cannot be replaced"):
        model.fill_mask(TEXT, position=0)
    with pytest.raises(TextError, match="no token 9"):
        model.fill_mask(TEXT, position=9)
    with pytest.raises(SelectionError, match="no token 9"):
        model.predict(model.trace(TEXT), [9])
    with pytest.raises(SelectionError, match="likeliest"):
        model.fill_mask("the [MASK]", top=0)


def test_a_task_without_its_head_is_refused_by_name(model: Model, tiny_bert: Path) -> None:
    for ask, task in ((model.classify, "classes of texts"), (model.replaced_tokens, "replaced tokens")):
        with pytest.raises(CheckpointError, match=f"{task}. It has a head for: masked tokens"):
            ask(TEXT)
    headless = open_model(str(tiny_bert), "cpu")
    with pytest.raises(CheckpointError, match="no task head at all"):
        headless.fill_mask(TEXT, position=2)
    with pytest.raises(CheckpointError, match="no head for next sentences"):
        headless.next_sentence(TEXT, PAIR)
    assert headless.predict(headless.trace(TEXT), [1]).fillings == ()


def test_a_trace_of_another_checkpoint_is_refused(model: Model, tiny_bert: Path) -> None:
    with pytest.raises(CheckpointError, match="another checkpoint"):
        model.predict(open_model(str(tiny_bert), "cpu").trace(TEXT))
