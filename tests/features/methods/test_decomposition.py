"""Decompositions of a pass: their parts add up, against formulas written anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import torch

from bertviz_app import open_model
from bertviz_app.analysis.entry import Inputs
from bertviz_app.analysis.model_access import DenseWeights, ModelAccess
from bertviz_app.analysis.parameters import SILENT, NoParameters, Reporter
from bertviz_app.analysis.probing.blocks import Norm, norm_attention
from bertviz_app.analysis.results import HeadMatrices, NamedArrays, TokenMatrices, TokenScalars
from bertviz_app.api import Model
from bertviz_app.errors import AnalysisError, AppError
from bertviz_app.features.methods.decomposition.decompx import add_bias, alti
from bertviz_app.features.methods.decomposition.stream import ResidualStream
from bertviz_app.features.methods.vectors import PairParts, _part_of
from bertviz_app.text import Tokens
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Point, Tap
from bertviz_app.types import Doubles
from tests.support.factories import dense, make_trace, trace_of
from tests.support.families import write_family
from tests.support.peers import EngineModel, NaiveBert, array


@pytest.fixture(scope="module")
def tiny(tiny_bert: Path) -> Model:
    return open_model(str(tiny_bert), "cpu")


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


def test_at_layer_0_a_score_is_that_of_token_segment_and_position(tiny: Model, tiny_bert: Path) -> None:
    trace = tiny.trace("the cat ate")
    naive = NaiveBert(tiny_bert, trace)
    found = _found(tiny, "score-parts", "the cat ate", layer=0, head=1, query=2, key=3)
    embeddings, attention = naive.model.embeddings, naive.model.encoder.layer[0].attention.self
    norm, sides = embeddings.LayerNorm, []
    for token, linear in ((2, attention.query), (3, attention.key)):
        named = [
            embeddings.word_embeddings.weight[trace.tokens.ids[token]],
            embeddings.token_type_embeddings.weight[0],
            embeddings.position_embeddings.weight[token],
        ]
        spread = (sum(named).var(unbiased=False) + norm.eps).sqrt()
        parts = [norm.weight * (part - part.mean()) / spread for part in named] + [norm.bias]
        sides.append([linear.weight[8:16] @ part for part in parts] + [linear.bias[8:16]])
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


def test_above_it_is_that_of_earlier_heads_and_other_writers(tiny: Model) -> None:
    """What a muted head would write is nothing; the others still add up to the score."""
    trace = tiny.trace("the cat ate", muted=[(0, 2)])
    found = tiny.analyse("score-parts", trace, layer=1, head=0, query=1, key=4)
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


def test_direct_logits_of_a_difference(model: Model, folder: Path) -> None:
    text = "the cat [MASK] the fish"
    found = _found(model, "direct-logits", text, answer="cat", against="fish")
    cat, fish = (_found(model, "direct-logits", text, answer=answer) for answer in ("cat", "fish"))
    for name in ("heads", "feed_forward", "biases"):
        np.testing.assert_allclose(found.named[name], cat.named[name] - fish.named[name], atol=1e-5)
    assert found.facts["logit"] == pytest.approx(float(cat.facts["logit"]) - float(fish.facts["logit"]))
    assert found.facts["against"] == "fish"
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


def test_without_a_head_for_masked_tokens_it_is_refused(tiny: Model) -> None:
    for key in ("direct-logits", "logit-lens"):
        with pytest.raises(AnalysisError, match="does not predict masked tokens"):
            tiny.analyse(key, tiny.trace("the cat"))


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


def test_the_linear_part_of_a_norm_by_hand() -> None:
    """Of (1, 3): mean 2, spread 1. The parts (1, 1) and (0, 2) become (0, 0) and (-1, 1), times (2, 3)."""
    norm = Norm(np.array([2.0, 3.0]), np.array([0.5, 0.5]), 0.0, by_deviation=False)
    whole, parts = np.array([[1.0, 3.0]]), np.array([[[1.0, 1.0], [0.0, 2.0]]])
    spread = norm.spread(whole)
    np.testing.assert_allclose(spread, [1.0])
    np.testing.assert_allclose(norm.linear(parts, spread[:, None]), [[[0, 0], [-2, 3]]])
    by_deviation = Norm(norm.weight, norm.bias, 1.0, by_deviation=True)
    np.testing.assert_allclose(by_deviation.spread(whole), [np.sqrt(2) + 1])


def test_it_is_its_definition(tiny: Model, tiny_bert: Path) -> None:
    trace = tiny.trace("the cat ate", pair="fish")
    naive = NaiveBert(tiny_bert, trace)
    found = tiny.analyse("norm-attention-residual", trace)
    ratio = tiny.analyse("mixing-ratio", trace)
    assert isinstance(found, TokenMatrices)
    assert isinstance(ratio, TokenScalars)
    for layer in range(2):
        parts, rest, after = map(array, naive.parts(layer))
        np.testing.assert_allclose(parts.sum(1) + rest, after, atol=1e-12)
        np.testing.assert_allclose(
            found.source(layer).rows(slice(None)), np.linalg.norm(parts, axis=-1), rtol=1e-4
        )
        for i in range(trace.n_tokens):
            others = np.linalg.norm(np.delete(parts[i], i, axis=0).sum(0))
            own = np.linalg.norm(parts[i, i])
            assert ratio.values[layer, i] == pytest.approx(others / (others + own), abs=1e-5)
    assert found.identity_error is not None
    assert 0 < found.identity_error < 1e-5


def test_a_muted_head_adds_nothing(tiny: Model) -> None:
    muted = [(0, head) for head in range(4)]
    ratio = tiny.analyse("mixing-ratio", tiny.trace("the cat ate", muted=muted))
    assert isinstance(ratio, TokenScalars)
    assert not ratio.values[0].any(), "without any head a vector is its token's own"
    assert ratio.values[1].all()
    assert ratio.identity_error is not None
    assert ratio.identity_error < 1e-5


def test_a_model_whose_norms_only_scale_is_refused(tmp_path: Path) -> None:
    """A MobileBERT without bottlenecks, in whose layers the parts would be added up by other norms."""
    write_family(tmp_path / "mobile", "mobilebert", "AutoModelForMaskedLM", use_bottleneck=False)
    model = open_model(str(tmp_path / "mobile"), "cpu")
    trace = model.trace("the cat ate [MASK]")
    assert trace.form.has_scaling_norms
    assert not trace.form.has_bottleneck
    for key in ("norm-attention-residual", "mixing-ratio", "globenc", "alti", "decompx", "direct-logits"):
        with pytest.raises(AnalysisError, match="only scale and shift"):
            model.analyse(key, trace)
    tested = model.analyse("self-test", trace)
    assert isinstance(tested, NamedArrays)
    assert "parts" not in tested.axes[0].labels
    assert "writers" not in model.analyse("score-parts", trace, query=1, key=2).arrays()
    assert model.analyse("expansion-rate", trace).arrays()["values"].all(), "it reads no norm"


def _chained(model: Model, key: str, text: str) -> TokenMatrices:
    found = model.analyse(key, model.trace(text))
    assert isinstance(found, TokenMatrices)
    return found


def _globenc(naive: NaiveBert) -> Doubles:
    product = np.eye(naive.trace.n_tokens)
    for layer, block in enumerate(naive.model.encoder.layer):
        parts, _, after = naive.parts(layer)
        fed = block.output.dense(block.intermediate(after))
        norm, sums = block.output.LayerNorm, after + fed
        spread = (sums.var(-1, unbiased=False) + norm.eps).sqrt()
        second = norm.weight * (parts - parts.mean(-1, keepdim=True)) / spread[:, None, None]
        product = np.linalg.norm(array(second), axis=-1) @ product
    shares: Doubles = product / product.sum(-1, keepdims=True)
    return shares


def _alti(naive: NaiveBert) -> Doubles:
    product = np.eye(naive.trace.n_tokens)
    for layer in range(naive.n_layers):
        parts, _, after = map(array, naive.parts(layer))
        shares = np.zeros((len(after), len(after)))
        for i, j in np.ndindex(*shares.shape):
            shares[i, j] = max(0.0, np.abs(after[i]).sum() - np.abs(after[i] - parts[i, j]).sum())
        product = shares / shares.sum(-1, keepdims=True) @ product
    return product


@pytest.mark.parametrize(("key", "definition"), [("globenc", _globenc), ("alti", _alti)])
def test_a_chain_is_its_definition(tiny: Model, tiny_bert: Path, key: str, definition: object) -> None:
    assert callable(definition)
    found = _chained(tiny, key, "the cat ate fish")
    expected = definition(NaiveBert(tiny_bert, tiny.trace("the cat ate fish")))
    np.testing.assert_allclose(found.source(1).rows(slice(None)), expected, atol=1e-5)
    assert found.identity_error is not None
    assert found.identity_error < 1e-5


class TwoTokens:
    """Attention blocks of one layer and two tokens whose vectors are known."""

    def __init__(self, inputs: Inputs) -> None:
        self.trace, self.error = inputs.trace, 0.0

    def normed(self, layer: int, reporter: Reporter) -> Iterator[tuple[slice, Doubles, Doubles]]:
        rest = np.zeros((1, 2))
        yield slice(0, 1), np.array([[[1.0, -1.0], [-1.0, 1.0]]]), rest  # cancel each other
        yield slice(1, 2), np.array([[[1.0, 0.0], [2.0, 1.0]]]), rest


def test_alti_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Token 1's vector (3, 1) is 4 long, by the sizes of its numbers: 3 without token 0, 1 without itself.

    Token 0's parts cancel each other: without either the vector is longer, so it counts as its own alone.
    """
    monkeypatch.setattr("bertviz_app.features.methods.decomposition.decompx.AttentionBlocks", TwoTokens)
    trace = make_trace(2, n_layers=1)
    found = alti(Inputs(trace), NoParameters(), SILENT)
    expected = np.array([[1, 0], [0.25, 0.75]])
    np.testing.assert_allclose(found.source(0).rows(slice(None)), expected, atol=1e-7)


