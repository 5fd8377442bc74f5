"""OV and QK matrices, what a head pairs and writes, composition, and path patching, by other ways."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn.functional import gelu

from bertviz_app.analysis.results import HeadScalars, OutcomeMap
from bertviz_app.api import Model, open_model
from bertviz_app.errors import AnalysisError, SelectionError, TextError
from bertviz_app.features.methods import circuits
from bertviz_app.features.methods.circuits import (
    HeadCircuit,
    HeadPairs,
    effective_rank,
    folded,
    positive_share,
    singular_values,
)
from bertviz_app.types import Doubles
from tests.support.checkpoints import random_bert, write_bert
from tests.support.families import write_family
from tests.support.peers import array

TEXT, OTHER = "the cat ate the fish", "the cat was the fish"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random BERT with a head for masked tokens."""
    made = tmp_path_factory.mktemp("circuits") / "bert"
    write_family(made, "bert", "AutoModelForMaskedLM")
    return made


@pytest.fixture(scope="module")
def model(folder: Path) -> Model:
    return open_model(str(folder), "cpu")


class Dense:
    """The whole matrices of the heads of a checkpoint of BERT's form, by `transformers`, in float64."""

    def __init__(self, folder: Path) -> None:
        from transformers import AutoModelForMaskedLM

        self.model: Any = AutoModelForMaskedLM.from_pretrained(folder).double().eval()
        self.base = self.model.base_model
        self.n_heads = self.base.config.num_attention_heads

    def attention(self, layer: int) -> Any:
        return self.base.encoder.layer[layer].attention

    def ov(self, layer: int, head: int) -> Doubles:
        """Return W_V W_O [D, D], on rows."""
        attention = self.attention(layer)
        value, output = array(attention.self.value.weight), array(attention.output.dense.weight)
        width = len(value) // self.n_heads
        rows = range(head * width, (head + 1) * width)
        found: Doubles = sum(np.outer(value[row], output[:, row]) for row in rows)  # type: ignore[assignment]
        return found

    def qk(self, layer: int, head: int) -> Doubles:
        """Return W_Q W_K^T [D, D], on rows."""
        attention = self.attention(layer).self
        query, key = array(attention.query.weight), array(attention.key.weight)
        width = len(query) // self.n_heads
        rows = range(head * width, (head + 1) * width)
        found: Doubles = sum(np.outer(query[row], key[row]) for row in rows)  # type: ignore[assignment]
        return found

    def read(self, layer: int) -> Doubles:
        """Return what the attention of a layer reads of each piece alone [V, D]."""
        embeddings = self.base.embeddings
        vectors = embeddings.LayerNorm(embeddings.word_embeddings.weight)
        before = getattr(self.attention(layer), "LayerNorm", None)  # of RoBERTa-PreLayerNorm
        return array(vectors if before is None else before(vectors))

    @property
    def output(self) -> Doubles:
        """The output embeddings [V, D]."""
        return array(self.model.get_output_embeddings().weight)


def _share(matrix: Doubles) -> float:
    values = np.linalg.eigvals(matrix)
    return float(values.sum().real / np.abs(values).sum())


def _scalars(found: object) -> HeadScalars:
    assert isinstance(found, HeadScalars)
    return found


@pytest.mark.parametrize("family", ["bert", "roberta-prelayernorm"])
def test_measures_of_the_small_factors_are_those_of_the_whole_matrices(family: str, tmp_path: Path) -> None:
    write_family(tmp_path / "m", family, "AutoModelForMaskedLM")
    model, dense = open_model(str(tmp_path / "m"), "cpu"), Dense(tmp_path / "m")
    found = _scalars(model.analyse("circuit-measures", model.trace(TEXT)))
    assert found.identity_error is not None
    assert found.identity_error < 1e-5
    written = dense.output - dense.output.mean(0)
    for layer, head in ((0, 0), (1, 1)):
        ov, qk, read = dense.ov(layer, head), dense.qk(layer, head), dense.read(layer)
        s_ov, s_qk = (np.linalg.svd(each, compute_uv=False) for each in (ov, qk))
        expected = {
            "copying": _share(read @ ov @ written.T),
            "matching": _share(read @ qk @ (read - read.mean(0)).T),
            "ov positive": _share(ov),
            "qk positive": _share(qk),
            "ov norm": np.sqrt((ov**2).sum()),
            "qk norm": np.sqrt((qk**2).sum()),
            "ov rank": (s_ov**2).sum() ** 2 / (s_ov**4).sum(),
            "qk rank": (s_qk**2).sum() ** 2 / (s_qk**4).sum(),
        }
        for key, value in expected.items():
            assert found.of(key)[layer, head] == pytest.approx(value, rel=1e-4, abs=1e-5), key


