"""The heads behind a pair of tokens: sums, the stream of whole vectors, and what muting a head changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bertviz_app import open_model
from bertviz_app.analysis.model_access import ModelAccess
from bertviz_app.analysis.probing.decomposition.blocks import ResidualStream
from bertviz_app.analysis.probing.decomposition.similarity import PairParts, _part_of
from bertviz_app.analysis.reporter import SILENT
from bertviz_app.api import Model
from bertviz_app.errors import AnalysisError
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles
from tests.support.engine_model import EngineModel
from tests.support.families import write_family
from tests.support.naive_bert import OTHER, S

FAMILIES = ("bert", "modernbert", "megatron-bert", "xlm-roberta-xl", "distilbert")
"""Norms after and before the blocks, with and without biases and gates."""


def _found(model: Model, runs: tuple[Trace, Trace], token: int, partner: int) -> PairParts:
    found = model.analyse("similarity-heads", *runs, token=token, partner=partner)
    assert isinstance(found, PairParts)
    return found


@pytest.mark.parametrize("family", FAMILIES)
def test_the_parts_add_up_to_what_the_pair_adds(tmp_path: Path, family: str) -> None:
    write_family(tmp_path, family)
    model = EngineModel(tmp_path)
    runs = model.trace("the cat ate"), model.trace("a fish was hungry")
    pairs = model.analyse("similarity-pairs", *runs).arrays()["values"][0]
    for token, partner in ((1, 2), (2, 0)):
        found = _found(model, runs, token, partner)
        total = found.feed_forward.sum() + found.biases.sum() + found.embeddings
        for key in ("both", "own side", "other side"):
            assert found.of(key).shape == (runs[0].n_layers, runs[0].n_heads)
        assert found.of("both").sum() + total == pytest.approx(pairs[token, partner], abs=1e-5)
        assert found.contribution == pytest.approx(pairs[token, partner], abs=1e-6)
        np.testing.assert_allclose(
            found.of("both"), (found.of("own side") + found.of("other side")) / 2, atol=1e-6
        )
        assert found.identity_error is not None
        assert found.identity_error < 1e-10


@pytest.mark.parametrize("family", ["modernbert", "bert"])
def test_all_tokens_together_are_what_the_writers_wrote(tmp_path: Path, family: str) -> None:
    """Beside it the stream of whole vectors, which follows no single token."""
    write_family(tmp_path, family)
    model = EngineModel(tmp_path)
    trace = model.trace("the cat ate")

    def work(access: ModelAccess) -> tuple[dict[str, Doubles], dict[str, Doubles]]:
        of_tokens: dict[str, Doubles] = {}
        for token in range(trace.n_tokens):
            written = _part_of(trace, access, token, SILENT)
            for writer, part in zip(written.writers, written.by_writer, strict=True):
                of_tokens[writer.label] = of_tokens.get(writer.label, np.zeros(trace.width)) + part
        whole: dict[str, Doubles] = {}
        stream, shares = ResidualStream(trace, access, SILENT), access.pooling_shares(trace)
        for token, share in enumerate(shares.tolist()):
            for writer, part in zip(*stream.at(token, trace.n_layers), strict=True):
                whole[writer.label] = whole.get(writer.label, np.zeros(trace.width)) + share * part
        return of_tokens, whole

    ours, stream = model.with_model(trace, work)
    layers, heads = range(trace.n_layers), range(trace.n_heads)
    for layer in layers:
        names = [f"head {layer}.{head}" for head in heads]
        if (
            family == "modernbert"
        ):  # without biases each head is comparable, else value biases count for heads
            for name in names:
                np.testing.assert_allclose(ours[name], stream[name], atol=1e-4)
        together = [
            np.sum([one[name] for name in (*names, f"biases {layer}") if name in one], axis=0)
            for one in (ours, stream)
        ]
        np.testing.assert_allclose(together[0], together[1], atol=1e-4)
        fed = f"feed-forward {layer}"
        np.testing.assert_allclose(ours[fed], stream[fed], atol=1e-4)
    assert max(np.abs(stream["head 1.2"])) > 1e-2


def test_a_muted_head_carries_nothing(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    runs = tuple(model.trace(text, muted=((1, 2),)) for text in ("the cat ate", "the fish was hungry"))
    found = _found(model, (runs[0], runs[1]), 1, 2)
    assert not found.values[:, 1, 2].any()
    assert np.count_nonzero(found.of("both")) == found.of("both").size - 1
    assert found.identity_error is not None
    assert found.identity_error < 1e-10


def test_a_token_that_there_is_not_is_refused(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    runs = model.trace("the cat ate the fish"), model.trace("the cat")
    with pytest.raises(AnalysisError, match="There is no token 5: the text has tokens 0 to 3"):
        _found(model, runs, 5, 5)


def test_fox_and_fox_in_minilm(minilm: Path) -> None:
    """The published contribution of the pair; its heads and layers add up to it."""
    model = open_model(str(minilm), "cpu")
    found = _found(model, (model.trace(S), model.trace(OTHER)), 4, 4)
    assert found.tokens == ("fox", "fox")
    assert found.contribution == pytest.approx(0.1290, abs=2e-4)
    total = found.of("both").sum() + found.feed_forward.sum() + found.biases.sum() + found.embeddings
    assert total == pytest.approx(found.contribution, abs=1e-6)
    table = found.as_table()
    assert table.columns == ("layer", "head", "both", "own side", "other side")
