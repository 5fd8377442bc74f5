"""What the heads of a model look at, on texts of a file: `python -m tests.bench.patterns MODEL FILE...`.

For each pattern the head that follows it most, with its mean weight over all texts and the weight that a head
spread evenly over the same text would have. Clark et al. 2019 (arXiv:1906.04341), sections 3 and 4, count so.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bertviz_app.api import Model, open_model
from bertviz_app.features.training.settings import read_documents, sentences
from bertviz_app.text import Tokens
from tests.bench.rows import write_line

N_TEXTS = 150
FAR, LEAST = 2, 0.3
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def main() -> None:
    model = open_model(sys.argv[1], device="cpu")
    texts = [text for name in sys.argv[2:] for text in texts_of(Path(name))]
    write_line(
        f"{model.facts.name}, {len(texts)} texts of {', '.join(Path(name).name for name in sys.argv[2:])}"
    )
    write_line("pattern                                 head    weight  if spread evenly")
    own, evenly = own_segment(model, texts)
    other = np.where(own > 0, 1 - own, 0.0), 1 - evenly
    found = measured(model, texts) | {OWN: (own, evenly), OTHER: other, NOUN: (nouns(model), 0.5)}
    for name, (weights, evenly) in found.items():
        layer, head = np.unravel_index(int(weights.argmax()), weights.shape)
        write_line(f"{name:38}  {layer}.{head}  {weights.max():8.3f}  {evenly:16.3f}")
    write_line(
        f"* of the weight that goes {FAR} tokens or farther, of heads that send {LEAST:.0%} of theirs there\n"
        f"+ share of {2 * len(TWINS)} sentences; of {own.size} heads that guess, the best has some "
        f"{_best_guess(2 * len(TWINS), own.size):.2f}"
    )


def texts_of(path: Path) -> list[str]:
    """Return stretches of two sentences, of documents from all over the file."""
    documents = read_documents(path)
    chosen = documents[:: max(1, len(documents) // N_TEXTS)]
    share = max(1, -(-N_TEXTS // len(chosen)))
    found = [list(islice(sentences(document), 40, 40 + 2 * share)) for document in chosen]
    short = [list(sentences(document)) for document in chosen]
    parts = [long if len(long) >= 2 else whole for long, whole in zip(found, short, strict=True)]
    pairs = [" ".join(part[at : at + 2]) for part in parts for at in range(0, len(part) - 1, 2)]
    return [pair for pair in pairs if 20 < len(pair) < 400][:N_TEXTS]


def measured(model: Model, texts: Sequence[str]) -> dict[str, tuple[Floats, float]]:
    """Return of each pattern the mean weight [L, H] over queries with such keys, and that spread evenly."""
    facts = model.facts
    sums = {name: np.zeros((facts.n_layers, facts.n_heads)) for name in PATTERNS}
    evenly, counts = dict.fromkeys(PATTERNS, 0.0), dict.fromkeys(PATTERNS, 0)
    for text in texts:
        trace = model.trace(text)
        masks = {name: pattern(trace.tokens) for name, pattern in PATTERNS.items()}
        for name, mask in masks.items():
            counts[name] += int(mask.any(axis=1).sum())
            evenly[name] += float(mask.mean(axis=1).sum())
        for layer, head in np.ndindex(facts.n_layers, facts.n_heads):
            attention = trace.attention(layer, head)
            for name, mask in masks.items():
                sums[name][layer, head] += float(attention[mask].sum())
    return {
        name: (sums[name] / max(1, counts[name]), evenly[name] / max(1, counts[name])) for name in PATTERNS
    }


def own_segment(model: Model, texts: Sequence[str]) -> tuple[Floats, float]:
    """Return how much [L, H] of the weight between far tokens stays in a segment, and if spread evenly.

    Each text is given as a pair, parted at its first sentence. Heads that look near alone count as 0.
    """
    facts = model.facts
    within, far = (np.zeros((facts.n_layers, facts.n_heads)) for _ in range(2))
    n_within = n_far = n_queries = 0
    for pair in (_parted(text) for text in texts if len(list(sentences(text))) > 1):
        trace = model.trace(*pair)
        there = ~trace.tokens.is_special
        segments, positions = trace.tokens.segment_ids, np.arange(len(trace.tokens))
        is_far = (np.abs(positions[:, None] - positions) >= FAR) & there[:, None] & there
        is_own = is_far & (segments[:, None] == segments)
        n_within, n_far = n_within + int(is_own.sum()), n_far + int(is_far.sum())
        n_queries += int(there.sum())
        for layer, head in np.ndindex(facts.n_layers, facts.n_heads):
            attention = trace.attention(layer, head)
            within[layer, head] += float(attention[is_own].sum())
            far[layer, head] += float(attention[is_far].sum())
    shares = np.where(far > LEAST * n_queries, within / np.maximum(far, 1e-9), 0.0)
    return shares, n_within / max(1, n_far)


def nouns(model: Model) -> Floats:
    """Return in how many of the sentences [L, H] a head looks from "it" more at its noun than at the other.

    The sentences are twins, in which another last word makes "it" the other noun, as in Levesque et al. 2012,
    "The Winograd Schema Challenge": a head that does not read the last word is right in half of them.
    """
    facts = model.facts
    right = np.zeros((facts.n_layers, facts.n_heads))
    for begin, first, second, words in TWINS:
        for word, noun, other in ((words[0], first, second), (words[1], second, first)):
            trace = model.trace(f"{begin} {word}.")
            at = [trace.tokens.pieces.index(each) for each in ("it", noun, other)]
            weights = np.stack([trace.attention(layer)[:, at[0]] for layer in range(facts.n_layers)])
            right += weights[..., at[1]] > weights[..., at[2]]
    found: Floats = right / (2 * len(TWINS))
    return found


def _best_guess(n_sentences: int, n_heads: int) -> float:
    """Return the median of the best share among heads that are right by chance in each sentence."""
    draws = np.random.default_rng(0).binomial(n_sentences, 0.5, (10_000, n_heads)).max(1)
    return float(np.median(draws)) / n_sentences


def _parted(text: str) -> tuple[str, str]:
    first, *rest = sentences(text)
    return first, " ".join(rest)


def _beside(shift: int) -> Callable[[Tokens], Mask]:
    def mask(tokens: Tokens) -> Mask:
        there = ~tokens.is_special
        found: Mask = np.eye(len(tokens), k=shift, dtype=bool) & there[:, None] & there[None, :]
        return found

    return mask


def _same_word(tokens: Tokens) -> Mask:
    """Other pieces of the query's own word."""
    there = ~tokens.is_special
    same = (tokens.words[:, None] == tokens.words[None, :]) & there[:, None] & there[None, :]
    found: Mask = same & ~np.eye(len(tokens), dtype=bool)
    return found


