"""RoBERTa's older files: vocab.json and merges.txt without a tokenizer.json."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bertviz_app.checkpoint.loader import open_checkpoint
from bertviz_app.checkpoint.sources.source import find
from bertviz_app.errors import TokenizerError
from bertviz_app.text import Numbering
from tests.support.families import CORPUS, byte_pairs, write_family, write_tokenizer
from tests.support.older_tokenizers import of_merges

TEXTS = [*CORPUS, "The <mask> cat", "  two  spaces\n", "émigré 고양이 🐈"]


@pytest.mark.slow
def test_the_two_files_read_as_the_tokenizer_they_were(tmp_path: Path) -> None:
    theirs = write_tokenizer(tmp_path, "roberta")
    ours = of_merges(tmp_path, 200)
    for text in TEXTS:
        assert ours.encode(text).ids.tolist() == theirs(text)["input_ids"]
        assert ours.encode(text, "It was.").ids.tolist() == theirs(text, "It was.")["input_ids"]


def test_a_pair_has_two_separators_and_one_segment(tmp_path: Path) -> None:
    byte_pairs(tmp_path)
    numbering = Numbering(first_position=2, has_segments=False)
    tokenizer = of_merges(tmp_path, 200, numbering)
    tokens = tokenizer.encode("cat", "fish")
    assert [piece for piece in tokens.pieces if piece.startswith("<")] == ["<s>", "</s>", "</s>", "</s>"]
    assert not tokens.segment_ids.any()
    assert not tokens.has_segments
    assert tokens.position_ids.tolist() == list(range(2, len(tokens) + 2))
    assert sorted({*tokens.sentences.tolist()}) == [-1, 0, 1]


@pytest.mark.slow
def test_a_checkpoint_without_tokenizer_json_opens(tmp_path: Path) -> None:
    write_family(tmp_path, "roberta")
    whole = open_checkpoint(find(str(tmp_path)))
    (tmp_path / "tokenizer.json").unlink()
    mask = {"content": "<mask>", "lstrip": True}  # which transformers writes into tokenizer.json only
    (tmp_path / "special_tokens_map.json").write_text(json.dumps({"mask_token": mask}), "utf-8")
    older = open_checkpoint(find(str(tmp_path)))
    for text in TEXTS:
        assert older.tokens(text).ids.tolist() == whole.tokens(text).ids.tolist()
    (tmp_path / "merges.txt").unlink()
    with pytest.raises(TokenizerError, match=r"without merges\.txt"):
        open_checkpoint(find(str(tmp_path)))


@pytest.mark.parametrize(
    ("vocabulary", "merges", "message"),
    [
        ("{", "#version\n", "A tokenizer cannot be made"),
        ("[]", "#version\n", "A tokenizer cannot be made"),
        ('{"a": 0}', "#version\na b\n", "A tokenizer cannot be made"),
        ('{"<s>": 0, "</s>": 1}', "#version\n", "has no <unk>"),
    ],
)
def test_files_that_make_none_are_refused(vocabulary: str, merges: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_text(vocabulary)
    (tmp_path / "merges.txt").write_text(merges)
    with pytest.raises(TokenizerError, match=message) as caught:
        of_merges(tmp_path, 200)
    assert caught.value.hint
