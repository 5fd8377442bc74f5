"""The glossary in both languages, and the numbers of the text on screen that its examples speak of."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import numpy as np

from bertviz_app import paths
from bertviz_app.analysis.pairs import PairNumbers, pair_others, pair_weights, strongest_heads
from bertviz_app.checkpoint.questions import ModelFacts
from bertviz_app.json_store import decode
from bertviz_app.learning.words import Words
from bertviz_app.trace import Trace
from bertviz_app.values import dataclass, field

FACTS = (
    *("text", "n_tokens", "tokens", "pieces", "n_unknown", "first", "first_id", "uniform_weight"),
    *("uniform_entropy", "model", "n_layers", "n_heads", "width", "head_width", "scale"),
    *("pooled_0", "n_vocabulary", "n_parameters"),
    *("token", "id", "position", "segment"),
    *("layer", "head", "query", "key", "weight", "score", "entropy", "effective_tokens", "row_sum"),
    *("best_head", "best_weight", "best_others"),
)
"""Every fact there is. Those that a run does not have are left out."""


def facts_of(
    trace: Trace,
    model: ModelFacts | None = None,
    head: tuple[int, int] | None = None,
    pair: PairNumbers | None = None,
) -> dict[str, str]:
    """Return the facts of a run.

    Parameters
    ----------
    trace
        The run.
    model
        The open checkpoint, for the sizes that a trace does not have.
    head
        Layer and head that are shown, for what is said of a pair.
    pair
        The query and the key that are shown in that head.
    """
    facts = _of_tokens(trace)
    facts |= {"model": trace.model, "n_layers": str(trace.n_layers), "n_heads": str(trace.n_heads)}
    if trace.has_states:
        sizes = {"width": str(trace.width), "head_width": str(trace.head_width)}
        facts |= sizes | {"scale": f"{1 / trace.scale:.3f}"}
    if trace.pooled is not None:
        facts["pooled_0"] = _number(trace.pooled[0])
    if model is not None and trace.has_states:
        facts |= {"n_vocabulary": f"{model.vocabulary_size:,}", "n_parameters": f"{model.n_parameters:,}"}
    words = np.flatnonzero(~trace.tokens.is_special).tolist() if pair is None else [pair.query]
    if words:
        tokens, at = trace.tokens, words[0]
        facts |= {"token": tokens.labels[at], "position": str(tokens.position_ids[at])}
        facts |= {"id": str(tokens.ids[at])} if tokens.has_ids else {}
        facts |= {"segment": str(tokens.segment_ids[at])} if tokens.has_segments else {}
    if head is not None and pair is not None:
        facts |= _of_pair(trace, head, pair)
    return facts


def _of_tokens(trace: Trace) -> dict[str, str]:
    tokens, n_tokens = trace.tokens, trace.n_tokens
    shown, unknown, pieces = tokens.labels[:14], int(tokens.is_unknown.sum()), _word_of_pieces(trace)
    return {
        "text": tokens.text,
        "n_tokens": str(n_tokens),
        "tokens": " · ".join(shown) + (" …" if n_tokens > len(shown) else ""),
        "first": tokens.labels[0],
        **({"first_id": str(tokens.ids[0])} if tokens.has_ids else {}),
        "uniform_weight": f"{1 / trace.n_keys:.4f}",
        "uniform_entropy": f"{np.log2(trace.n_keys):.3f}",
        **({"n_unknown": str(unknown)} if unknown else {}),
        **({"pieces": pieces} if pieces else {}),
    }


def _of_pair(trace: Trace, head: tuple[int, int], pair: PairNumbers) -> dict[str, str]:
    row = trace.attention(*head, slice(pair.query, pair.query + 1))[0]
    at = pair.query, pair.key
    (best,) = strongest_heads(pair_weights(trace, *at), 1, pair_others(trace, *at))
    return {
        "layer": str(head[0]),
        "head": str(head[1]),
        "query": trace.tokens.labels[pair.query],
        "key": trace.key_tokens.labels[pair.key],
        "weight": f"{pair.weight:.4f}",
        **({"score": _number(pair.score)} if trace.has_states else {}),
        "entropy": f"{pair.row_entropy:.3f}",
        "effective_tokens": f"{2**pair.row_entropy:.1f}",
        "row_sum": f"{float(row.sum()):.6f}",
        "best_head": f"{best.layer}·{best.head}",
        "best_weight": f"{best.weight:.4f}",
        **({} if best.others is None else {"best_others": f"{best.others:.4f}"}),
    }


def _word_of_pieces(trace: Trace) -> str:
    """Return the pieces of the first word that was cut into several; "" if there is none."""
    tokens = trace.tokens
    for at in np.flatnonzero(~tokens.is_special):
        same = (tokens.words == tokens.words[at]) & (tokens.sentences == tokens.sentences[at])
        if same.sum() > 1 and tokens.words[at] >= 0:
            return " · ".join(tokens.labels[token] for token in np.flatnonzero(same))
    return ""


def _number(value: float) -> str:
    return f"{value:.4f}".replace("-", "−")


@dataclass(frozen=True)
class Entry:
    """One term.

    `text` says in two to four sentences what it is, `is_not` what it is mistaken for, `where` where the
    program shows it. `also` are other names by which people look for it. `example`, if there is one, has
    fields of `example_facts`. `station`: where it is taught, the keys of a lesson and of its station.
    """

    key: str
    name: Words
    text: Words
    is_not: Words = field(metadata={"key": "not"})
    where: Words
    also: tuple[str, ...] = ()
    example: Words | None = None
    station: str = ""

    def example_in(self, language: str, facts: Mapping[str, str]) -> str:
        """Return the example filled with `facts`; "" where it has none, or a fact is not known."""
        if self.example is None or not self.example.fields() <= facts.keys():
            return ""
        return self.example.in_language(language).format_map(facts)


@dataclass(frozen=True)
class GlossaryTheme:
    """The entries of one file."""

    theme: Words
    entries: tuple[Entry, ...]


class Glossary:
    """All entries, in their order, by key and by what people type."""

    def __init__(self, themes: tuple[GlossaryTheme, ...]) -> None:
        """Index the entries. Raises ValueError for two entries of the same key."""
        self.themes = themes
        self._entries = {entry.key: entry for theme in themes for entry in theme.entries}
        if len(self._entries) != sum(len(theme.entries) for theme in themes):
            raise ValueError("two entries have the same key")
        self._by_name: dict[str, Entry] = {}
        for entry in self._entries.values():
            for name in _names(entry):
                self._by_name.setdefault(name, entry)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, key: str) -> Entry:
        return self._entries[key]

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def named(self, name: str) -> Entry | None:
        """Return the entry that has exactly this name, in either language; None if there is none."""
        return self._by_name.get(_folded(name))

    def found(self, typed: str) -> list[Entry]:
        """Return the entries that fit what was typed, in either language, the best ones first.

        Names that begin with it come before names that contain it, those before texts that do.
        """
        words = _folded(typed).split()
        ranked = [(rank, entry) for entry in self if (rank := _rank(entry, words)) is not None]
        return [entry for _, entry in sorted(ranked, key=lambda pair: pair[0])]


@cache
def glossary() -> Glossary:
    """Return the glossary that ships with the program; it is read once."""
    return Glossary(tuple(map(read_theme, sorted((paths.resources() / "glossary").glob("*.json")))))


def term_of_analysis(key: str) -> str:
    """Return the key of the entry about an analysis of the catalogue, "" for one that a user added."""
    term = key.replace("-", "_")
    return term if term in glossary() else ""


def read_theme(path: Path) -> GlossaryTheme:
    """Read one file of entries. Raises ValueError that names the file and what is wrong in it."""
    try:
        return decode(GlossaryTheme, json.loads(path.read_text(encoding="utf-8")))
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from error


def _rank(entry: Entry, words: list[str]) -> int | None:
    """Return 0 for the best fit of all `words`, None where one of them is nowhere."""
    names = _names(entry)
    joined = " ".join(words)
    if joined in names:
        return 0
    if any(name.startswith(joined) for name in names):
        return 1
    all_names = " ".join(names)
    if all(word in all_names for word in words):
        return 2
    texts = (entry.text, entry.is_not, entry.where)
    everything = all_names + _folded(" ".join(part for text in texts for part in (text.en, text.ko)))
    return 3 if all(word in everything for word in words) else None


def _names(entry: Entry) -> list[str]:
    """Return all its names, folded; "[CLS] (first token)" also as "[CLS]"."""
    whole = [_folded(name) for name in (entry.name.en, entry.name.ko, *entry.also)]
    return [*whole, *(name.split(" (")[0] for name in whole if " (" in name)]


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()
