"""`Provenance`: from which checkpoint, with which edits and by which program a trace was computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bertviz_app.text.interventions import TokenIntervention

Dtype = Literal["float32", "bfloat16"]
"""The type of the numbers that the layers multiply; a trace holds float32 in either case."""


@dataclass(frozen=True)
class Identity:
    """What identifies a checkpoint, wherever its files are; "" for what is not known.

    `fingerprint` is a hash of its configuration and weights, `tokenizer` one of its tokenizer. `hub_id`,
    "org/name", and `revision`, a commit, are known of a checkpoint that was downloaded from the hub.
    """

    fingerprint: str = ""
    tokenizer: str = ""
    hub_id: str = ""
    revision: str = ""

    def is_same(self, other: Identity) -> bool:
        """Return whether the fingerprints are known and equal, and the tokenizers not known to differ."""
        is_same_tokenizer = "" in (self.tokenizer, other.tokenizer) or self.tokenizer == other.tokenizer
        return bool(self.fingerprint) and self.fingerprint == other.fingerprint and is_same_tokenizer


UNKNOWN = Identity()


@dataclass(frozen=True)
class Provenance:
    """Where a trace is from; empty where that is not known, as in files of older versions.

    `program` is the version of BertViz App. `replaced`: (token, piece) of the tokens that were read as
    another piece of the vocabulary, `tokens` the other interventions on tokens; both count the tokens of the
    text as it is written. `Trace` has the interventions on heads and weights. `dtype`: in
    which numbers the layers multiplied.
    """

    checkpoint: Identity = UNKNOWN
    program: str = ""
    replaced: tuple[tuple[int, str], ...] = ()
    tokens: tuple[TokenIntervention, ...] = ()
    dtype: Dtype = "float32"


NOT_KNOWN = Provenance()