def _same_piece(tokens: Tokens) -> Mask:
    """The same piece elsewhere in the text."""
    there = ~tokens.is_special
    same = (tokens.ids[:, None] == tokens.ids[None, :]) & there[:, None] & there[None, :]
    found: Mask = same & ~np.eye(len(tokens), dtype=bool)
    return found


def _ends(tokens: Tokens) -> Mask:
    """The sign that ends the query's own sentence."""
    is_end = np.isin(np.array(tokens.pieces), (".", "!", "?"))
    number = np.concatenate([[0], np.cumsum(is_end)[:-1]])
    there = ~tokens.is_special
    found: Mask = (number[:, None] == number[None, :]) & (is_end & there)[None, :] & there[:, None]
    return found & ~np.eye(len(tokens), dtype=bool)


def _own_sentence(tokens: Tokens) -> Mask:
    """All tokens of the query's own sentence, where the text has several."""
    is_end = np.isin(np.array(tokens.pieces), (".", "!", "?"))
    number = np.concatenate([[0], np.cumsum(is_end)[:-1]])
    there = ~tokens.is_special
    if len(set(number[there].tolist())) < 2:
        return np.zeros((len(tokens), len(tokens)), bool)
    found: Mask = (number[:, None] == number[None, :]) & there[:, None] & there[None, :]
    return found


def _separator(tokens: Tokens) -> Mask:
    """The separators, from the words."""
    there = ~tokens.is_special
    found: Mask = there[:, None] & (np.array(tokens.pieces) == "[SEP]")
    return found


TWINS = (
    ("The dog chased the cat because it was", "dog", "cat", ("angry", "afraid")),
    ("The horse pulled the cart because it was", "horse", "cart", ("strong", "broken")),
    ("The book did not go into the box because it was", "book", "box", ("large", "small")),
    ("The ship struck the rock because it was", "ship", "rock", ("fast", "hidden")),
    ("The boy put the bread on the table because it was", "bread", "table", ("warm", "empty")),
    ("The tree fell on the house because it was", "tree", "house", ("old", "near")),
    ("The water filled the glass until it was", "water", "glass", ("gone", "full")),
    ("The bird ate the fruit because it was", "bird", "fruit", ("hungry", "sweet")),
    ("The wind closed the door because it was", "wind", "door", ("strong", "open")),
    ("The child held the hand because it was", "child", "hand", ("tired", "warm")),
    ("The horse drank the water because it was", "horse", "water", ("thirsty", "cold")),
    ("The fire burned the house because it was", "fire", "house", ("hot", "dry")),
)
"""A sentence without its last word, two nouns, and the words that make "it" the first and the second."""

OWN, OTHER = "its own segment of a pair *", "the other segment of a pair *"
NOUN = "from “it” to its noun, not the other +"

PATTERNS: dict[str, Callable[[Tokens], Mask]] = {
    "the token before": _beside(-1),
    "the token after": _beside(1),
    "other pieces of the same word": _same_word,
    "the same piece elsewhere": _same_piece,
    "the sign that ends its own sentence": _ends,
    "its own sentence": _own_sentence,
    "the separator": _separator,
}


if __name__ == "__main__":
    main()
