"""The glossary, the reasons for stages, examples and corpora: complete in both languages."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bertviz_app import paths
from bertviz_app.analysis.catalogue import CATALOGUE
from bertviz_app.analysis.pairs import pair_numbers, pair_others, pair_weights
from bertviz_app.api import Model, open_model
from bertviz_app.errors import FileError, SelectionError
from bertviz_app.features.lessons import handouts
from bertviz_app.features.lessons.course.lesson import Example, Scene, head_of
from bertviz_app.features.lessons.course.reading import shipped_examples, shipped_lessons
from bertviz_app.features.lessons.handouts import MOST_IN_MATRIX, MOST_TOKENS, N_NUMBERS, handout_numbers
from bertviz_app.learning.glossary import FACTS, Entry, facts_of, glossary, read_theme, term_of_analysis
from bertviz_app.learning.words import (
    CONDITIONS,
    LANGUAGES,
    Reasons,
    StageReason,
    Words,
    copy_of_corpus,
    example_corpora,
    reasons,
)
from bertviz_app.text.tokens import token_at
from bertviz_app.trace import Trace
from bertviz_app.trace.trace import is_global
from bertviz_app.viewmodels.stages.stops import STAGES
from tests.support.factories import dense, make_trace
from tests.support.families import write_family

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


SPOKEN = ("en", "ko")
EXAMPLES = {example.key: example for example in shipped_examples() if not example.station}


@cache
def _model(name: str) -> Model:
    return open_model(name)


def _trace(scene: Scene, language: str) -> tuple[Model, Trace]:
    assert scene.model is not None, "else it is shown on whatever checkpoint is open"
    assert scene.text is not None
    pair = None if scene.pair is None else scene.pair.in_language(language)
    model = _model(scene.model)
    return model, model.trace(scene.text.in_language(language), pair)


@pytest.mark.parametrize("language", SPOKEN)
@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_its_tokens_are_known_and_there(example: Example, language: str) -> None:
    scene = example.scene_in(language)
    _, trace = _trace(scene, language)
    assert "[UNK]" not in trace.tokens.pieces
    for name in (scene.query, scene.key):
        if name is not None:
            token_at(trace.tokens, name)
    if scene.best_head:
        assert None not in (scene.query, scene.key)
        best = head_of(scene, trace)
        weight = pair_weights(trace, str(scene.query), str(scene.key))[best]
        assert weight > 0.38
        assert weight - pair_others(trace, str(scene.query), str(scene.key))[best] > 0.3


def test_an_example_without_a_scene_opens_a_station_that_there_is() -> None:
    stations = {f"{lesson.key}/{each.key}" for lesson in shipped_lessons() for each in lesson.stations}
    opened = [example.station for example in shipped_examples() if example.station]
    assert len(opened) == 2
    assert stations.issuperset(opened)
    assert stations.issuperset(entry.station for entry in glossary() if entry.station)


@pytest.fixture
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "corpora", lambda: tmp_path / "corpora")


@pytest.mark.usefixtures("_own_folder")
def test_the_sentences_are_in_the_language_and_differ() -> None:
    for example in example_corpora():
        lines = copy_of_corpus(example.language).read_text(encoding="utf-8").splitlines()
        assert len(lines) == len(set(lines)) == example.n_sentences == 60
        assert lines[0] == example.first
        assert all(bool(re.search(r"[가-힣]", line)) == (example.language == "ko") for line in lines)


@pytest.mark.usefixtures("_own_folder")
def test_a_copy_is_used_again_and_mended_where_it_was_changed() -> None:
    copy = copy_of_corpus("en")
    written = copy.stat().st_mtime_ns
    assert copy_of_corpus("en") == copy
    assert copy.stat().st_mtime_ns == written
    whole = copy.read_bytes()
    copy.write_text("changed", encoding="utf-8")
    assert copy_of_corpus("en").read_bytes() == whole


@pytest.mark.usefixtures("_own_folder")
def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    (tmp_path / "corpora").write_text("a file where the folder should be", encoding="utf-8")
    with pytest.raises(FileError, match="corpora"):
        copy_of_corpus("en")


SHORT, LONG = make_trace(9), make_trace(2 * MOST_TOKENS)


def test_without_a_pair_it_is_the_first_word_and_the_other_word_that_it_looks_at_most() -> None:
    special = SHORT.tokens.is_special
    for layer in range(SHORT.n_layers):
        for head in range(SHORT.n_heads):
            numbers = handout_numbers(SHORT, layer, head)
            row = dense(SHORT)[layer, head, 1].copy()
            row[special] = -1
            row[1] = -1
            assert (numbers.query, numbers.key) == (1, int(row.argmax()))
    among_words = np.where(special, -1, dense(SHORT))
    looks_at_itself = (among_words.argmax(-1) == np.arange(9)) & ~special
    layer, head, query = (int(each[0]) for each in np.nonzero(looks_at_itself))
    assert handout_numbers(SHORT, layer, head, query).key != query


def test_the_weights_that_are_not_printed_are_added_up() -> None:
    whole = handout_numbers(SHORT, 0, 1)
    assert whole.is_whole
    assert whole.weight_left == 0.0
    part = handout_numbers(LONG, 0, 1, query=3, key=20)
    assert not part.is_whole
    assert len(part.shown) == MOST_TOKENS
    assert {3, 20} <= set(part.shown)
    assert part.shown == sorted(part.shown)
    row = dense(LONG)[0, 1, 3]
    assert part.weight_left == pytest.approx(1 - row[part.shown].sum(), abs=1e-6)
    assert part.weight_left > 0.001
    left_out = [at for at in range(LONG.n_tokens) if at not in part.shown]
    assert row[left_out].max() <= np.sort(row[[at for at in part.shown if at not in (3, 20)]])[0]


def test_the_products_and_their_rest_add_up_to_the_score() -> None:
    numbers = handout_numbers(SHORT, 1, 2, query=3, key=5)
    queries, keys = SHORT.queries[1, 2].astype(np.float64), SHORT.keys[1, 2].astype(np.float64)
    assert numbers.products[5] == pytest.approx(queries[3, :N_NUMBERS] * keys[5, :N_NUMBERS])
    whole = numbers.products.sum(1) + numbers.rest_of_products
    assert whole == pytest.approx(keys @ queries[3], rel=1e-5)
    assert numbers.scaled[5] == pytest.approx(queries[3] @ keys[5] / math.sqrt(SHORT.head_width), rel=1e-5)


def test_the_keys_of_the_largest_weights_and_the_chosen_one_are_computed_by_hand() -> None:
    numbers = handout_numbers(LONG, 0, 1, query=3, key=int(dense(LONG)[0, 1, 3].argmin()))
    largest = np.argsort(-dense(LONG)[0, 1, 3])[:2]
    assert numbers.computed == sorted([numbers.key, *largest.tolist()])
    assert sorted([*numbers.computed, *numbers.others]) == list(range(LONG.n_tokens))
    assert handout_numbers(make_trace(2), 0, 0).computed == [0, 1]


def test_exponentials_give_the_weights_and_weighted_values_the_output() -> None:
    numbers = handout_numbers(SHORT, 1, 2, query=3, key=5)
    assert numbers.exponentials.max() == 1.0
    shares = numbers.exponentials / numbers.exponentials.sum()
    assert shares == pytest.approx(dense(SHORT)[1, 2, 3], abs=1e-6)
    values = SHORT.values[1, 2].astype(np.float64)
    n_summed = numbers.weighted.shape[1]
    assert numbers.weighted.sum(0) == pytest.approx(dense(SHORT)[1, 2, 3] @ values[:, :n_summed], abs=1e-5)


def test_a_query_with_global_attention_meets_its_own_keys_and_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handouts, "N_NUMBERS", 8)
    write_family(tmp_path / "longformer", "longformer", "AutoModelForSequenceClassification")
    model = open_model(str(tmp_path / "longformer"), "cpu")
    trace = model.trace("the cat ate the fish because it was hungry")
    mixed = model.analyse("layer-details", trace, layer=1).arrays()["mixed"]
    for query in (0, 3):
        assert is_global(trace, query) == (query == 0)
        numbers = handout_numbers(trace, 1, 2, query, key=5)
        assert numbers.n_numbers == trace.head_width  # so nothing is left over
        assert numbers.rest_of_products == pytest.approx(0, abs=1e-5)
        assert numbers.weighted.sum(0) == pytest.approx(
            mixed[2, query, : numbers.weighted.shape[1]], abs=1e-5
        )


def test_the_matrix_is_printed_only_where_it_fits() -> None:
    assert make_trace(MOST_IN_MATRIX).n_tokens == MOST_IN_MATRIX
    matrix = handout_numbers(make_trace(MOST_IN_MATRIX), 0, 0).matrix
    assert matrix is not None
    assert matrix.shape == (MOST_IN_MATRIX, MOST_IN_MATRIX)
    assert handout_numbers(make_trace(MOST_IN_MATRIX + 1), 0, 0).matrix is None


def test_a_head_that_there_is_not_is_refused() -> None:
    with pytest.raises(SelectionError):
        handout_numbers(SHORT, 0, 99, query=1, key=2)
