"""The reasons for the stages: there is one for every stage of every family, in both languages."""

from __future__ import annotations

import re

import pytest

from bertviz_app.learning.words import CONDITIONS, LANGUAGES, Reasons, StageReason, Words, reasons
from bertviz_app.viewmodels.steps.stops import STAGES

_STOPS = [stage.key.rstrip("0123456789") for stage in STAGES.values() if stage.is_stop]
_SENTENCES = re.compile(r"[.?!]”?(?: |$)")


def test_every_stop_has_a_reason_under_every_condition() -> None:
    for stage in _STOPS:
        for conditions in [(), *((condition,) for condition in CONDITIONS)]:
            assert reasons().of(stage, conditions).stage == stage


def test_every_reason_is_of_a_stop_and_every_condition_has_one() -> None:
    assert {reason.stage for reason in reasons().reasons} == set(_STOPS)
    assert {reason.when for reason in reasons().reasons} == {"", *CONDITIONS}


def test_a_reason_has_two_to_four_sentences() -> None:
    faults = [
        (reason.stage, reason.when, language)
        for reason in reasons().reasons
        for language in LANGUAGES
        if not 2 <= len(_SENTENCES.findall(reason.text.in_language(language))) <= 4
    ]
    assert faults == []


def test_the_special_reason_comes_before_the_general_one() -> None:
    general = StageReason("first", Words("a", "가"))
    special = StageReason("first", Words("b", "나"), when="no_pooler")
    for order in ((general, special), (special, general)):
        assert Reasons(order).of("first", {"no_pooler"}) is special
        assert Reasons(order).of("first") is general


def test_an_unknown_condition_or_stage_is_named() -> None:
    with pytest.raises(ValueError, match="there is no condition 'rotory'"):
        StageReason("first", Words("a", "가"), when="rotory")
    with pytest.raises(KeyError, match="nowhere"):
        reasons().of("nowhere")
