"""How a family numbers the pieces of a SentencePiece model, and which special tokens it adds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bertviz_app.values import dataclass


@dataclass(frozen=True)
class PieceNumbering:
    """`first` are the ids from 0 on, whatever the model says; its other pieces have their own id + `shift`.

    `mask` is a piece after the last one, unless the model has it. `ends` are the pieces before and after a
    text, the first two that are there, or none; `n_between` counts those between the texts of a pair. What
    is done to a text before the model cuts it: its letters made small, its accents dropped, `replaced` put
    for what is written.
    """

    first: tuple[str, ...] = ()
    shift: int = 0
    mask: str | None = None
    ends: tuple[tuple[str, ...], ...] = (("[CLS]", "[SEP]"),)
    n_between: int = 1
    lower_case: bool = False
    drops_accents: bool = False
    replaced: tuple[tuple[str, str], ...] = ()
    parts_numbers: bool = False  # a comma after a digit is a piece of its own
    specials: tuple[tuple[str, str], ...] = ()  # by role, where files declare no others

    def ids(self, pieces: Sequence[str]) -> Mapping[str, int]:
        """Return the id of each of the model's `pieces`, which are in the order of the model's own ids."""
        ids = {piece: number for number, piece in enumerate(self.first)}
        for number, piece in enumerate(pieces):
            ids.setdefault(piece, number + self.shift)
        if self.mask is not None:
            ids.setdefault(self.mask, len(pieces) + self.shift)
        return ids


PLAIN = PieceNumbering(ends=(("[CLS]", "[SEP]"), ("<cls>", "<sep>"), ("<s>", "</s>"), ("[BOS]", "[EOS]")))
"""As the model has them: what people train for BERT have [CLS], [SEP] and [MASK] among their pieces."""
ALBERT = PieceNumbering(
    lower_case=True, drops_accents=True, replaced=(("``", '"'), ("''", '"')), parts_numbers=True
)
T5 = PieceNumbering(ends=(("", "</s>"),))
"""A text begins with no piece of its own."""
KOBERT = PieceNumbering(drops_accents=True, replaced=ALBERT.replaced, parts_numbers=True)
"""KoBertTokenizer's: it does to a text what ALBERT's does, but for the small letters."""
DEBERTA = PieceNumbering(mask="[MASK]")
"""Its model has no piece for a mask."""
FAIRSEQ = PieceNumbering(("<s>", "<pad>", "</s>", "<unk>"), 1, "<mask>", (("<s>", "</s>"),), n_between=2)
"""fairseq numbers four special pieces by itself, of which the model has three."""
CAMEMBERT = PieceNumbering(
    ("<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED"),
    4,
    "<mask>",
    (("<s>", "</s>"),),
    n_between=2,
)
"""fairseq's four, and the model's own again after them."""
BERT_GENERATION = PieceNumbering(
    specials=(
        ("bos_token", "<s>"),
        ("eos_token", "</s>"),
        ("unk_token", "<unk>"),
        ("sep_token", "<::::>"),
        ("pad_token", "<pad>"),
    ),
    ends=((),),
)
"""BertGenerationTokenizer's, which writes no special tokens around a text."""
