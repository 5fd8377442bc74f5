"""The measures of a batch of texts are those of each text alone, in every family."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from bertviz_app.analysis.measures import KEYS, MeasureKey, head_measures
from bertviz_app.analysis.probing.baselines import EndOfPassError, MeasuringTap
from bertviz_app.encoder.encoder import Encoder, encoder_inputs
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import Cancelled
from bertviz_app.text import Tokens
from bertviz_app.types import Check, Floats
from tests.support.checkpoint_folders import opened
from tests.support.families import COMPUTED_ALIKE, FAMILIES, write_family
from tests.support.peers import random_tokens


def measured(
    encoder: Encoder, inputs: list[Tokens], keys: tuple[MeasureKey, ...] = KEYS, check: Check | None = None
) -> Floats:
    tap = MeasuringTap(inputs, (encoder.config.n_layers, encoder.config.n_heads), keys, check)
    batch = encoder_inputs(encoder.config, inputs, torch.device("cpu"))
    with torch.inference_mode(), pytest.raises(EndOfPassError):
        encoder(*batch, tap=tap)
    return tap.means()


@pytest.mark.slow
@pytest.mark.parametrize("family", [name for name in FAMILIES if name not in COMPUTED_ALIKE])
def test_each_text_has_the_measures_it_has_alone(family: str, tmp_path: Path) -> None:
    write_family(tmp_path, family, "AutoModel")
    encoder = opened(tmp_path).encoder
    for n_tokens in (3, 150):
        inputs = [random_tokens(n_tokens, encoder.config.vocabulary_size, seed=seed) for seed in range(2)]
        found = measured(encoder, inputs)
        for number, tokens in enumerate(inputs):
            alone = head_measures(record(encoder, tokens, "alone"))
            for at, key in enumerate(KEYS):
                ours = found[number, ..., at]
                np.testing.assert_allclose(ours, alone[key], rtol=1e-5, atol=1e-5, err_msg=key)


def test_words_are_those_of_each_text(tiny_bert: Path) -> None:
    checkpoint = opened(tiny_bert)
    inputs = [checkpoint.tokens(text) for text in ("the cat the fish the", "fish fish cat ate it")]
    assert len(inputs[0]) == len(inputs[1])
    found = measured(checkpoint.encoder, inputs, ("word", "separator"))
    for number, tokens in enumerate(inputs):
        alone = head_measures(record(checkpoint.encoder, tokens, "alone"))
        assert alone["word"].max() > 0
        np.testing.assert_allclose(found[number, ..., 0], alone["word"], atol=1e-6)
        np.testing.assert_allclose(found[number, ..., 1], alone["separator"], atol=1e-6)


def test_a_measure_of_no_query_is_0(tiny_bert: Path) -> None:
    checkpoint = opened(tiny_bert)
    assert not measured(checkpoint.encoder, [checkpoint.tokens("cat")], ("word",)).any()


def test_texts_of_several_lengths_are_no_batch(tiny_bert: Path) -> None:
    checkpoint = opened(tiny_bert)
    inputs = [checkpoint.tokens("the cat"), checkpoint.tokens("the")]
    with pytest.raises(ValueError, match=r"different lengths in one batch: \[3, 4\]"):
        MeasuringTap(inputs, (2, 4), KEYS)


def test_it_is_cancelled_between_layers(tiny_bert: Path) -> None:
    checkpoint = opened(tiny_bert)
    calls = []

    def check() -> None:
        calls.append(1)
        raise Cancelled

    tap = MeasuringTap([checkpoint.tokens("the cat")], (2, 4), KEYS, check)
    batch = encoder_inputs(checkpoint.encoder.config, [checkpoint.tokens("the cat")], torch.device("cpu"))
    with torch.inference_mode(), pytest.raises(Cancelled):
        checkpoint.encoder(*batch, tap=tap)
    assert len(calls) == 1
