"""Models of transformers in memory, and the names that models once had on the hub."""

from __future__ import annotations

import gc
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoModelForMaskedLM, AutoTokenizer

from bertviz_app.api import open_model
from bertviz_app.checkpoint.sources import source
from bertviz_app.errors import ArgumentError, CheckpointError

TEXT = "the cat ate the fish"


def test_a_model_in_memory_is_opened_with_the_weights_of_this_moment(tiny_bert: Path) -> None:
    hf_model = AutoModelForMaskedLM.from_pretrained(tiny_bert)
    tokenizer = AutoTokenizer.from_pretrained(tiny_bert)
    with torch.no_grad():
        hf_model.base_model.embeddings.word_embeddings.weight += 0.25  # as a step of a training
    model = open_model(hf_model, tokenizer)
    assert (model.n_layers, model.n_heads, model.facts.name) == (2, 4, tiny_bert.name)
    trace = model.trace(TEXT)
    with torch.no_grad():
        expected = hf_model.base_model(**tokenizer(TEXT, return_tensors="pt"))
    np.testing.assert_allclose(trace.hidden[-1], expected.last_hidden_state[0].numpy(), atol=1e-5)
    pieces = model.fill_mask("the cat [MASK]")[0].fillers
    assert pieces[0].probability >= pieces[1].probability
    by_name = open_model(hf_model, device="cpu", tokenizer=tokenizer, dtype=torch.float32)
    np.testing.assert_array_equal(by_name.trace(TEXT).hidden, trace.hidden)


def test_the_folder_of_a_model_in_memory_goes_with_it(tiny_bert: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(tiny_bert)
    model = open_model(AutoModel.from_pretrained(tiny_bert), tokenizer)
    folder = Path(str(model.facts.ref))
    assert folder.is_dir()
    del model
    gc.collect()
    assert not folder.exists()


def test_without_its_tokenizer_a_model_in_memory_is_refused(tiny_bert: Path) -> None:
    hf_model = AutoModel.from_pretrained(tiny_bert)
    for device in ("auto", "cpu"):
        with pytest.raises(ArgumentError, match=r"needs its tokenizer.*Call open_model\(model, tokenizer\)"):
            open_model(hf_model, device)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("bert-base-uncased", "google-bert/bert-base-uncased"),
        ("bert-base-multilingual-cased", "google-bert/bert-base-multilingual-cased"),
        ("roberta-large-mnli", "FacebookAI/roberta-large-mnli"),
        ("xlm-roberta-base", "FacebookAI/xlm-roberta-base"),
        ("distilroberta-base", "distilbert/distilroberta-base"),
        ("albert-base-v2", "albert/albert-base-v2"),
    ],
)
def test_an_old_name_of_the_hub_is_found_in_its_cache_and_named(
    old: str, new: str, tiny_bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "cache_folder", lambda: tmp_path)
    with pytest.raises(CheckpointError, match=f"The hub calls it {new}: open that to download it"):
        source.find(old)
    repository = tmp_path / f"models--{new.replace('/', '--')}"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text("0" * 40)
    shutil.copytree(tiny_bert, repository / "snapshots" / ("0" * 40))
    assert source.find(old).name == new
