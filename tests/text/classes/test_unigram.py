"""AlbertTokenizer of a SentencePiece file: the special tokens around a text have any names."""

from __future__ import annotations

from bertviz_app.text.classes.unigram import albert
from bertviz_app.text.classes.vocabulary import Declared, Vocabulary


def test_albert_writes_the_special_tokens_that_are_declared_around_a_text() -> None:
    names = ("<unk>", "<s>", "</s>", "<pad>", "[MASK]", "\u2581ab", "\u2581c")
    scores = [(name, -float(at)) for at, name in enumerate(names)]
    vocabulary = Vocabulary("spiece.model", {name: at for at, name in enumerate(names)}, scores)
    declared = Declared(specials={"cls_token": "<s>", "sep_token": "</s>", "unk_token": "<unk>"})
    assert albert(vocabulary, declared).encode("ab c").ids == [1, 5, 6, 2]
