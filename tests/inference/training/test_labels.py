"""Fine-tuning on real and on random labels: the same texts, other labels, the same numbers each time."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bertviz_app.errors import Cancelled
from bertviz_app.inference.training.labels import (
    LABELS,
    LabelTraining,
    label_jobs,
    result_in,
    train_labels,
    with_random_labels,
)
from bertviz_app.training.finetuning.settings import Row, Rows, read_rows

TINY = LabelTraining(n_rows=16, epochs=2)


def rows_of(folder: Path, labels: str, name: str) -> Rows:
    return read_rows(folder / f"{labels}_{name}.tsv")


def test_both_jobs_have_the_same_texts(tmp_path: Path) -> None:
    jobs = label_jobs(LabelTraining(), tmp_path)
    assert tuple(jobs) == LABELS
    for name, count in (("train", 320), ("test", 400)):
        real, dealt = (rows_of(tmp_path, labels, name).rows for labels in LABELS)
        assert [row.text for row in real] == [row.text for row in dealt]
        assert (
            Counter(row.label for row in real)
            == Counter(row.label for row in dealt)
            == {
                "0": count // 2,
                "1": count // 2,
            }
        )
        n_same = sum(one.label == other.label for one, other in zip(real, dealt, strict=True))
        assert 0.35 < n_same / count < 0.65
    texts = {row.text for row in rows_of(tmp_path, "real", "train").rows}
    assert not texts & {row.text for row in rows_of(tmp_path, "real", "test").rows}
    assert jobs["real"].settings == jobs["random"].settings


def test_labels_are_dealt_out_the_same_way_each_time() -> None:
    rows = [Row(str(number % 2), f"text {number}") for number in range(40)]
    assert with_random_labels(rows, 1) == with_random_labels(rows, 1) != with_random_labels(rows, 2)


def test_a_tiny_training_has_the_same_numbers_each_time(tmp_path: Path) -> None:
    first, second = train_labels(TINY), train_labels(TINY)
    assert first == second
    for result in first.values():
        assert result.training_accuracy * 16 == pytest.approx(round(result.training_accuracy * 16))
        assert result.held_out_accuracy * 20 == pytest.approx(round(result.held_out_accuracy * 20))
        assert result.baseline == 0.5


def test_a_training_that_was_not_done_has_no_result(tmp_path: Path) -> None:
    assert result_in(tmp_path) is None
    (tmp_path / "log.jsonl").write_text('{"kind": "step"}\n', encoding="utf-8")
    assert result_in(tmp_path) is None


def test_it_is_cancelled_between_the_two() -> None:
    def check() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        train_labels(TINY, check)


@pytest.mark.parametrize("change", [{"n_rows": 4}, {"n_rows": 321}, {"epochs": 0}])
def test_what_cannot_be_trained_is_refused(change: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be from"):
        LabelTraining(**change)