def test_a_bias_is_divided_by_how_much_each_part_points_along_it() -> None:
    """(3, 0) points 3 along (1, 0), (-1, 5) points -1: of the bias they get three quarters and a quarter."""
    parts, bias = np.array([[[3.0, 0.0], [-1.0, 5.0]]]), np.array([1.0, 0.0])
    np.testing.assert_allclose(add_bias(parts.copy(), bias), [[[3.75, 0], [-0.75, 5]]])
    across = np.array([[[0.0, 3.0], [0.0, 5.0]]])
    np.testing.assert_allclose(
        add_bias(across.copy(), bias), [[[0.5, 3], [0.5, 5]]], err_msg="equally, if none does"
    )


def _naive(naive: NaiveBert) -> Doubles:
    """Return the parts after the last layer [T, T, D], one vector at a time."""
    n_tokens = naive.trace.n_tokens
    parts: Any = [[torch.zeros(32, dtype=torch.float64) for _ in range(n_tokens)] for _ in range(n_tokens)]
    for i in range(n_tokens):
        parts[i][i] = naive.hidden(0)[i].clone()

    def add(row: list[torch.Tensor], bias: torch.Tensor) -> list[torch.Tensor]:
        shares = torch.tensor([float((part @ bias).abs()) for part in row], dtype=torch.float64)
        shares = shares / shares.sum()
        return [part + share * bias for part, share in zip(row, shares, strict=True)]

    def normed(row: list[torch.Tensor], norm: Any) -> list[torch.Tensor]:
        spread = (torch.stack(row).sum(0).var(unbiased=False) + norm.eps).sqrt()
        return add([norm.weight * (part - part.mean()) / spread for part in row], norm.bias)

    with torch.no_grad():
        for layer, block in enumerate(naive.model.encoder.layer):
            attention, self_ = naive.attention(layer), block.attention.self
            output = block.attention.output
            after = []
            for i in range(n_tokens):
                row = []
                for k in range(n_tokens):
                    mixed = torch.zeros(32, dtype=torch.float64)
                    for head in range(4):
                        rows = slice(8 * head, 8 * head + 8)
                        for j in range(n_tokens):
                            value = self_.value.weight[rows] @ parts[j][k]
                            mixed += attention[head, i, j] * (output.dense.weight[:, rows] @ value)
                    row.append(mixed)
                bias = output.dense.weight @ self_.value.bias + output.dense.bias
                row = add(row, bias)
                row = [new + old for new, old in zip(row, parts[i], strict=True)]
                after.append(normed(row, output.LayerNorm))
            parts = []
            for row in after:
                wide = add(
                    [block.intermediate.dense.weight @ part for part in row], block.intermediate.dense.bias
                )
                total = sum(wide)
                factor = block.intermediate.intermediate_act_fn(total) / total
                fed = add(
                    [block.output.dense.weight @ (factor * part) for part in wide], block.output.dense.bias
                )
                parts.append(normed([x + y for x, y in zip(row, fed, strict=True)], block.output.LayerNorm))
    return np.array([[array(part) for part in row] for row in parts])


