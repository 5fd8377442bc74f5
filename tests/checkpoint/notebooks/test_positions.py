"""Notebooks whose position embeddings are not stored: asked for, saved, and computed by the right formula."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bertviz_app.api import open_model
from bertviz_app.checkpoint.questions import Answers, AnswersError, PositionFormula
from bertviz_app.errors import ArgumentError, CheckpointError
from tests.support.checkpoint_folders import opened
from tests.support.notebooks import ModelD, random_notebook, write_notebook


@pytest.fixture
def unanswered(tmp_path: Path) -> Path:
    """A model whose file has no positions, and whose config.json says everything else."""
    return write_notebook(
        tmp_path / "d", random_notebook("d"), config={**ModelD.config, "do_lower_case": True}
    )


def test_an_unknown_position_formula_is_an_open_question(unanswered: Path) -> None:
    with pytest.raises(AnswersError, match=r"known: --positions\.") as raised:
        opened(unanswered)
    assert raised.value.questions.unanswered == ("positions",)
    assert raised.value.questions.choices["positions"] == ("textbook", "columns", "none")
    assert "--positions textbook (or columns, none)" in raised.value.hint


@pytest.mark.parametrize("answer", ["textbook", "columns"])
def test_the_numbers_are_those_of_the_formula(unanswered: Path, answer: PositionFormula) -> None:
    trace = open_model(str(unanswered), "cpu", positions=answer).trace("The cat ate the fish")
    columns, positions = np.arange(trace.width), np.arange(trace.n_tokens)[:, None]
    power = 2 * columns if answer == "columns" else 2 * (columns // 2)
    angles = positions / 10000.0 ** (power / trace.width)
    expected = np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))
    assert trace.position_embeddings is not None
    np.testing.assert_allclose(trace.position_embeddings, expected, atol=1e-7)
    assert (trace.form.has_sinusoids, trace.form.has_column_sinusoids) == (True, answer == "columns")
    assert json.loads((unanswered / "bertviz_app.json").read_text("utf-8")) == {"positions": answer}
    again = open_model(str(unanswered), "cpu").trace("The cat ate the fish")
    np.testing.assert_array_equal(again.hidden, trace.hidden)


def test_without_positions_the_order_of_the_tokens_does_not_matter(unanswered: Path) -> None:
    model = open_model(str(unanswered), "cpu", positions="none")
    trace, other = model.trace("cat ate"), model.trace("ate cat")
    assert trace.position_embeddings is None
    np.testing.assert_allclose(trace.hidden[-1, 1], other.hidden[-1, 2], atol=1e-5)


def test_a_formula_that_is_none_is_refused(unanswered: Path) -> None:
    with pytest.raises(ArgumentError, match="is one of textbook, columns, none, not 'sines'") as raised:
        open_model(str(unanswered), "cpu", positions="sines")  # type: ignore[arg-type]
    assert 'positions="textbook"' in raised.value.hint
    assert not (unanswered / "bertviz_app.json").exists()


def test_where_positions_are_stored_no_formula_can_be_given(tmp_path: Path) -> None:
    folder = write_notebook(tmp_path / "c", random_notebook("c"))
    with pytest.raises(CheckpointError, match="does not leave open what --positions answers"):
        open_model(str(folder), "cpu", positions="textbook")
    questions = opened(folder).facts.questions
    assert questions is not None
    assert questions.in_force == Answers(4, 1e-5, True)
