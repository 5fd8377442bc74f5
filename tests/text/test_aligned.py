"""A text while it is normalised: its characters are those of `str`, and each knows what it stands for."""

from __future__ import annotations

import re
import unicodedata
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_app.text.tokens import Aligned, NormalForm

FORMS: tuple[NormalForm, ...] = get_args(NormalForm)
LETTERS = st.sampled_from("aAbß Σσς.가각ᄀ́̈ ﬁÅ½\u1fec\u0345\t")
TEXTS = st.text(LETTERS, max_size=12) | st.text(max_size=8)


def _validate(found: Aligned, text: str, typed: str) -> None:
    """It is `text`, with one span for each character, inside the typed text and never backwards."""
    assert found.text == text
    assert len(found.spans) == len(text)
    assert all(0 <= start <= end <= len(typed) for start, end in found.spans)
    starts = [start for start, _ in found.spans]
    assert starts == sorted(starts)


@given(TEXTS, st.sampled_from(FORMS))
def test_a_normal_form_is_that_of_unicode(typed: str, form: NormalForm) -> None:
    found = Aligned.typed(typed).normalised(form)
    _validate(found, unicodedata.normalize(form, typed), typed)
    if typed:
        assert found.span() == (0, len(typed))


@given(TEXTS)
def test_small_letters_are_those_of_the_whole_text(typed: str) -> None:
    _validate(Aligned.typed(typed).lower(), typed.lower(), typed)


@given(TEXTS)
def test_each_character_may_become_any_number_of_them(typed: str) -> None:
    found = Aligned.typed(typed).mapped(lambda letter: letter * (ord(letter) % 3))
    _validate(found, "".join(letter * (ord(letter) % 3) for letter in typed), typed)
    assert [typed[start:end] for start, end in found.spans] == list(found.text)


@given(TEXTS, TEXTS.filter(bool), TEXTS)
def test_what_is_replaced_is_replaced_as_in_a_text(typed: str, theirs: str, ours: str) -> None:
    found = Aligned.typed(typed).replaced(theirs, ours)
    _validate(found, typed.replace(theirs, ours), typed)


def test_what_replaces_a_match_stands_for_all_of_it() -> None:
    found = Aligned.typed("a12b3").substituted(re.compile(r"\d+"), lambda match: f"<{match[0]}>")
    assert found.text == "a<12>b<3>"
    assert found.spans == [(0, 1), *[(1, 3)] * 4, (3, 4), *[(4, 5)] * 3]


@given(TEXTS)
def test_words_are_those_of_split_where_they_were_typed(typed: str) -> None:
    words = list(Aligned.typed(typed).words())
    assert [word.text for word in words] == typed.split()
    assert [typed[slice(*word.span())] for word in words] == typed.split()


@pytest.mark.parametrize(("left", "right"), [(True, True), (True, False), (False, True), (False, False)])
@given(typed=TEXTS)
def test_white_space_goes_from_the_chosen_ends(left: bool, right: bool, typed: str) -> None:
    found = Aligned.typed(typed).stripped(left, right)
    expected = typed.lstrip() if left else typed
    _validate(found, expected.rstrip() if right else expected, typed)
    assert typed[slice(*found.span())] == found.text


def test_letters_that_are_composed_stand_for_all_of_them() -> None:
    found = Aligned.typed("e\u0301x").normalised("NFC")
    assert (found.text, found.spans) == ("éx", [(0, 2), (2, 3)])
    back = found.normalised("NFD")
    assert (back.text, back.spans) == ("e\u0301x", [(0, 2), (0, 2), (2, 3)])


def test_a_mark_stands_with_its_letter_where_nothing_composes_them() -> None:
    found = Aligned.typed("x\u0323e\u0301").normalised("NFC")
    assert (found.text, found.spans) == ("x\u0323é", [(0, 2), (0, 2), (2, 4)])


def test_texts_are_joined_and_may_be_empty() -> None:
    both = Aligned.typed("ab")[1:].joined(Aligned.typed("c"))
    assert (both.text, list(both.spans)) == ("bc", [(1, 2), (0, 1)])
    assert both
    assert not Aligned.typed("")
    assert Aligned.typed("").span() == (0, 0)
