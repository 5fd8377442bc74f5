"""Interventions through the API and the command line, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bertviz_app.api import (
    CellIntervention,
    HeadIntervention,
    Intervention,
    Model,
    StateIntervention,
    TokenIntervention,
    open_model,
)
from bertviz_app.cli.reading import read_intervention
from bertviz_app.errors import AppError, ArgumentError
from bertviz_app.trace import load_trace, save_trace

TEXT = "the cat ate the fish"
ALL: list[Intervention] = [
    HeadIntervention(0, 1, "uniform"),
    HeadIntervention(1, 1, "mean", "a mat sat on the hat"),
    HeadIntervention(1, 2),
    TokenIntervention(2, "drop"),
    TokenIntervention(3),
    TokenIntervention(4, "segment", 1),
    TokenIntervention(5, "position", 9),
    CellIntervention(0, 3, 1, 3, 0.5),
    StateIntervention(1, 4, 2, "it rained", "the cat"),
]


@pytest.fixture(scope="module")
def model(tiny_bert: Path) -> Model:
    return open_model(str(tiny_bert), "cpu")


def test_a_trace_names_its_interventions_in_every_file(model: Model, tmp_path: Path) -> None:
    trace = model.trace(TEXT, interventions=ALL)
    assert set(trace.edits.interventions) == set(ALL)
    save_trace(trace, tmp_path / "trace.npz")
    again = load_trace(tmp_path / "trace.npz")
    assert again.edits == trace.edits
    np.testing.assert_array_equal(again.attention(), trace.attention())
    assert again.attention(0, 3)[1, 2] == pytest.approx(0.5)  # token 3 is read at 2
    save_trace(trace, tmp_path / "trace.csv")
    lines = (tmp_path / "trace.csv").read_text(encoding="utf-8").splitlines()
    for line in (
        "uniform,0,1,,,",
        "mean,1,1,,,a mat sat on the hat",
        "muted,1,2,,,",
        "drop,,,2,,",
        "segment,,,4,,1",
        "position,,,5,,9",
        "set,0,3,1,3,0.5",
        "state,1,,4,2,it rained",
    ):
        assert line in lines


def test_the_api_is_short_for_masks_and_zeros(model: Model) -> None:
    short = model.trace(TEXT, muted=[(1, 2)], replaced={3: "[MASK]"})
    long = model.trace(TEXT, interventions=[HeadIntervention(1, 2), TokenIntervention(3)])
    assert short.edits == long.edits
    np.testing.assert_array_equal(short.hidden, long.hidden)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([HeadIntervention(9, 0, "uniform")], "There is no head 9 · 0"),
        ([HeadIntervention(0, 99)], "There is no head 0 · 99"),
        ([HeadIntervention(0, 1, "mean", "a"), HeadIntervention(0, 1)], "contradict"),
        ([TokenIntervention(99, "drop")], "There is no token 99"),
        ([TokenIntervention(2, "segment", 2)], "There is no segment 2: this checkpoint has 0 to 1."),
        ([TokenIntervention(2, "position", 999)], "There is no position 999"),
        ([TokenIntervention(2, "replace", "zzzz")], "zzzz"),
        ([CellIntervention(0, 1, 99, 0, 0.5)], "There is no token 99"),
        ([StateIntervention(9, 1, 1, "a")], "There is no state 9: this model has states 0 to 2"),
        ([StateIntervention(1, 99, 1, "a")], "There is no token 99"),
        ([StateIntervention(1, 1, 99, "it")], "There is no token 99 in “it”: it has tokens 0 to 2"),
        ([StateIntervention(1, 2, 1, "a"), TokenIntervention(2, "drop")], "Token 2 is dropped"),
        ([StateIntervention(1, 2, 1, "a"), StateIntervention(1, 2, 1, "it")], "contradict"),
        ([CellIntervention(0, 99, 0, 0, 0.5)], "There is no head 0 · 99"),
        ([CellIntervention(0, 1, 0, 1, 0.6), CellIntervention(0, 1, 0, 2, 0.6)], "add up to more than 1"),
        ([CellIntervention(0, 1, 0, at, 0.1) for at in range(7)], "No other weight of this row is left"),
        ([CellIntervention(0, 1, 2, 1, 0.5), TokenIntervention(2, "drop")], "Token 2 is dropped"),
    ],
)
def test_what_a_run_does_not_have_is_refused(model: Model, given: list[Intervention], words: str) -> None:
    with pytest.raises(AppError) as error:
        model.trace(TEXT, interventions=given)
    assert words in str(error.value)


@pytest.mark.parametrize("given", ["head", [1], 3, [("head", 0, 1)]])
def test_other_things_are_no_interventions(model: Model, given: object) -> None:
    with pytest.raises(ArgumentError, match=r"interventions=\[HeadIntervention"):
        model.trace(TEXT, interventions=given)  # type: ignore[arg-type]  # that is what is tested


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("head:3.5=zero", HeadIntervention(3, 5)),
        ("head:3.5=uniform", HeadIntervention(3, 5, "uniform")),
        ("head:3.5=mean", HeadIntervention(3, 5, "mean", "a text")),
        ("token:4=mask", TokenIntervention(4)),
        ("token:4=drop", TokenIntervention(4, "drop")),
        ("token:4=replace:dog", TokenIntervention(4, "replace", "dog")),
        ("token:4=segment:1", TokenIntervention(4, "segment", 1)),
        ("token: 4 = position:7", TokenIntervention(4, "position", 7)),
        ("cell:3.5:2:7=0.4", CellIntervention(3, 5, 2, 7, 0.4)),
        ("state:3:4=6", StateIntervention(3, 4, 6, "a text")),
    ],
)
def test_the_command_line_reads_interventions(text: str, expected: Intervention) -> None:
    assert read_intervention(text, "a text") == expected


@pytest.mark.parametrize(
    "text",
    [
        "head:3=zero",
        "head:3.5=off",
        "head 3.5",
        "token:x=drop",
        "token:4=segment:a",
        "cell:1.2:3=0.5",
        "cell:1.2:3:4=0.5.1",
        "row:1=2",
    ],
)
def test_the_command_line_refuses_what_it_cannot_read(text: str) -> None:
    with pytest.raises(AppError) as error:
        read_intervention(text, "")
    assert error.value.message == f"“{text}” is no intervention."
    assert "head:3.5=uniform" in error.value.hint


def test_a_reference_text_that_is_too_long_is_cut_with_a_notice(model: Model) -> None:
    def notices(reference: str) -> tuple[str, ...]:
        mean = HeadIntervention(1, 1, "mean", reference)
        return tuple(map(str, model.encode("the cat sat", interventions=[mean]).notices))

    assert not notices("the cat ate the fish")
    (notice,) = notices("the cat " * 400)
    most = model.facts.n_positions
    assert notice == (
        f"The reference text is too long for this model: means are taken over its first {most} tokens."
    )
