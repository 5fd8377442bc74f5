"""Writers of a vector, the score of one pair, and direct logits: sums, definitions, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bertviz_app import open_model
from bertviz_app.analysis.results import NamedArrays
from bertviz_app.api import Model
from bertviz_app.errors import AnalysisError, AppError
from tests.support.families import write_family
from tests.support.naive_bert import NaiveBert, array


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bert") / "bert"
    write_family(folder, "bert", "AutoModelForPreTraining")
    return folder


@pytest.fixture(scope="module")
def model(folder: Path) -> Model:
    return open_model(str(folder), "cpu")


def _found(model: Model, key: str, text: str, /, **parameters: Any) -> NamedArrays:
    found = model.analyse(key, model.trace(text), **parameters)
    assert isinstance(found, NamedArrays)
    return found


def test_at_layer_0_a_score_is_that_of_token_segment_and_position(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate")
    naive = NaiveBert(tiny_bert, trace)
    found = _found(model, "score-parts", "the cat ate", layer=0, head=1, query=2, key=3)
    embeddings, attention = naive.model.embeddings, naive.model.encoder.layer[0].attention.self
    norm, sides = embeddings.LayerNorm, []
    for token, dense in ((2, attention.query), (3, attention.key)):
        named = [
            embeddings.word_embeddings.weight[trace.tokens.ids[token]],
            embeddings.token_type_embeddings.weight[0],
            embeddings.position_embeddings.weight[token],
        ]
        spread = (sum(named).var(unbiased=False) + norm.eps).sqrt()
        parts = [norm.weight * (part - part.mean()) / spread for part in named] + [norm.bias]
        sides.append([dense.weight[8:16] @ part for part in parts] + [dense.bias[8:16]])
    expected = [[float((query @ key).detach()) / np.sqrt(8) for key in sides[1]] for query in sides[0]]
    np.testing.assert_allclose(found.named["writers"], expected, atol=1e-5)
    assert found.axes_of["writers"][0].labels == ("token", "segment", "position", "biases", "bias")
    score = trace.scores(0, 1)[2, 3]
    assert found.named["dimensions"].sum() == pytest.approx(score, abs=1e-5)
    np.testing.assert_allclose(
        found.named["dimensions"], trace.queries[0, 1, 2] * trace.keys[0, 1, 3] / np.sqrt(8), atol=1e-6
    )
    np.testing.assert_allclose(found.named["scores"], trace.scores(0, 1)[2], atol=1e-6)
    assert found.named["weights"].sum() == pytest.approx(1, abs=1e-6)
    assert found.identity_error is not None
    assert found.identity_error < 1e-5


def test_above_it_is_that_of_earlier_heads_and_other_writers(tiny_bert: Path) -> None:
    """What a muted head would write is nothing; the others still add up to the score."""
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate", muted=[(0, 2)])
    found = model.analyse("score-parts", trace, layer=1, head=0, query=1, key=4)
    assert isinstance(found, NamedArrays)
    rows = dict(zip(found.axes_of["writers"][0].labels, found.named["writers"], strict=True))
    assert set(rows) >= {"token", "position", "head 0.0", "head 0.3", "feed-forward 0", "biases 0", "bias"}
    assert not rows["head 0.2"].any()
    assert rows["head 0.1"].any()
    assert found.named["writers"].sum() == pytest.approx(trace.scores(1, 0)[1, 4], abs=1e-4)


def test_what_a_window_leaves_out_is_no_competitor(tmp_path: Path) -> None:
    write_family(tmp_path / "modern", "modernbert", "AutoModel", local_attention=4)
    model = open_model(str(tmp_path / "modern"), "cpu")
    trace = model.trace("the cat ate the fish because it was hungry")
    layer = next(at for at in range(trace.n_layers) if not np.isfinite(trace.scores(at, 0)).all())
    found = model.analyse("score-parts", trace, layer=layer, query=0, key=1)
    assert isinstance(found, NamedArrays)
    assert len(found.named["scores"]) < trace.n_tokens
    assert "writers" not in found.named, "queries and keys are rotated"
    with pytest.raises(AnalysisError, match="does not reach"):
        model.analyse("score-parts", trace, layer=layer, query=0, key=trace.n_tokens - 1)


@pytest.mark.parametrize("parameters", [{"layer": 9}, {"head": 9}, {"query": 99}, {"key": 99}])
def test_what_there_is_not_is_an_error(model: Model, parameters: dict[str, Any]) -> None:
    with pytest.raises(AppError, match="There is no"):
        model.analyse("score-parts", model.trace("the cat"), **parameters)


def test_direct_logits_add_up(model: Model, folder: Path) -> None:
    trace = model.trace("the cat [MASK] the fish")
    logits = model.logits(trace).masked
    assert logits is not None
    for position, answer in ((None, None), (1, "cat"), (3, "fish")):
        found = _found(model, "direct-logits", "the cat [MASK] the fish", position=position, answer=answer)
        at = 3 if position is None else position
        piece = int(logits[at].argmax()) if answer is None else model.trace(answer).tokens.ids[1]
        parts = sum(float(found.named[name].sum()) for name in ("heads", "feed_forward", "biases"))
        whole = parts + float(found.facts["embeddings"]) + float(found.facts["task head"])
        assert whole == pytest.approx(logits[at, piece], abs=1e-4)
        assert found.facts["logit"] == pytest.approx(logits[at, piece], abs=1e-5)
        assert found.identity_error is not None
        assert found.identity_error < 1e-4


def test_the_part_of_a_head_is_what_it_writes_through_the_norms(model: Model, folder: Path) -> None:
    """The last layer's head by hand: W_O of its output, two norms and the task head, spreads as they are."""
    from transformers import BertForPreTraining

    trace = model.trace("the cat [MASK]")
    bert = BertForPreTraining.from_pretrained(folder, attn_implementation="eager").double().eval()
    recorded: dict[str, torch.Tensor] = {}
    layer = bert.bert.encoder.layer[-1]
    transform = bert.cls.predictions.transform
    for name, module in (
        ("attended", layer.attention.output.LayerNorm),
        ("summed", layer.output.LayerNorm),
        ("last", transform.LayerNorm),
        ("dense", transform.dense),
    ):

        def keep(module: object, inputs: tuple[torch.Tensor], output: torch.Tensor, name: str = name) -> None:
            recorded[name] = output[0, 3] if name == "dense" else inputs[0][0, 3]

        module.register_forward_hook(keep)
    with torch.no_grad():
        output = bert(torch.from_numpy(trace.tokens.ids[None].astype(np.int64)))
        piece = int(output.prediction_logits[0, 3].argmax())
        last = trace.n_layers - 1
        wide = trace.head_width
        mixed = torch.from_numpy((trace.attention(last, 1) @ trace.values[last, 1])[3].astype(np.float64))
        vector = layer.attention.output.dense.weight[:, wide : 2 * wide] @ mixed

        def through(norm: torch.nn.LayerNorm, part: torch.Tensor, whole: torch.Tensor) -> torch.Tensor:
            spread = (whole.var(unbiased=False) + norm.eps).sqrt()
            return norm.weight * (part - part.mean()) / spread

        vector = through(layer.attention.output.LayerNorm, vector, recorded["attended"])
        vector = through(layer.output.LayerNorm, vector, recorded["summed"])
        vector = transform.dense.weight @ vector
        vector = vector * (transform.transform_act_fn(recorded["dense"]) / recorded["dense"])
        vector = through(transform.LayerNorm, vector, recorded["last"])
        expected = float(bert.cls.predictions.decoder.weight[piece] @ vector)
    found = _found(model, "direct-logits", "the cat [MASK]")
    assert found.named["heads"][last, 1] == pytest.approx(expected, abs=1e-5)