def test_by_hand() -> None:
    """A matrix that copies has 1, one that takes away -1, a rotation by 90 degrees 0."""
    turn = np.array([[0.0, 1.0], [-1.0, 0.0]])
    shares = positive_share(np.stack([np.eye(2), -3 * np.eye(2), turn, np.zeros((2, 2))]))
    np.testing.assert_allclose(shares, [1, -1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(effective_rank(np.array([[2.0, 2, 0], [5, 0, 0], [0, 0, 0]])), [2, 1, 0])
    left = np.array([[3.0, 0], [0, 0], [0, 4]])  # writes 3 and 4 times two directions
    right = np.array([[0.0, 2, 0], [1, 0, 0]])
    np.testing.assert_allclose(singular_values(left, right), [6, 4], atol=1e-7)
    np.testing.assert_allclose(folded(left), [[3, 0], [0, 4]], atol=1e-7)


def test_without_a_table_as_wide_as_the_layers_there_are_no_pieces(tmp_path: Path) -> None:
    write_family(tmp_path / "albert", "albert", "AutoModelForMaskedLM")
    model = open_model(str(tmp_path / "albert"), "cpu")
    trace = model.trace(TEXT)
    found = _scalars(model.analyse("circuit-measures", trace))
    assert found.scalars[0].key == "ov positive"
    with pytest.raises(AnalysisError, match=r"not as wide as its layers.* needs no pieces"):
        model.analyse("head-circuit", trace)


def _circuit(found: object) -> HeadCircuit:
    assert isinstance(found, HeadCircuit)
    return found


@pytest.mark.parametrize(("family", "at_once"), [("bert", 370), ("roberta-prelayernorm", 1 << 22)])
def test_pieces_are_those_of_all_scores_at_once(
    family: str, at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(circuits, "SCORES_AT_ONCE", at_once)
    write_family(tmp_path / "m", family, "AutoModelForMaskedLM")
    model, dense = open_model(str(tmp_path / "m"), "cpu"), Dense(tmp_path / "m")
    trace = model.trace(TEXT)
    found = _circuit(model.analyse("head-circuit", trace, layer=1, head=1, most=5))
    read, attention = dense.read(1), dense.attention(1).self
    width = len(attention.query.weight) // dense.n_heads
    own = slice(width, 2 * width)
    query, key = (
        (read @ array(each.weight).T + array(each.bias))[:, own] for each in (attention.query, attention.key)
    )
    scores = query @ key.T / np.sqrt(width)
    written = read @ dense.ov(1, 1) @ dense.output.T
    best = np.argsort(-scores, axis=None)[:5]
    np.testing.assert_array_equal(found.pair_ids, np.stack(np.unravel_index(best, scores.shape), axis=1))
    np.testing.assert_allclose(found.pairs, scores.flat[best], atol=1e-5)
    assert found.chosen.tolist() == list(dict.fromkeys(trace.tokens.ids.tolist())), "each piece once"
    for ranked, whole in ((found.keys, scores), (found.written, written)):
        rows = whole[found.chosen]
        order = np.argsort(-rows, axis=1)
        np.testing.assert_array_equal(ranked.ids, order[:, :5])
        np.testing.assert_allclose(ranked.values, np.take_along_axis(rows, order[:, :5], 1), atol=1e-5)
        ranks = [1 + int((row > row[own]).sum()) for row, own in zip(rows, found.chosen, strict=True)]
        np.testing.assert_array_equal(ranked.own_ranks, ranks)
    np.testing.assert_allclose(
        found.values[0], np.linalg.svd(dense.ov(1, 1), compute_uv=False)[:width], atol=1e-5
    )
    table = list(found.as_table().rows)
    first = trace.tokens.pieces[0]
    assert table[0] == ("keys", first, 1, found.pieces[int(found.keys.ids[0, 0])], found.keys.values[0, 0])


def test_scores_of_pieces_are_those_of_a_text_where_nothing_but_pieces_enters(tmp_path: Path) -> None:
    bert = random_bert()
    with torch.no_grad():
        bert.embeddings.position_embeddings.weight.zero_()
        bert.embeddings.token_type_embeddings.weight.zero_()
    model = open_model(str(write_bert(tmp_path / "bert", bert)), "cpu")
    trace = model.trace(TEXT)
    found = _circuit(model.analyse("head-circuit", trace, head=2, most=100, pairs=False))
    assert not len(found.pairs)
    scores = trace.scores(0, 2)
    for query, row in enumerate(found.rows):
        by_id = dict(zip(found.keys.ids[row].tolist(), found.keys.values[row].tolist(), strict=True))
        for key, number in enumerate(trace.tokens.ids.tolist()):
            if number in by_id:
                assert by_id[number] == pytest.approx(float(scores[query, key]), abs=1e-4)
    assert sum(number in found.keys.ids for number in set(trace.tokens.ids.tolist())) > 1


def test_a_typed_piece_and_what_is_refused(model: Model) -> None:
    trace = model.trace(TEXT)
    found = _circuit(model.analyse("head-circuit", trace, piece="fish", most=1, pairs=False))
    assert found.chosen_pieces == ("fish",)
    assert set(found.rows) == {0}
    with pytest.raises(TextError):
        model.analyse("head-circuit", trace, piece="no such piece")
    with pytest.raises(SelectionError):
        model.analyse("head-circuit", trace, layer=9)
    with pytest.raises(AnalysisError, match="from 1 to 100"):
        model.analyse("head-circuit", trace, most=0)
    most = _circuit(model.analyse("head-circuit", trace, most=100)).keys.ids
    assert most.shape[1] == min(100, model.facts.vocabulary_size)


@pytest.mark.parametrize("norms", [True, False])
@pytest.mark.parametrize("family", ["bert", "roberta-prelayernorm"])
def test_composition_is_that_of_the_whole_matrices(family: str, norms: bool, tmp_path: Path) -> None:
    write_family(tmp_path / "m", family, "AutoModelForMaskedLM")
    model, dense = open_model(str(tmp_path / "m"), "cpu"), Dense(tmp_path / "m")
    found = model.analyse("composition", model.trace(TEXT), norms=norms)
    assert isinstance(found, HeadPairs)
    n_heads, n_layers = dense.n_heads, dense.base.config.num_hidden_layers
    width = dense.base.config.hidden_size
    assert found.baseline == pytest.approx(width**-0.5)
    centre = np.eye(width) - 1 / width

    def norm(module: Any) -> Doubles:
        matrix: Doubles = centre * array(module.weight) if norms else np.eye(width)
        return matrix

    def between(sender: int, reader: int) -> Doubles:
        """Return what lies on the way, [D, D] on rows."""
        if family != "bert":
            return norm(dense.attention(reader).LayerNorm)
        way = np.eye(width)
        for layer in range(sender, reader):
            block = dense.base.encoder.layer[layer]
            way = way @ norm(block.attention.output.LayerNorm) @ norm(block.output.LayerNorm)
        return way

    size = np.linalg.norm
    for reader, sender in ((1, 0), (n_layers - 1, 0)):
        for later, earlier in ((0, n_heads - 1), (1, 0)):
            arrived = dense.ov(sender, earlier) @ between(sender, reader)
            at = reader * n_heads + later, sender * n_heads + earlier
            qk, ov = dense.qk(reader, later), dense.ov(reader, later)
            expected = [size(arrived @ each) / (size(arrived) * size(each)) for each in (qk, qk.T, ov)]
            np.testing.assert_allclose(found.values[:, *at] + found.baseline, expected, atol=1e-5)
    for layer in range(n_layers):
        assert np.isnan(found.values[:, layer * n_heads : (layer + 1) * n_heads, layer * n_heads :]).all()
    rows = list(found.as_table().rows)
    assert len(rows) == n_heads**2 * n_layers * (n_layers - 1) // 2
    assert rows[0] == (1, 0, 0, 0, *found.values[:, n_heads, 0])


def test_the_baseline_is_the_mean_over_random_rotations() -> None:
    generator = np.random.default_rng(3)
    writes, reads = generator.normal(size=(12, 3)) @ generator.normal(size=(3, 12)), np.zeros((12, 12))
    reads[0, 4] = 2.0  # of rank 1, and no random matrix
    squares = []
    for _ in range(4000):
        rotation = np.linalg.qr(generator.normal(size=(12, 12)))[0]
        ratio = np.linalg.norm(writes @ rotation @ reads) / (np.linalg.norm(writes) * np.linalg.norm(reads))
        squares.append(ratio**2)
    assert np.mean(squares) == pytest.approx(1 / 12, rel=0.05)


Change = Callable[[str, int, Tensor], Tensor]


class Written:
    """A BERT that is written out, in float64; `change` may replace heads, reads and feed-forward parts."""

    def __init__(self, folder: Path) -> None:
        from transformers import BertModel

        self.bert: Any = BertModel.from_pretrained(folder).double().eval()

    def run(self, ids: Tensor, change: Change = lambda name, layer, given: given) -> Doubles:
        """Return the pooled vector [D]. `change` gets [H, T, E] of heads and reads, [T, D] of the others."""
        bert, (n_heads, n_tokens) = self.bert, (self.bert.config.num_attention_heads, len(ids))
        with torch.no_grad():
            x = bert.embeddings(ids[None])[0]
            for number, layer in enumerate(bert.encoder.layer):
                own = layer.attention.self
                q, k, v = (
                    change(name, number, dense(x).view(n_tokens, n_heads, -1).transpose(0, 1))
                    for name, dense in (("queries", own.query), ("keys", own.key), ("values", own.value))
                )
                weights = (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).softmax(-1)
                heads = change("heads", number, weights @ v).transpose(0, 1).reshape(n_tokens, -1)
                x = layer.attention.output.LayerNorm(x + layer.attention.output.dense(heads))
                fed = layer.output.dense(gelu(layer.intermediate.dense(x)))
                x = layer.output.LayerNorm(x + change("fed", number, fed))
            return array(bert.pooler(x[None])[0])

    def tensors(self, ids: Tensor) -> dict[tuple[str, int], Tensor]:
        """Return everything that `change` may replace."""
        found: dict[tuple[str, int], Tensor] = {}

        def keep(name: str, layer: int, given: Tensor) -> Tensor:
            found[name, layer] = given
            return given

        self.run(ids, keep)
        return found

    def path(
        self,
        runs: tuple[Tensor, Tensor],
        sender: tuple[int, int],
        end: str,
        receivers: tuple[tuple[int, int], ...],
        *,
        is_frozen: bool,
    ) -> Doubles:
        """Return the pooled vector of run A with one path from run B."""
        own, others = (self.tensors(ids) for ids in runs)
        read: dict[tuple[str, int], Tensor] = {}

        def first(name: str, layer: int, given: Tensor) -> Tensor:
            if name == "heads":
                given = own[name, layer].clone()
                if layer == sender[0]:
                    given[sender[1]] = others[name, layer][sender[1]]
            if name == "fed" and is_frozen:
                return own[name, layer]
            read[name, layer] = given
            return given

        direct = self.run(runs[0], first)
        if not receivers:
            return direct

        def second(name: str, layer: int, given: Tensor) -> Tensor:
            given = given.clone()
            for at, head in receivers:
                if layer == at and (
                    name == end or (end == "inputs" and name in ("queries", "keys", "values"))
                ):
                    given[head] = read[name, at][head]
            return given

        return self.run(runs[0], second)


@pytest.fixture(scope="module")
def deep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    bert = random_bert(seed=5, num_hidden_layers=3)
    with torch.no_grad():
        for layer in bert.encoder.layer:
            layer.attention.self.query.weight *= 8  # weights that depend on the text
    return write_bert(tmp_path_factory.mktemp("paths") / "bert", bert)


@pytest.mark.parametrize("rest", ["computed", "frozen"])
@pytest.mark.parametrize(
    ("end", "receivers"),
    [
        ("outcome", ()),
        ("queries", ((2, 1),)),
        ("keys", ((1, 0), (2, 3))),
        ("values", ((2, 0), (2, 2))),
        ("inputs", ((2, 1),)),
    ],
)
def test_a_path_is_its_definition(
    deep: Path, end: str, receivers: tuple[tuple[int, int], ...], rest: str
) -> None:
    model, written = open_model(str(deep), "cpu"), Written(deep)
    trace, other = model.trace(TEXT), model.trace(OTHER)
    assert trace.pooled is not None
    found = model.analyse(
        "path-patching", trace, other, target="pooled", end=end, receivers=receivers, feed_forward=rest
    )
    assert isinstance(found, OutcomeMap)
    assert found.identity_error is not None
    assert found.identity_error < 1e-5
    runs = tuple(torch.from_numpy(each.tokens.ids.astype(np.int64)) for each in (trace, other))
    plain = written.run(runs[0])
    direction = plain / np.linalg.norm(plain)
    last = max((at for at, _ in receivers), default=3)
    for layer in range(3):
        for head in range(4):
            if layer >= last:
                assert np.isnan(found.named["values"][layer, head]), "no path leads from it"
                continue
            expected = written.path(
                (runs[0], runs[1]), (layer, head), end, receivers, is_frozen=rest == "frozen"
            )
            change = float((expected - plain) @ direction)
            assert found.named["values"][layer, head] == pytest.approx(change, abs=2e-5)
    assert np.nanmax(np.abs(found.named["values"])) > 1e-3


def test_of_the_last_layer_the_direct_path_is_activation_patching(deep: Path) -> None:
    model = open_model(str(deep), "cpu")
    trace, other = model.trace(TEXT), model.trace("the cat ran the fish")
    paths = model.analyse("path-patching", trace, other, target="pooled")
    patched = model.analyse("patching", trace, other, target="pooled")
    assert isinstance(paths, OutcomeMap)
    assert isinstance(patched, OutcomeMap)
    np.testing.assert_allclose(paths.named["values"][-1], patched.named["values"][-1], atol=1e-6)
    assert np.abs(paths.named["values"][0] - patched.named["values"][0]).max() > 1e-3


@pytest.mark.parametrize("end", ["outcome", "keys"])
def test_a_path_from_the_same_run_changes_nothing(deep: Path, end: str) -> None:
    model = open_model(str(deep), "cpu")
    trace = model.trace(TEXT)
    found = model.analyse("path-patching", trace, model.trace(TEXT), end=end, receivers=(2, 1))
    assert isinstance(found, OutcomeMap)
    assert np.nanmax(np.abs(found.named["values"])) < 1e-5


def test_no_path_leads_to_the_first_layer(deep: Path) -> None:
    model = open_model(str(deep), "cpu")
    found = model.analyse(
        "path-patching", model.trace(TEXT), model.trace(OTHER), end="keys", receivers=(0, 1)
    )
    assert np.isnan(found.arrays()["values"]).all()


def test_receivers_that_are_none_are_refused(deep: Path) -> None:
    model = open_model(str(deep), "cpu")
    trace, other = model.trace(TEXT), model.trace(OTHER)
    for numbers in ((), (1,), (1, 0, 2)):
        with pytest.raises(AnalysisError, match="a layer and a head for each"):
            model.analyse("path-patching", trace, other, end="keys", receivers=numbers)
    for wrong in ("4:2", [(1, "x")], [((1, 0), 2)]):
        with pytest.raises(AnalysisError, match="each with its layer before it"):
            model.analyse("path-patching", trace, other, end="keys", receivers=wrong)
    with pytest.raises(SelectionError):
        model.analyse("path-patching", trace, other, end="keys", receivers=(7, 0))
    found = [
        model.analyse("path-patching", trace, other, end="keys", receivers=heads)
        for heads in ([(2, 1), (1, 0)], "2.1,1.0", "2,1,1,0", np.array([[2, 1], [1, 0]]))
    ]
    for same in found[1:]:
        np.testing.assert_array_equal(same, found[0])
    with pytest.raises(AnalysisError, match="cannot be “elsewhere”"):
        model.analyse("path-patching", trace, other, end="elsewhere")
    with pytest.raises(AnalysisError, match="different interventions"):
        model.analyse("path-patching", trace, model.trace(OTHER, muted=[(0, 1)]))
