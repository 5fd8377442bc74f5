"""Words exchanged: which texts they make, and what each does to the outcome, against `transformers`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bertviz_app import open_model
from bertviz_app.analysis.model_access import ModelAccess
from bertviz_app.analysis.parameters import Reporter
from bertviz_app.errors import AnalysisError
from bertviz_app.features.corpora.studies.counterfactuals import (
    OutcomeOfTexts,
    Swap,
    SwapEffects,
    SwapParameters,
    bootstrap_t,
    pairs_of_texts,
    read_swaps,
    swap_effects,
    swaps_in_texts,
)
from bertviz_app.features.corpora.studies.study import Measured, Unit
from bertviz_app.text import Tokens
from bertviz_app.text_tables.items import Item
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles
from tests.support.families import write_family
from tests.support.peers import EngineModel
from tests.support.studied import run_here

TEXTS = ("The cat ate it.", "He saw the cat and he ate.", "the dog was hungry", "SHE ate the fish")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("classes") / "bert"
    write_family(folder, "bert", "AutoModelForSequenceClassification", num_labels=3)
    return folder


def _peer(folder: Path, text: str) -> np.ndarray[Any, Any]:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model = AutoModelForSequenceClassification.from_pretrained(folder).double().eval()
    with torch.no_grad():
        found: np.ndarray[Any, Any] = (
            model(**AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")).logits[0].numpy()
        )
    return found


def test_words_are_exchanged_whole_and_with_their_capitals() -> None:
    swap = Swap("he", "she")
    assert swap.variants("He said he knew the theme.") == (
        "He said he knew the theme.",
        "She said she knew the theme.",
    )
    assert swap.variants("SHE left") == ("HE left", "SHE left"), "the first word stands first"
    assert swap.variants("the theme") is None
    assert swap.variants("he and she") is None, "which of them is to be exchanged is not known"


def test_the_ends_of_korean_words_are_exchanged() -> None:
    swap = Swap("-는", "-도")
    assert swap.variants("고양이는 물고기를 먹었다") == (
        "고양이는 물고기를 먹었다",
        "고양이도 물고기를 먹었다",
    )
    assert swap.variants("는 고양이") is None, "no word stands before it"


@pytest.mark.parametrize("text", ["", "he", "he/", "he/she/they", "he/he", "-은/이", "-/-이"])
def test_what_is_no_pair_of_words_is_refused(text: str) -> None:
    with pytest.raises(AnalysisError):
        read_swaps(text)


def test_the_change_of_a_class(folder: Path) -> None:
    model = open_model(str(folder), "cpu")
    trace = model.trace("The cat ate it.")
    found = model.analyse(
        "counterfactuals", trace, target="class", answer="1", against="0", swaps="cat/dog, he/she"
    )
    assert isinstance(found, SwapEffects)
    assert found.axes[0].labels == ("cat → dog",), "he and she are not in the text"
    one, two = (_peer(folder, text) for text in ("The cat ate it.", "The dog ate it."))
    assert found.arrays()["values"][0] == pytest.approx((two[1] - two[0]) - (one[1] - one[0]), abs=1e-5)
    back = model.analyse("counterfactuals", trace, target="class", answer="1", against="0", swaps="dog/cat")
    assert back.arrays()["values"][0] == pytest.approx(-found.arrays()["values"][0], abs=1e-5)
    assert next(iter(found.as_table().rows))[0] == "cat → dog"


def test_the_distance_of_vectors(folder: Path) -> None:
    model = open_model(str(folder), "cpu")
    found = model.analyse("counterfactuals", model.trace("The cat ate it."), swaps="cat/dog")
    one, two = (model.trace(text).hidden[-1][1:-1].mean(0) for text in ("The cat ate it.", "The dog ate it."))
    apart = 1 - one @ two / np.linalg.norm(one) / np.linalg.norm(two)
    assert found.arrays()["values"][0] == pytest.approx(float(apart), abs=1e-5)


def test_a_text_without_the_words_and_an_outcome_without_its_head_are_refused(folder: Path) -> None:
    model = open_model(str(folder), "cpu")
    with pytest.raises(AnalysisError, match="None of these words"):
        model.analyse("counterfactuals", model.trace("the cat"), swaps="he/she")
    with pytest.raises(AnalysisError, match="no task head"):
        model.analyse("counterfactuals", model.trace("it ate"), target="masked")


def _measured(access: ModelAccess, items: list[Item]) -> Measured:
    def record(tokens: Tokens) -> Trace:
        raise NotImplementedError

    tokens = access.checkpoint.tokens
    return Measured([Unit(item, tokens(item.text)) for item in items], access, record)


def test_the_mean_over_the_texts_of_a_file(folder: Path) -> None:
    model = EngineModel(folder)
    texts = (*TEXTS, "a cat", "the cat sat and ate the fish")
    items = [Item(line, text) for line, text in enumerate(texts, 1)]
    parameters = SwapParameters(target="class", answer="2", swaps="he/she, cat/dog")

    def work(access: ModelAccess) -> list[SwapEffects]:
        return [
            run_here(swaps_in_texts, _measured(access, items), parameters, Reporter(), block)
            for block in (1, 3)
        ]

    one, several = model.with_model(model.trace("x"), work)
    named = several.named
    np.testing.assert_array_equal(one.named["values"], named["values"])
    variants = {
        0: [
            (text.replace("SHE", "HE"), text.replace("He", "She").replace(" he", " she"))
            for text in TEXTS[1::2]
        ],
        1: [
            (text.replace("dog", "cat"), text.replace("cat", "dog"))
            for text in texts
            if "cat" in text or "dog" in text
        ],
    }
    for number, pairs in variants.items():
        apart = [_peer(folder, second)[2] - _peer(folder, first)[2] for first, second in pairs]
        assert named["values"][number] == pytest.approx(np.mean(apart), abs=1e-5)
        assert named["texts"][number] == len(pairs)
    assert named["texts"].tolist() == [2, 5]
    assert np.isnan([named["low"][0], named["high"][0]]).all(), "two texts are too few"
    assert named["low"][1] < named["values"][1] < named["high"][1]


def test_rows_of_two_texts(folder: Path) -> None:
    model = EngineModel(folder)
    items = [Item(1, "the cat", "the dog"), Item(2, "the fish"), Item(3, "it ate", "they ate")]
    parameters = OutcomeOfTexts(target="class", answer="0")
    found = model.with_model(
        model.trace("x"),
        lambda access: run_here(pairs_of_texts, _measured(access, items), parameters, Reporter()),
    )
    apart = [
        _peer(folder, item.pair)[0] - _peer(folder, item.text)[0] for item in items if item.pair is not None
    ]
    assert found.named["texts"][0] == 2
    assert found.named["values"][0] == pytest.approx(np.mean(apart), abs=1e-5)


def test_no_text_at_all_is_refused(folder: Path) -> None:
    model = EngineModel(folder)

    def swaps(access: ModelAccess) -> SwapEffects:
        measured = _measured(access, [Item(1, "the cat")])
        found: SwapEffects = run_here(swaps_in_texts, measured, SwapParameters(swaps="he/she"), Reporter())
        return found

    def pairs(access: ModelAccess) -> SwapEffects:
        measured = _measured(access, [Item(1, "the cat")])
        found: SwapEffects = run_here(pairs_of_texts, measured, OutcomeOfTexts(), Reporter())
        return found

    for work in (swaps, pairs):
        with pytest.raises(AnalysisError, match=r"None of these words|No row"):
            model.with_model(model.trace("x"), work)


def test_an_interval_narrows_with_more_texts() -> None:
    random = np.random.default_rng(1)
    few = swap_effects(
        ["a"], [(0, at, 0, value) for at, value in enumerate(random.normal(1, 1, 10))], "class"
    )
    many = swap_effects(
        ["a"], [(0, at, 0, value) for at, value in enumerate(random.normal(1, 1, 1000))], "class"
    )
    width = [float(found.named["high"][0] - found.named["low"][0]) for found in (few, many)]
    assert width[1] < width[0] / 4
    assert width[1] == pytest.approx(2 * 1.96 / 1000**0.5, rel=0.15)


_DRAWS: dict[str, tuple[Callable[[np.random.Generator, int], Doubles], float]] = {
    "normal": (lambda random, n: random.normal(size=n), 0.0),
    "even": (lambda random, n: random.uniform(size=n), 0.5),
    "skewed": (lambda random, n: random.exponential(size=n), 1.0),
    "long tails": (lambda random, n: random.standard_t(3, size=n), 0.0),
}


@pytest.mark.parametrize("name", list(_DRAWS))
@pytest.mark.parametrize("n", [5, 30])
def test_an_interval_of_95_percent_has_the_mean_in_as_many(name: str, n: int) -> None:
    draw, mean = _DRAWS[name]
    random, hits = np.random.default_rng(7), []
    for _ in range(300):
        low, high = bootstrap_t(draw(random, n))
        hits.append(low <= mean <= high)
    assert 0.90 <= np.mean(hits) <= 0.99, "percentiles of means: 0.84 and less of 5"


def test_of_few_or_equal_numbers_and_of_distances_there_is_no_interval() -> None:
    random = np.random.default_rng(0)
    assert np.isnan(bootstrap_t(random.normal(size=4))).all()
    assert np.isnan(bootstrap_t(np.full(8, 0.1))).all(), "equal ones say nothing of how others differ"
    changes = [(0, at, 0.0, value) for at, value in enumerate(random.uniform(0.1, 0.2, 12).tolist())]
    assert "low" in swap_effects(["a"], changes, "class").named
    assert "low" not in swap_effects(["a"], changes, "vector").named, "a distance is never below 0"
