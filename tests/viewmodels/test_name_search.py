"""Names found by what people type."""

from __future__ import annotations

import pytest

from bertviz_app.viewmodels.name_search import Names, NameSearch

NAMES = (
    Names("수업 목록 …", "All lessons … list"),
    Names("패널의 수치 저장 …", "Save the panel's numbers …"),
    Names("어텐션 엔트로피", "Attention entropy"),
    Names("Head ablation", "How much does the outcome change with each head muted?"),
    Names("Larger text", "bigger font"),
    Names("모르는 낱말", "Unknown words"),
)


def found(typed: str) -> list[str]:
    return [NAMES[index].shown for index in NameSearch(NAMES).find(typed)]


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("lesson list", "수업 목록 …"),
        ("list lesson", "수업 목록 …"),
        ("each head muted", "Head ablation"),
        ("muted heads", "Head ablation"),  # "heads" is in no name: taken for "head"
        ("entrpoy", "어텐션 엔트로피"),
        ("Lagrer", "Larger text"),
        ("bigger", "Larger text"),
        ("수업목록", "수업 목록 …"),  # no space
        ("수엄", "수업 목록 …"),  # a wrong final consonant
        ("unknown zebra", "모르는 낱말"),  # the best there is: one word is nowhere
    ],
)
def test_words_are_found_in_any_order_and_with_typing_errors(typed: str, shown: str) -> None:
    assert found(typed) == [shown]


def test_every_state_of_a_syllable_that_is_being_composed_finds_the_finished_word() -> None:
    for typed in ("ㅁ", "모", "몰", "모르", "모른", "모르느", "모르는"):
        assert "모르는 낱말" in found(typed)
    assert found("수어") == found("수업") == ["수업 목록 …"]
    assert len(found("수")) == 2


def test_who_types_a_word_right_is_not_offered_similar_ones() -> None:
    names = NameSearch([Names("Next head"), Names("Heat map"), Names("Read a file")])
    assert names.find("head") == [0]
    assert NameSearch(NAMES).find("xyzzy") == []
    assert NameSearch(NAMES).find("unknown larger xyzzy") == []


def test_the_best_is_first_and_nothing_typed_finds_all_in_their_order() -> None:
    names = NameSearch([Names("Overheads"), Names("Plain", "heads"), Names("All heads")])
    assert names.find("head") == [2, 1, 0]
    assert names.find("  …") == [0, 1, 2]
    assert NameSearch([]).find("head") == []