def test_decompx_is_its_definition(tiny: Model, tiny_bert: Path) -> None:
    trace = tiny.trace("the cat ate")
    naive = NaiveBert(tiny_bert, trace)
    parts = _naive(naive)
    np.testing.assert_allclose(parts.sum(1), array(naive.hidden(2)), atol=1e-10)
    lengths = np.linalg.norm(parts, axis=-1)
    found = tiny.analyse("decompx", trace)
    assert isinstance(found, TokenMatrices)
    expected = lengths / lengths.sum(-1, keepdims=True)
    np.testing.assert_allclose(found.source(1).rows(slice(None)), expected, atol=1e-5)
    assert found.identity_error is not None
    assert found.identity_error < 1e-4


def test_of_a_muted_head_not_even_the_bias_is_divided_among_the_tokens(tiny: Model) -> None:
    found = tiny.analyse("decompx", tiny.trace("the cat ate", muted=((1, 2),)))
    assert found.identity_error is not None
    assert found.identity_error < 1e-5


def test_pairs_of_tokens_add_up_to_the_cosine(tiny: Model, tiny_bert: Path) -> None:
    a, b = tiny.trace("the cat ate"), tiny.trace("fish")
    found = tiny.analyse("similarity-pairs", a, b)
    assert isinstance(found, TokenMatrices)
    parts = [_naive(NaiveBert(tiny_bert, trace)).mean(0) for trace in (a, b)]
    vectors = [trace.hidden[-1].astype(np.float64).mean(0) for trace in (a, b)]
    lengths = np.linalg.norm(vectors[0]) * np.linalg.norm(vectors[1])
    np.testing.assert_allclose(found.arrays()["values"][0], parts[0] @ parts[1].T / lengths, atol=1e-5)
    np.testing.assert_allclose(found.arrays()["values"].sum(), vectors[0] @ vectors[1] / lengths, atol=1e-5)
    assert [axis.labels for axis in found.axes[1:]] == [a.tokens.pieces, b.tokens.pieces]


