"""Scores of heads on sentences that were written before any head was looked at.

`resources/examples/claims.tsv` has a construction in each line, a sentence, and the two words that are meant.
Of each construction the odd sentences choose the head, by the mean of `specificity`, and the even ones score
it. Run as a module it writes the table of the document.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from bertviz_app import open_model, pair_others, pair_weights
from bertviz_app.analysis.pairs import attention_row, specificity
from bertviz_app.api import Model
from bertviz_app.paths import resources
from bertviz_app.trace import Trace

SENTENCES = resources() / "examples" / "claims.tsv"
DOCUMENT = resources() / "docs" / "reference" / "heads_of_the_examples.md"
BEGIN, END = "<!-- scores: begin -->\n", "<!-- scores: end -->\n"
CONSTRUCTIONS = {
    "pronoun": ("pronoun → antecedent", ("all-MiniLM-L6-v2", "bert-mini-en-ko")),
    "object": ("verb → object", ("all-MiniLM-L6-v2", "bert-mini-en-ko")),
    "negation": ("negated word → “not”", ("all-MiniLM-L6-v2", "bert-mini-en-ko")),
    "object_ko": ("Korean: object → verb", ("bert-mini-en-ko",)),
}


@dataclass(frozen=True)
class Score:
    """A head on the other half: the mean weight, that of the others, and how often it is largest.

    `n`: the number of these sentences.
    """

    layer: int
    head: int
    weight: float
    others: float
    largest: float
    n: int

    @property
    def difference(self) -> float:
        """How much more weight the pair has than the other tokens give the same key."""
        return self.weight - self.others


def sentences(construction: str) -> list[tuple[str, str, str]]:
    """Return (sentence, word that looks, word that is looked at) of a construction."""
    with SENTENCES.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [(r["sentence"], r["from"], r["to"]) for r in rows if r["construction"] == construction]


def pair_of(trace: Trace, words: tuple[str, str]) -> tuple[int, int]:
    """Return the first tokens of two words, each of which the text has once."""
    starts = []
    for word in words:
        at = [n for n, one in enumerate(_words(trace.tokens.text)) if one == word]
        (number,) = at
        starts.append(int(np.flatnonzero(_number_of_word(trace) == number)[0]))
    return starts[0], starts[1]


def _words(text: str) -> list[str]:
    return [word.strip(",.") for word in text.split()]


def _number_of_word(trace: Trace) -> NDArray[np.intp]:
    """Return in which word, counted by spaces, each token [T] begins; -1 of special tokens."""
    tokens = trace.tokens
    numbers = [tokens.text[: int(start)].count(" ") for start in tokens.spans[:, 0]]
    return np.where(tokens.is_special, -1, numbers)


@cache
def _model(name: str) -> Model:
    return open_model(name)


@cache
def head_chosen(model: str, construction: str) -> tuple[int, int]:
    """Return the head with the largest mean specificity on the odd sentences."""
    found = []
    for sentence, *words in sentences(construction)[::2]:
        trace = _model(model).trace(sentence)
        found.append(specificity(trace, *pair_of(trace, (words[0], words[1]))))
    mean = np.mean(found, 0)
    layer, head = np.unravel_index(int(mean.argmax()), mean.shape)
    return int(layer), int(head)


@cache
def score(model: str, construction: str, at: tuple[int, int]) -> Score:
    """Return how a head does on the even sentences."""
    numbers = []
    for sentence, *words in sentences(construction)[1::2]:
        trace = _model(model).trace(sentence)
        query, key = pair_of(trace, (words[0], words[1]))
        row = attention_row(trace, *at, query)
        pair = (pair_weights(trace, query, key)[at], pair_others(trace, query, key)[at])
        numbers.append((*pair, row.argmax() == key))
    weight, others, largest = np.array(numbers, np.float64).mean(0).tolist()
    return Score(*at, weight, others, largest, len(numbers))


def table() -> str:
    """Return the table of the document, in Markdown."""
    lines = ["| construction | model | head | weight | other tokens | difference | largest of its row |"]
    lines += ["|---|---|---|---|---|---|---|"]
    for construction, (title, models) in CONSTRUCTIONS.items():
        for model in models:
            one = score(model, construction, head_chosen(model, construction))
            numbers = f"{one.weight:.2f} | {one.others:.2f} | {one.difference:.2f}"
            lines.append(
                f"| {title} | {model} | {one.layer}·{one.head} | {numbers} | {one.largest:.0%} of {one.n} |"
            )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    before, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    DOCUMENT.write_text(f"{before}{BEGIN}{table()}{END}{after}", encoding="utf-8")
