"""The few words beside a text: of several remarks the one that changes most of what is seen."""

from __future__ import annotations

from dataclasses import replace

from bertviz_app.views.bars.text_remark import text_remark
from tests.support.fakes import FACTS, tokens_of


def test_a_text_that_is_read_whole_has_no_remark() -> None:
    assert text_remark(tokens_of("the cat sat"), FACTS) == ""


def test_what_is_left_out_comes_first_then_what_is_unknown_then_what_was_hardly_trained() -> None:
    facts = replace(FACTS, n_trained_positions=4)
    assert text_remark(tokens_of("the [UNK] sat there", most=5), facts) == "1 left out"
    assert text_remark(tokens_of("cat " * 1500, most=5), facts) == "1,497 left out"
    assert text_remark(tokens_of("the [UNK] sat there"), facts) == "1 of 4 words unknown"
    dropped = replace(tokens_of("the cat sat there"), dropped="\x0c\0")
    assert text_remark(dropped, facts) == "2 invisible dropped"
    assert text_remark(tokens_of("the cat sat there"), facts) == "hardly trained from 4 on"