def test_without_a_head_for_masked_tokens_it_is_refused(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    for key in ("direct-logits", "logit-lens"):
        with pytest.raises(AnalysisError, match="does not predict masked tokens"):
            model.analyse(key, model.trace("the cat"))


def test_the_last_state_of_the_lens_is_the_prediction(model: Model, folder: Path) -> None:
    from transformers import BertForPreTraining

    trace = model.trace("the cat [MASK]")
    found = model.analyse("logit-lens", trace, top=3, piece="fish")
    bert = BertForPreTraining.from_pretrained(folder).double().eval()
    with torch.no_grad():
        for state in range(trace.n_layers + 1):
            hidden = torch.from_numpy(trace.hidden[state].astype(np.float64))
            shares = array(bert.cls.predictions(hidden[None])[0].softmax(-1))
            best = np.argsort(-shares, axis=-1)[:, :3]
            arrays = found.arrays()
            np.testing.assert_array_equal(arrays["ids"][state, :, :3], best)
            np.testing.assert_allclose(
                arrays["values"][state, :, :3], np.take_along_axis(shares, best, -1), atol=1e-5
            )
            fish = int(model.trace("fish").tokens.ids[1])
            assert (arrays["ids"][state, :, 3] == fish).all()
            np.testing.assert_allclose(arrays["values"][state, :, 3], shares[:, fish], atol=1e-5)


def test_the_norm_on_top_of_a_model_is_applied_once_to_the_last_state(
    tmp_path: Path,
) -> None:
    write_family(tmp_path / "modernbert", "modernbert", "AutoModelForMaskedLM")
    model = open_model(str(tmp_path / "modernbert"), "cpu")
    trace = model.trace("the cat ate")
    assert trace.form.has_final_norm
    found = model.analyse("logit-lens", trace, top=1).arrays()["values"][-1, :, 0]
    logits = model.logits(trace).masked
    assert logits is not None
    shares = np.exp(logits - logits.max(-1, keepdims=True)).astype(np.float64)
    np.testing.assert_allclose(found, (shares / shares.sum(-1, keepdims=True)).max(-1), atol=1e-6)
