"""Lenses of one's own texts, against `transformers` and autograd; their files, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bertviz_app.analysis.parameters import SILENT, Reporter
from bertviz_app.analysis.results import LayerRankings
from bertviz_app.errors import AnalysisError, Cancelled, FileError
from bertviz_app.features.corpora.studies.lenses import (
    Lens,
    TrainedLens,
    TrainingParameters,
    _positions,
    read_lens,
    train_tuned_lens,
)
from bertviz_app.features.corpora.studies.study import Measured, Unit
from bertviz_app.text import Tokens
from bertviz_app.text_tables.items import Item
from bertviz_app.trace import Trace
from tests.support.families import write_family
from tests.support.peers import EngineModel, array, tensors
from tests.support.studied import run_here

TEXTS = (
    *("the cat ate the fish", "because it was hungry", "the hungry cat was eating it", "a b c d e f"),
    *("it was a fish", "the fish ate", "cats and dogs", "hungry hungry cat", "fish is it", "the the the cat"),
    *("was it the cat because", "eating fish"),
)


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "data"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("lenses") / "bert"
    write_family(made, "bert", "AutoModelForMaskedLM")
    return made


@pytest.fixture(params=["bert", "roberta-prelayernorm"])
def each(folder: Path, request: pytest.FixtureRequest) -> Path:
    """A model whose last state its head reads, and one with a norm between them."""
    made = folder.with_name(request.param)
    if not made.exists():
        write_family(made, request.param, "AutoModelForMaskedLM")
    return made


def _measured(model: EngineModel, texts: Sequence[str] = TEXTS) -> Measured:
    units = [Unit(Item(at + 1, text), model.engine.tokens(model.ref, text)) for at, text in enumerate(texts)]

    def record(tokens: Tokens) -> Trace:
        raise AssertionError("a lens needs no trace")

    return model.with_model(model.trace("the"), lambda access: Measured(units, access, record))


def _tuned(measured: Measured, block: int = 5, **parameters: Any) -> TrainedLens:
    chosen = TrainingParameters(**{"steps": 40, "rate": 0.01, "decay": 0.0} | parameters)
    found = run_here(train_tuned_lens, measured, chosen, SILENT, block)
    assert isinstance(found, TrainedLens)
    return found


def _theirs(folder: Path) -> Any:
    from transformers import AutoModelForMaskedLM

    return AutoModelForMaskedLM.from_pretrained(folder, attn_implementation="eager").double().eval()


def _inputs(tokens: Tokens) -> dict[str, torch.Tensor]:
    ids, segments, _ = tensors(tokens)
    return {"input_ids": ids, "token_type_ids": segments}


def test_the_lens_beats_the_logit_lens_on_held_out_texts(folder: Path) -> None:
    measured = _measured(EngineModel(folder))
    found = _tuned(measured, positions="tokens", per_text=100)
    plain, tuned = found.named["logit lens"], found.named["tuned lens"]
    assert (tuned[:-1] < plain[:-1]).all()
    assert plain[-1] == tuned[-1] == 0
    n_tokens = [int((~unit.tokens.is_special).sum()) for unit in measured.units]
    assert found.facts["judged on"] == n_tokens[9]
    assert found.facts["trained on"] == sum(n_tokens) - n_tokens[9]


def test_the_divergence_of_the_logit_lens_is_that_of_transformers(each: Path) -> None:
    """On the tenth text, which is held out, at the positions that the seed and its line draw."""
    model = EngineModel(each)
    measured = _measured(model)
    found = _tuned(measured, steps=1)
    unit, theirs = measured.units[9], _theirs(each)
    at = _positions(unit, TrainingParameters())
    assert len(at) == 1
    ids = unit.tokens.ids.copy()
    assert measured.model.mask_id is not None
    ids[at] = measured.model.mask_id
    with torch.no_grad():
        outputs = theirs(**_inputs(replace(unit.tokens, ids=ids)), output_hidden_states=True)
        head = theirs.cls if hasattr(theirs, "cls") else theirs.lm_head
        body = getattr(theirs, theirs.base_model_prefix)
        wanted = outputs.logits[0, at].log_softmax(-1)
        for state, hidden in enumerate(outputs.hidden_states[:-1]):
            normed = body.LayerNorm(hidden) if hasattr(body, "LayerNorm") else hidden
            shares = head(normed)[0, at].log_softmax(-1)
            expected = float((wanted.exp() * (wanted - shares)).sum(-1).mean()) / np.log(2)
            assert found.named["logit lens"][state] == pytest.approx(expected, rel=1e-4, abs=1e-5)


def test_the_same_seed_gives_the_same_lens_in_any_blocks(folder: Path) -> None:
    measured = _measured(EngineModel(folder))
    one, other = (_tuned(measured, block, steps=3).lens for block in (2, 100))
    np.testing.assert_allclose(one.matrices, other.matrices, atol=1e-5)
    assert not np.allclose(one.matrices, _tuned(measured, steps=3, seed=1).lens.matrices, atol=1e-5)


def test_masked_positions_are_few_and_never_special(folder: Path) -> None:
    model = EngineModel(folder)
    text = " ".join(["cat"] * 40)
    unit = Unit(Item(3, text), model.engine.tokens(model.ref, text))
    n_tokens = int((~unit.tokens.is_special).sum())
    drawn = _positions(unit, TrainingParameters(per_text=100))
    assert len(set(drawn.tolist())) == round(0.15 * n_tokens)
    assert not unit.tokens.is_special[drawn].any()
    assert len(_positions(unit, TrainingParameters(per_text=2))) == 2
    assert len(_positions(unit, TrainingParameters(positions="tokens", per_text=512))) == n_tokens


def test_decay_pulls_the_lens_to_the_logit_lens(folder: Path) -> None:
    measured = _measured(EngineModel(folder))
    free, held = (_tuned(measured, decay=decay).lens.matrices for decay in (0.0, 1.0))
    eye = np.eye(free.shape[-1])
    assert np.abs(held - eye).sum() < np.abs(free - eye).sum()


def test_the_last_state_is_the_model_and_others_go_through_the_lens(each: Path) -> None:
    model = EngineModel(each)
    measured = _measured(model)
    made = _tuned(measured)
    trace = model.trace("the cat was hungry")
    found, plain = model.analyse("tuned-lens", trace), model.analyse("logit-lens", trace)
    assert isinstance(found, LayerRankings)
    assert isinstance(plain, LayerRankings)
    np.testing.assert_array_equal(found.values[-1], plain.values[-1])
    theirs = _theirs(each)
    body = getattr(theirs, theirs.base_model_prefix)
    head = theirs.cls if hasattr(theirs, "cls") else theirs.lm_head
    matrix, bias = (
        torch.from_numpy(part[0].astype(np.float64)) for part in (made.lens.matrices, made.lens.biases)
    )
    hidden = torch.from_numpy(trace.hidden[0].astype(np.float64))
    with torch.no_grad():
        translated = hidden @ matrix.T + bias
        normed = body.LayerNorm(translated) if hasattr(body, "LayerNorm") else translated
        shares = array(head(normed[None])[0].softmax(-1))
    np.testing.assert_allclose(found.values[0], np.sort(shares, -1)[:, ::-1][:, :5], rtol=1e-3, atol=1e-6)


def test_a_lens_is_of_one_checkpoint(folder: Path, tmp_path: Path) -> None:
    model = EngineModel(folder)
    trace = model.trace("the cat")
    with pytest.raises(AnalysisError, match=r"No lens was trained .* bertviz-app study tuned-lens FILE"):
        model.analyse("tuned-lens", trace)
    lens = _tuned(_measured(model), steps=1).lens
    assert model.analyse("tuned-lens", trace)
    stranger = replace(lens, fingerprint="f" * 64, model="stranger").save()
    with pytest.raises(AnalysisError, match="was made of another checkpoint, stranger"):
        model.analyse("tuned-lens", trace, lens=str(stranger))
    small = replace(lens, matrices=lens.matrices[:, :3, :3], biases=lens.biases[:, :3]).save()
    with pytest.raises(AnalysisError, match="made of another checkpoint"):
        model.analyse("tuned-lens", trace, lens=str(small))


def test_what_is_no_lens_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "lens.npz"
    for content in (b"", b"PK\x03\x04", b"text"):
        path.write_bytes(content)
        with pytest.raises(FileError, match="is no lens"):
            read_lens(path)
    np.savez(path, matrices=np.zeros((2, 3, 3)), biases=np.zeros((2, 3)))
    with pytest.raises(FileError, match="is no lens"):
        read_lens(path)
    good = Lens("abc", "model", np.zeros((2, 3, 3), np.float32), np.zeros((2, 3), np.float32))
    assert read_lens(good.save()).model == "model"
    for wrong in (
        replace(good, biases=np.zeros((2, 4), np.float32)),
        replace(good, matrices=np.full((2, 3, 3), np.nan, np.float32)),
        replace(good, matrices=np.zeros((2, 3, 3), np.float64)),
    ):
        kept = wrong.save()
        with pytest.raises(FileError, match="is no lens"):
            read_lens(kept)
    with pytest.raises(FileError, match="could not be read"):
        read_lens(tmp_path / "nowhere.npz")


@pytest.mark.parametrize("is_named", [True, False])
def test_a_jacobian_lens_of_an_earlier_version_is_refused_by_name(folder: Path, *, is_named: bool) -> None:
    """Given as a file, and where it stands in the place of the lens of the checkpoint."""
    model = EngineModel(folder)
    trace = model.trace("the cat")
    lens = Lens(trace.fingerprint, "model", np.zeros((2, 3, 3), np.float32), np.zeros((2, 3), np.float32))
    facts = json.dumps({"result": {**lens.facts(), "lens": "jacobian-lens"}})
    path = lens.file()
    path.parent.mkdir(parents=True)
    np.savez(path, matrices=lens.matrices, biases=lens.biases, facts=np.array(facts))
    sentence = r"npz has a “jacobian-lens”; only lenses that the study “tuned-lens” wrote can be opened\.$"
    with pytest.raises(FileError, match=sentence):
        model.analyse("tuned-lens", trace, lens=str(path) if is_named else None)


def test_what_no_lens_can_be_made_of_is_refused(folder: Path) -> None:
    model = EngineModel(folder)
    with pytest.raises(AnalysisError, match="two texts or more"):
        _tuned(_measured(model, TEXTS[:1]))


def test_training_can_be_cancelled(folder: Path) -> None:
    measured = _measured(EngineModel(folder))
    n_left = 30

    def check() -> None:
        nonlocal n_left
        n_left -= 1
        if not n_left:
            raise Cancelled

    with pytest.raises(Cancelled):
        run_here(train_tuned_lens, measured, TrainingParameters(steps=1000), Reporter(check=check))


def test_the_file_of_a_study_is_a_lens(folder: Path, tmp_path: Path) -> None:
    import bertviz_app

    texts, out = tmp_path / "texts.txt", tmp_path / "lens.npz"
    texts.write_text("\n".join(TEXTS), encoding="utf-8")
    model = bertviz_app.open_model(str(folder), "cpu")
    made = model.study("tuned-lens", texts, out, steps=2)
    assert isinstance(made, TrainedLens)
    lens = read_lens(out)
    np.testing.assert_array_equal(lens.matrices, made.lens.matrices)
    assert lens.fingerprint == model.facts.fingerprint
    trace = model.trace("the cat")
    of_file, kept = (model.analyse("tuned-lens", trace, lens=path) for path in (str(out), None))
    np.testing.assert_array_equal(of_file.arrays()["values"], kept.arrays()["values"])
