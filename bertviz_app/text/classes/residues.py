"""EsmTokenizer: the letters of a protein are its tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenizers import AddedToken

from bertviz_app.text.aligned import Aligned
from bertviz_app.text.classes.declared import Declared
from bertviz_app.text.classes.marked import Marked, template, with_added
from bertviz_app.text.classes.vocabulary import Vocabulary
from bertviz_app.text.classes.word_piece import validate_has
from bertviz_app.text.cutter import Cut, numbering

if TYPE_CHECKING:
    import tokenizers


class Residues:
    """What is left between the pieces of the vocabulary: unknown words, separated by white space."""

    def pieces(self, stretch: Aligned) -> list[Cut]:
        """Return the words of `stretch`."""
        return [Cut(word.text, *word.span(), number) for number, word in enumerate(stretch.words())]


def esm(vocabulary: Vocabulary, declared: Declared) -> tuple[tokenizers.Tokenizer, Marked]:
    """Return EsmTokenizer (Rives et al. 2021), which finds all pieces of its vocabulary in a text."""
    specials = declared.with_defaults(
        unk_token="<unk>", cls_token="<cls>", pad_token="<pad>", mask_token="<mask>", eos_token="<eos>"
    )
    has_end = not declared.is_given_up("eos_token")  # as where the letters are of DNA
    if not has_end:
        del specials["eos_token"]
    begin, unknown = str(specials["cls_token"]), str(specials["unk_token"])
    ends = (str(specials["eos_token"]),) if has_end else ()
    validate_has(vocabulary, declared, (begin, *ends, unknown))
    ids, added = with_added(vocabulary.ids, specials, declared)
    found = {text: AddedToken(text) for text in vocabulary.ids} | added
    single, pair = template(begin, *ends) if has_end else _without_end(begin)
    return numbering(ids, unknown, single, pair, (begin, *ends)), Marked(Residues(), found)


def _without_end(begin: str) -> tuple[list[str], list[str]]:
    """Return what is written around a text; the second is never used: such a tokenizer has no pairs."""
    single = [f"{begin}:0", "$A:0"]
    return single, [*single, "$B:0"]