def test_runs_that_cannot_be_compared_are_refused(tiny_bert: Path, minilm: Path) -> None:
    model, other = open_model(str(tiny_bert), "cpu"), open_model(str(minilm), "cpu")
    with pytest.raises(AnalysisError, match="different checkpoints"):
        model.analyse("similarity-pairs", model.trace("the cat"), other.trace("the cat"))
    with pytest.raises(AnalysisError, match="different interventions"):
        model.analyse("similarity-pairs", model.trace("the cat"), model.trace("the cat", muted=[(0, 1)]))
    with pytest.raises(AnalysisError, match="compares two runs"):
        model.analyse("similarity-pairs", model.trace("the cat"))


FAMILIES = ("bert", "modernbert", "megatron-bert", "xlm-roberta-xl", "distilbert")
"""Norms after and before the blocks, with and without biases and gates."""


def _heads_of_similarity(model: Model, runs: tuple[Trace, Trace], token: int, partner: int) -> PairParts:
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
        found = _heads_of_similarity(model, runs, token, partner)
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


def test_a_muted_head_carries_nothing(tiny: Model) -> None:
    runs = tuple(tiny.trace(text, muted=((1, 2),)) for text in ("the cat ate", "the fish was hungry"))
    found = _heads_of_similarity(tiny, (runs[0], runs[1]), 1, 2)
    assert not found.values[:, 1, 2].any()
    assert np.count_nonzero(found.of("both")) == found.of("both").size - 1
    assert found.identity_error is not None
    assert found.identity_error < 1e-10


def test_a_token_that_there_is_not_is_refused(tiny: Model) -> None:
    runs = tiny.trace("the cat ate the fish"), tiny.trace("the cat")
    with pytest.raises(AnalysisError, match="There is no token 5: the text has tokens 0 to 3"):
        _heads_of_similarity(tiny, runs, 5, 5)


def test_it_is_the_norm_of_the_product_of_two_matrices(tiny: Model, tiny_bert: Path) -> None:
    trace = tiny.trace("the cat")
    found = tiny.analyse("expansion-rate", trace)
    assert isinstance(found, NamedArrays)
    for layer, block in enumerate(NaiveBert(tiny_bert, trace).model.encoder.layer):
        maps = []
        for linear in (block.attention.self.value, block.attention.output.dense):
            both = np.zeros((33, 33))
            both[:32, :32], both[32, :32], both[32, 32] = array(linear.weight).T, array(linear.bias), 1
            maps.append(both)
        expected = np.linalg.norm(maps[0] @ maps[1]) / np.sqrt(33)
        np.testing.assert_allclose(found.named["values"][layer], expected, rtol=1e-6)
        of_head = maps[0][:, :8] @ maps[1][:8, :32]
        np.testing.assert_allclose(
            found.named["heads"][layer, 0], np.linalg.norm(of_head) / np.sqrt(33), rtol=1e-6
        )


