"""The glossary: complete in both languages, found by what people type, with examples of the run shown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bertviz_app.analysis.catalogue import CATALOGUE
from bertviz_app.analysis.pairs import pair_numbers
from bertviz_app.api import open_model
from bertviz_app.learning.example_facts import FACTS, Entry, facts_of, glossary, read_theme, term_of_analysis
from bertviz_app.learning.words import Words

SHIPPED = list(glossary())
# What the trial's student asked about, as it stands on the screen.
REQUIRED = (
    *("token", "ID", "segment", "position", "query", "key", "value", "head", "layer", "[CLS]", "pooled"),
    *("entropy", "[UNK]", "##", "PC1", "bits", "nats", "Q", "K", "V", "W_O", "[SEP]", "[MASK]", "√d_k"),
    *("토큰", "세그먼트", "위치", "쿼리", "키", "값", "레이어", "비트", "내트", "소프트맥스", "풀링"),
)


def sentences(text: str) -> int:
    return len(re.findall(r"[.?!](?:\s|$|”|’)", text.replace("...", "")))


def faults_of(entry: Entry) -> Iterator[str]:
    for words in (entry.text, entry.is_not, entry.where, entry.name):
        if re.search(r"[a-z]{4}", words.en) and not re.search(r"[가-힣]", words.ko):
            yield f"{entry.key}: “{words.ko}” is not Korean"
    if not 1 <= sentences(entry.text.en) <= 5:
        yield f"{entry.key}: {sentences(entry.text.en)} sentences"
    if len(entry.text.en) > 420 or len(entry.text.ko) > 260:
        yield f"{entry.key}: {len(entry.text.en)} and {len(entry.text.ko)} letters"
    if entry.example is not None and not entry.example.fields() <= set(FACTS):
        yield f"{entry.key}: no facts {entry.example.fields() - set(FACTS)}"


def test_each_entry_is_short_and_korean_is_korean() -> None:
    assert [fault for entry in SHIPPED for fault in faults_of(entry)] == []


def test_what_stands_on_the_screen_has_an_entry() -> None:
    assert [name for name in REQUIRED if glossary().named(name) is None] == []


def test_every_analysis_has_an_entry_by_its_title() -> None:
    faults = []
    for analysis in CATALOGUE:
        term = term_of_analysis(analysis.key)
        assert term, analysis.key
        if term == "divergence":  # whose entry is about the number
            continue
        entry = glossary()[term]
        titles = (str(analysis.title).casefold().split(" with ")[0], "logits of the task heads")
        if not entry.where.en.endswith(f"bertviz-app analyse {analysis.key}."):
            faults.append(f"{term}: its place does not end with the command")
        if entry.name.en.casefold().split(" with ")[0] not in titles:
            faults.append(f"{term}: “{entry.name.en}” is not the title of {analysis.key}")
    assert faults == []


def test_an_analysis_of_somebodys_own_has_no_entry() -> None:
    assert term_of_analysis("my-analysis") == ""
    assert term_of_analysis("") == ""


def test_a_search_finds_by_either_language_and_puts_names_first() -> None:
    assert glossary().found("소프트맥스")[0].key == "softmax"
    assert glossary().found("SOFTMAX")[0].key == "softmax"
    assert glossary().found("norm")[0].key in ("layer_norm", "vector_length")
    found = [entry.key for entry in glossary().found("dot prod")]
    assert found[0] == "score"
    assert "scaling" in found  # its text speaks of dot products
    assert glossary().found("qwertz") == []
    assert len(glossary().found("")) == len(glossary())


def test_every_example_is_filled_for_a_run_with_a_shown_pair(minilm: Path) -> None:
    model = open_model(str(minilm))
    trace = model.trace("The untrainable cat ate 🦖 fish because it was hungry")
    facts = facts_of(trace, model.facts, (5, 11), pair_numbers(trace, 5, 11, 1, 2))
    assert set(facts) == set(FACTS)
    for entry in SHIPPED:
        if entry.example is not None:
            for language in ("en", "ko"):
                text = entry.example_in(language, facts)
                assert text
                assert "{" not in text
    assert facts["first"] == "[CLS]"
    assert facts["first_id"] == "101"
    assert facts["n_layers"] == "6"
    assert facts["width"] == "384"
    assert facts["scale"] == "5.657"  # the root of 32
    assert facts["pieces"].startswith("un")
    assert facts["n_unknown"] == "1"


def test_an_example_without_its_fact_is_left_out() -> None:
    entry = glossary()["attention_weight"]
    assert entry.example_in("en", {"layer": "1"}) == ""
    assert glossary()["bias"].example_in("ko", {}) == ""


def words(text: str) -> dict[str, str]:
    return {"en": text, "ko": "말"}


GOOD: dict[str, Any] = {
    "theme": words("Theme"),
    "entries": [
        {
            "key": "one",
            "name": words("One"),
            "text": words("Text."),
            "not": words("Not."),
            "where": words("Here."),
        }
    ],
}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"name": {"en": "One"}}, "ko"),
        ({"text": {"en": " ", "ko": "말"}}, "empty"),
        ({"example": {"en": "{n} tokens", "ko": "토큰"}}, "different fields"),
        ({"key": 3}, "key"),
        ({"also": "x"}, "also"),
    ],
)
def test_a_spoilt_file_is_refused_with_what_is_wrong(
    tmp_path: Path, change: dict[str, Any], named: str
) -> None:
    path = tmp_path / "1.json"
    path.write_text(json.dumps(GOOD), encoding="utf-8")
    assert read_theme(path).entries[0].is_not == Words("Not.", "말")
    path.write_text(json.dumps(GOOD | {"entries": [GOOD["entries"][0] | change]}), encoding="utf-8")
    with pytest.raises(ValueError, match=rf"^1\.json: .*{named}"):
        read_theme(path)
    path.write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match=r"^1\.json"):
        read_theme(path)
