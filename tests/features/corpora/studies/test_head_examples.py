"""Examples of heads over a file, against loops over the traces of its texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from bertviz_app.analysis.parameters import SILENT, Reporter
from bertviz_app.errors import AnalysisError, Cancelled
from bertviz_app.features.corpora.process.run import open_alone
from bertviz_app.features.corpora.process.studies import model_of
from bertviz_app.features.corpora.studies.examples import (
    DISTANCES,
    ExamplesParameters,
    HeadExamples,
    _by_distance,
    head_examples,
    range_of,
)
from bertviz_app.features.corpora.studies.study import NOTHING, Measured, Part, Unit, joined
from bertviz_app.inference.opened_checkpoint import CPU, OpenedCheckpoint, find_device
from bertviz_app.text.edits import Edits
from bertviz_app.text_tables.items import Item
from tests.support.studied import run_here

WORDS = (
    "the",
    "cat",
    "ate",
    "mouse",
    "dog",
    "house",
    "big",
    "small",
    "ran",
    "sat",
    "on",
    "mat",
    "a",
    "in",
    "of",
    "to",
    "and",
    "is",
    "was",
    "it",
)


def _texts(n_texts: int, seed: int = 3) -> list[str]:
    numbers = np.random.default_rng(seed)
    return [" ".join(numbers.choice(WORDS, numbers.integers(1, 12))) for _ in range(n_texts)]


def _measured(opened: OpenedCheckpoint, texts: Sequence[str], first: int = 1) -> Measured:
    device = find_device(CPU)
    model = model_of(opened, device, lambda: None)
    units = [Unit(Item(line, text), opened.checkpoint.tokens(text)) for line, text in enumerate(texts, first)]
    return Measured(units, model, lambda tokens: opened.record(tokens, device, None, Edits())[0])


@pytest.fixture
def opened(tiny_bert: Path) -> OpenedCheckpoint:
    return open_alone(str(tiny_bert))


def _result(measured: Measured, block: int = 7, **parameters: object) -> HeadExamples:
    chosen = ExamplesParameters(**parameters)  # type: ignore[arg-type]
    found: HeadExamples = run_here(head_examples, measured, chosen, SILENT, block)
    return found


def _weights(measured: Measured, head: tuple[int, int], *, special: bool) -> dict[int, np.ndarray]:
    """Return the weights of a head by line, in float64, 0 where a special token has a part."""
    found = {}
    for unit in measured.units:
        weights = measured.record(unit.tokens).attention(*head).astype(np.float64).copy()
        if not special:
            weights[unit.tokens.is_special] = 0
            weights[:, unit.tokens.is_special] = 0
        found[unit.item.line] = weights
    return found


@pytest.mark.parametrize("special", [False, True])
def test_pairs_pieces_and_distances_are_those_of_the_traces(opened: OpenedCheckpoint, special: bool) -> None:
    measured = _measured(opened, _texts(30))
    found = _result(measured, leaves_out_special=not special, per_tenth=3)
    pieces = {unit.item.line: unit.tokens.pieces for unit in measured.units}
    for head in [(0, 0), (1, 3)]:
        weights = _weights(measured, head, special=special)
        largest = sorted(((float(one.max()), line) for line, one in weights.items()), reverse=True)
        strongest = found.strongest(head)
        assert [one.weight for one in strongest] == pytest.approx([one for one, _ in largest[:20]], abs=1e-6)
        by_query: Counter[str] = Counter()
        by_key: Counter[str] = Counter()
        by_range: Counter[int] = Counter()
        occurrences: Counter[str] = Counter()
        for line, one in weights.items():
            for query, name in enumerate(pieces[line]):
                occurrences[name] += 1
                for key, other in enumerate(pieces[line]):
                    by_query[name] += one[query, key]
                    by_key[other] += one[query, key]
                    by_range[key - query] += one[query, key]
        for examples in (strongest, found.of_tenth(head, 4)):
            for example in examples:
                assert example.weight == pytest.approx(weights[example.line].max(), abs=1e-6)
                assert weights[example.line][example.query, example.key] == pytest.approx(example.weight)
                assert example.query_piece == pieces[example.line][example.query]
                assert example.key_piece == pieces[example.line][example.key]
        for role, totals in (("query", by_query), ("key", by_key)):
            expected = totals.most_common(20)
            heavy = found.heaviest(head, role)
            assert [one.total for one in heavy] == pytest.approx(
                [total for _, total in expected if total > 0], abs=1e-4
            )
            assert heavy[0].each == pytest.approx(heavy[0].total / occurrences[heavy[0].piece], abs=1e-5)
        whole = sum(by_range.values())
        shares = dict(found.distances(head))
        assert shares["+1"] == pytest.approx(by_range[1] / whole, abs=1e-5)
        assert shares["−2"] == pytest.approx(by_range[-2] / whole, abs=1e-5)
        assert sum(shares.values()) == pytest.approx(1, abs=1e-9)


def test_tenths_go_from_the_weakest_to_the_strongest(opened: OpenedCheckpoint) -> None:
    measured = _measured(opened, _texts(60))
    found = _result(measured, per_tenth=2)
    assert found.facts["sampled"] == 20
    for head in np.ndindex(2, 4):
        tenths = [[one.weight for one in found.of_tenth(head, tenth)] for tenth in range(10)]
        assert [len(tenth) for tenth in tenths] == [2] * 10
        assert all(max(low) <= min(high) for low, high in pairwise(tenths))
        edges = found.named["values"][head]
        assert (edges[0], edges[-1]) == (min(tenths[0]), max(tenths[-1]))
        every = [one for tenth in tenths for one in tenth]
        assert edges[5] == pytest.approx(np.median(every))


def test_few_sentences_are_all_sampled(opened: OpenedCheckpoint) -> None:
    found = _result(_measured(opened, _texts(4)))
    lines = sorted(one.line for tenth in range(10) for one in found.of_tenth((0, 0), tenth))
    assert lines == [1, 2, 3, 4]
    assert len(found.strongest((0, 0))) == 4


def test_blocks_in_any_order_add_up_to_the_same(opened: OpenedCheckpoint) -> None:
    """So workers and machines that share a file keep the same sample, whoever is first."""
    texts = _texts(40)
    parameters = ExamplesParameters(per_tenth=1, strongest=5)
    firsts = range(0, 40, 8)
    parts = [
        head_examples.measure(_measured(opened, texts[first : first + 8], first + 1), parameters, SILENT)
        for first in firsts
    ]
    whole = head_examples.measure(_measured(opened, texts), parameters, SILENT)
    for order in (parts, parts[::-1]):
        kept = joined(order).kept
        for name in ("sample", "strongest"):
            for field in ("line", "query", "key"):
                assert np.array_equal(kept[name][field], whole.kept[name][field]), (name, field)
    other = head_examples.measure(_measured(opened, texts), ExamplesParameters(per_tenth=1, seed=1), SILENT)
    assert not np.array_equal(other.kept["sample"]["line"], whole.kept["sample"]["line"])


def test_a_part_does_not_grow_with_the_file(opened: OpenedCheckpoint) -> None:
    def size(part: Part) -> int:
        return sum(array.nbytes for array in (*part.sums.values(), *part.rows.values(), *part.kept.values()))

    few = head_examples.measure(_measured(opened, _texts(3)), ExamplesParameters(), SILENT)
    many = head_examples.measure(_measured(opened, _texts(90)), ExamplesParameters(), SILENT)
    assert size(few) == size(many) == size(joined([few, many]))


def test_special_tokens_within_a_text_are_left_out(opened: OpenedCheckpoint) -> None:
    measured = _measured(opened, ["the cat", "dog ran"])
    two = Unit(Item(3, "the cat", "ate mouse"), opened.checkpoint.tokens("the cat", "ate mouse"))
    special = np.flatnonzero(two.tokens.is_special)
    assert len(special) == 3, "one within the text"
    measured = replace(measured, units=[*measured.units, two])
    found = _result(measured)
    weights = _weights(measured, (1, 1), special=False)
    assert {one.line: one.weight for one in found.strongest((1, 1))} == pytest.approx(
        {line: one.max() for line, one in weights.items()}, abs=1e-6
    )
    assert "[SEP]" not in found.pieces.values()


def test_long_texts_are_read_in_blocks_of_rows(
    opened: OpenedCheckpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = _measured(opened, _texts(6))
    whole = _result(measured)
    monkeypatch.setattr("bertviz_app.encoder.attention.ROWS_AT_ONCE", 3)
    in_blocks = _result(measured)
    for name, array in whole.named.items():
        np.testing.assert_allclose(in_blocks.named[name], array, 1e-5, 1e-5, err_msg=name)


def test_diagonals_by_hand() -> None:
    weights = torch.tensor([[[[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]]]])
    assert _by_distance(weights).tolist() == [[[8.0, 17.0, 34.0, 4.0]]]


def test_distances_by_hand() -> None:
    names = [DISTANCES[at] for at in range_of(np.array([-500, -20, -16, -1, 0, 1, 17, 33, 128, 129]))]
    before, after = ("129 or more before", "17 to 32 before"), ("17 to 32 after", "33 to 64 after")
    assert names == [*before, "−16", "−1", "0", "+1", *after, "65 to 128 after", "129 or more after"]


def test_texts_without_a_token_of_their_own(opened: OpenedCheckpoint) -> None:
    assert head_examples.measure(_measured(opened, []), ExamplesParameters(), SILENT) is NOTHING
    with pytest.raises(AnalysisError, match="not a special one"):
        _result(_measured(opened, []))


def test_it_can_be_cancelled(opened: OpenedCheckpoint) -> None:
    def check() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        head_examples.measure(_measured(opened, _texts(2)), ExamplesParameters(), Reporter(check))


def test_the_table_has_a_row_for_each_example_piece_and_distance(opened: OpenedCheckpoint) -> None:
    found = _result(_measured(opened, _texts(12)), strongest=2, pieces=3)
    table = found.as_table()
    rows = [row for row in table.rows if row[:2] == (1, 2)]
    assert [row[2] for row in rows].count("strongest") == 2
    assert [row[2] for row in rows].count("key pieces") == 3
    assert sum(str(row[2]).startswith("distance") for row in rows) == len(DISTANCES)
    first = rows[0]
    assert first[4:8] == found.strongest((1, 2))[0][:4]