def _norms(model: Model, trace: Trace) -> HeadMatrices:
    found = model.analyse("norm-attention", trace)
    assert isinstance(found, HeadMatrices)
    return found


def _naive_norms(folder: Path, trace: Trace) -> Doubles:
    """Return the definition with the checkpoint's own tensors, token by token, in float64."""
    from safetensors.numpy import load_file

    tensors = {
        name: value.astype(np.float64) for name, value in load_file(folder / "model.safetensors").items()
    }
    n_layers, n_heads, n_tokens, width = trace.n_layers, trace.n_heads, trace.n_tokens, trace.head_width
    attention, found = dense(trace), np.zeros((n_layers, n_heads, n_tokens, n_tokens))
    for layer in range(n_layers):
        names = [name for name in tensors if f"encoder.layer.{layer}.attention" in name]
        by_end = {name.split(f"layer.{layer}.attention.")[1]: tensors[name] for name in names}
        for head, i, j in np.ndindex(n_heads, n_tokens, n_tokens):
            rows = slice(head * width, (head + 1) * width)
            x = trace.hidden[layer, j].astype(np.float64)
            value = by_end["self.value.weight"][rows] @ x + by_end["self.value.bias"][rows]
            transformed = by_end["output.dense.weight"][:, rows] @ value
            found[layer, head, i, j] = np.linalg.norm(attention[layer, head, i, j] * transformed)
    return found


def test_norm_attention_is_its_definition(tiny: Model, tiny_bert: Path) -> None:
    trace = tiny.trace("the cat ate", pair="fish")
    found = _norms(tiny, trace)
    np.testing.assert_allclose(found.arrays()["values"], _naive_norms(tiny_bert, trace), rtol=1e-4, atol=1e-5)
    assert found.identity_error is not None
    assert found.identity_error < 1e-5


class _ModelByHand:
    """A model of one layer of two heads of width 2, whose W_O is the identity and whose b_O is 7."""

    def __init__(self, output: Doubles) -> None:
        self._output = output  # [T, 4]

    def weights(self, layer: int) -> SimpleNamespace:
        return SimpleNamespace(output=DenseWeights(torch.eye(4), torch.full((4,), 7.0)))

    def forward(self, inputs: Sequence[Tokens], tap: Tap) -> None:
        assert tap.wants(Point.PROJECTED, 0)
        tap(Point.PROJECTED, 0, torch.from_numpy(self._output)[None])


def test_two_heads_by_hand() -> None:
    """Where W_O is the identity f(x) is the value vector: (3, 4) has the length 5."""
    attention = np.array([[[[0.5, 0.5], [1.0, 0.0]], [[0.25, 0.75], [0.0, 1.0]]]])
    values = np.array([[[[3, 4], [0, 1]], [[0, 0], [6, 8]]]], np.float32)
    trace = replace(trace_of(attention), values=values)
    # Both heads side by side: half of (3, 4) and half of (0, 1), three quarters of (6, 8); (3, 4), (6, 8).
    output = np.array([[1.5, 2.5, 4.5, 6.0], [3.0, 4.0, 6.0, 8.0]]) + 7
    model = cast("ModelAccess", _ModelByHand(output))
    found = norm_attention(Inputs(trace, model), NoParameters(), SILENT)
    expected = [[[[2.5, 0.5], [5.0, 0.0]], [[0.0, 7.5], [0.0, 10.0]]]]
    np.testing.assert_allclose(found.arrays()["values"], expected, atol=1e-6)
    assert found.identity_error == pytest.approx(0, abs=1e-6)
    wrong = cast("ModelAccess", _ModelByHand(output + 0.5))
    assert norm_attention(Inputs(trace, wrong), NoParameters(), SILENT).identity_error == pytest.approx(0.5)


def test_the_norms_of_a_muted_head_are_0(tiny: Model) -> None:
    found = _norms(tiny, tiny.trace("the cat ate", muted=[(1, 2)]))
    values = found.arrays()["values"]
    assert not values[1, 2].any()
    assert values[1, 1].any()
    assert found.identity_error is not None
    assert found.identity_error < 1e-5
