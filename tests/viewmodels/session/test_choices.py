"""What Steps and Vectors show, in `snapshot` and `viewmodels.steps.panel_walk`: saved, restored, followed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bertviz_app.viewmodels.overview_options import OverviewChoice
from bertviz_app.viewmodels.panel_choices import ParametersChoice, StepsChoice, VectorsChoice
from bertviz_app.viewmodels.panels import Panel, Panels
from bertviz_app.viewmodels.selection import Pair
from bertviz_app.viewmodels.session.snapshot import Snapshot, snapshot_from_plain, snapshot_to_plain
from bertviz_app.viewmodels.steps.panel_walk import choice_of, stop_of
from bertviz_app.viewmodels.steps.stops import BELOW, Stop


@pytest.mark.parametrize(
    ("stop", "choice"),
    [
        (Stop(BELOW, "segment"), StepsChoice("embeddings", "segment")),
        (Stop(3, "softmax"), StepsChoice("layer", "softmax")),
        (Stop(6, "dense"), StepsChoice("top", "dense")),
    ],
)
def test_a_stop_and_its_choice(stop: Stop, choice: StepsChoice) -> None:
    assert choice_of(stop, 6, "walk") == choice
    assert stop_of(choice, 3, 6) == stop


def test_the_top_of_a_deeper_model_is_its_own_top() -> None:
    assert stop_of(choice_of(Stop(6, "first"), 6, "table"), 0, 12) == Stop(12, "first")


@pytest.mark.parametrize(
    "make",
    [
        lambda: VectorsChoice("none"),  # type: ignore[arg-type]
        lambda: VectorsChoice("map", -1),
        lambda: StepsChoice(divisor=0.0),
        lambda: StepsChoice(divisor=float("inf")),
        lambda: ParametersChoice("none"),  # type: ignore[arg-type]
        lambda: ParametersChoice("picture", "", -1),
    ],
)
def test_there_is_no_such_choice(make: object) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=r"must be|count from 0|positive"):
        make()


def _panels() -> Panels:
    panels = Panels()
    panels.set_size(4, 3)
    panels.open([Panel(0, 2, 1, "steps"), Panel(0, 2, 1, "vectors")])
    return panels


def test_a_choice_is_noted_without_drawing_anew() -> None:
    panels = _panels()
    heard: list[str] = []
    panels.changed.connect(lambda: heard.append("changed"))
    panels.choice_changed.connect(lambda: heard.append("choice"))
    first, second = (panel.number for panel in panels.panels)
    for _ in range(2):
        panels.choose(first, StepsChoice("top", "pooled", "table"))
        panels.choose(second, VectorsChoice("map", 0))
    assert heard == ["choice", "choice"]
    assert panels.panels[0].steps == StepsChoice("top", "pooled", "table")
    assert panels.panels[1].vectors == VectorsChoice("map", 0)


def test_another_layer_is_followed() -> None:
    panels = _panels()
    for panel in panels.panels:
        panels.choose(panel.number, StepsChoice("top", "pooled", "table"))
        panels.choose(panel.number, VectorsChoice("map", 0))
    panels.show(2, 0)
    assert {panel.steps.part for panel in panels.panels} == {"top"}, "another head of the same layer"
    panels.show(3, 0)
    for panel in panels.panels:
        assert (panel.steps.part, panel.steps.form) == ("layer", "table")
        assert panel.vectors == VectorsChoice("map", None)


def test_another_layer_keeps_the_reason_and_forgets_the_divisor() -> None:
    panels = _panels()
    first = panels.panels[0].number
    for stop in (StepsChoice("layer", "softmax"), StepsChoice("top", "pooled")):
        panels.choose(first, replace(stop, shows_why=True, divisor=2.0, shows_products=True))
        panels.show(5 - panels.panels[0].layer, 0)
        steps = panels.panels[0].steps
        assert (steps.part, steps.shows_why, steps.divisor) == ("layer", True, None)
        assert steps.shows_products


def test_choices_are_in_the_session_file_and_may_be_missing_there() -> None:
    panel = Panel(
        0, 1, 2, "steps", steps=StepsChoice("embeddings", "token"), vectors=VectorsChoice("similar", 1)
    )
    snapshot = Snapshot(text="a text", panels=(panel,))
    plain = snapshot_to_plain(snapshot)
    assert plain["panels"][0]["how"] == "steps"
    assert snapshot_from_plain(plain) == snapshot
    for name in ("shows_why", "divisor", "shows_products"):
        del plain["panels"][0]["steps"][name]
    assert snapshot_from_plain(plain).panels == (panel,), "a file from before these were saved"
    for name in ("steps", "vectors"):
        del plain["panels"][0][name]
    assert snapshot_from_plain(plain).panels == (Panel(0, 1, 2, "steps"),)
    plain["panels"][0]["steps"] = {"part": "nowhere", "stage": "queries", "form": "walk"}
    with pytest.raises(ValueError, match="part"):
        snapshot_from_plain(plain)


def test_to_unfold_the_reason_and_to_try_a_divisor_are_undone_but_not_each_number() -> None:
    def snapshot(steps: StepsChoice) -> Snapshot:
        return Snapshot(panels=(Panel(0, 1, 2, "steps", steps=steps),)).without_choices()

    walked = snapshot(StepsChoice("top", "pooled", "table"))
    assert walked == snapshot(StepsChoice())
    assert snapshot(StepsChoice(shows_why=True)) != walked
    assert snapshot(StepsChoice(shows_products=True)) != walked
    assert snapshot(StepsChoice(divisor=2.0)) != walked
    assert snapshot(StepsChoice(divisor=2.0)) == snapshot(StepsChoice(divisor=3.0))


def test_what_parameters_show_is_noted_and_in_the_session_file() -> None:
    panels = _panels()
    first = panels.panels[0].number
    choice = ParametersChoice("product", "layers.1.attention.key.weight", 5)
    panels.choose(first, choice)
    panels.show(3, 0)
    assert panels.panels[0].parameters == choice, "another layer has the same parameters"
    snapshot = Snapshot(text="a text", panels=(Panel(0, 1, 2, "parameters", parameters=choice),))
    plain = snapshot_to_plain(snapshot)
    assert snapshot_from_plain(plain) == snapshot
    assert snapshot.without_choices().panels == (Panel(0, 1, 2, "parameters"),)
    del plain["panels"][0]["parameters"]
    assert snapshot_from_plain(plain).panels == (Panel(0, 1, 2, "parameters"),)


def test_a_session_keeps_the_pair_and_one_of_an_older_program_shows_it() -> None:
    snapshot = Snapshot(pinned=Pair(3, 2), overview=OverviewChoice(shows_pair=False))
    plain = snapshot_to_plain(snapshot)
    assert snapshot_from_plain(plain) == snapshot
    del plain["overview"]["shows_pair"]
    older = snapshot_from_plain(plain)
    assert older.overview.shows_pair
    assert older.pinned == Pair(3, 2)
