"""The numbers of the text on screen, as words: what the examples of the glossary and the lessons speak of."""

from __future__ import annotations

import numpy as np

from bertviz_app.analysis.pairs import PairNumbers, pair_weights, strongest_heads
from bertviz_app.checkpoint.questions import ModelFacts
from bertviz_app.trace import Trace

FACTS = (
    *("text", "n_tokens", "tokens", "pieces", "n_unknown", "first", "first_id", "uniform_weight"),
    *("uniform_entropy", "model", "n_layers", "n_heads", "width", "head_width", "scale"),
    *("pooled_0", "n_vocabulary", "n_parameters"),
    *("token", "id", "position", "segment"),
    *("layer", "head", "query", "key", "weight", "score", "entropy", "effective_tokens", "row_sum"),
    *("best_head", "best_weight"),
)
"""Every fact there is. Those that a run does not have are left out."""

_N_TOKENS = 14


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
    facts = _of_tokens(trace) | _of_model(trace)
    if model is not None:
        facts |= {"n_vocabulary": f"{model.vocabulary_size:,}", "n_parameters": f"{model.n_parameters:,}"}
    token = _first_word(trace) if pair is None else pair.query
    if token is not None:
        facts |= _of_token(trace, token)
    if head is not None and pair is not None:
        facts |= _of_pair(trace, head, pair)
    return facts


def _of_tokens(trace: Trace) -> dict[str, str]:
    tokens, n_tokens = trace.tokens, trace.n_tokens
    shown = tokens.labels[:_N_TOKENS]
    unknown = int(tokens.is_unknown.sum())
    facts = {
        "text": tokens.text,
        "n_tokens": str(n_tokens),
        "tokens": " · ".join(shown) + (" …" if n_tokens > len(shown) else ""),
        "first": tokens.labels[0],
        "first_id": str(tokens.ids[0]),
        "uniform_weight": f"{1 / n_tokens:.4f}",
        "uniform_entropy": f"{np.log2(n_tokens):.3f}",
    }
    if unknown:
        facts["n_unknown"] = str(unknown)
    pieces = _word_of_pieces(trace)
    return facts | ({"pieces": pieces} if pieces else {})


def _of_model(trace: Trace) -> dict[str, str]:
    facts = {
        "model": trace.model,
        "n_layers": str(trace.n_layers),
        "n_heads": str(trace.n_heads),
        "width": str(trace.width),
        "head_width": str(trace.head_width),
        "scale": f"{1 / trace.scale:.3f}",
    }
    if trace.pooled is not None:
        facts["pooled_0"] = _number(trace.pooled[0])
    return facts


def _of_token(trace: Trace, at: int) -> dict[str, str]:
    tokens = trace.tokens
    facts = {
        "token": tokens.labels[at],
        "id": str(tokens.ids[at]),
        "position": str(tokens.position_ids[at]),
    }
    return facts | ({"segment": str(tokens.segment_ids[at])} if tokens.has_segments else {})


def _of_pair(trace: Trace, head: tuple[int, int], pair: PairNumbers) -> dict[str, str]:
    labels = trace.tokens.labels
    row = trace.attention(*head, slice(pair.query, pair.query + 1))[0]
    (best,) = strongest_heads(pair_weights(trace, pair.query, pair.key), 1)
    return {
        "layer": str(head[0]),
        "head": str(head[1]),
        "query": labels[pair.query],
        "key": labels[pair.key],
        "weight": f"{pair.weight:.4f}",
        "score": _number(pair.score),
        "entropy": f"{pair.row_entropy:.3f}",
        "effective_tokens": f"{2**pair.row_entropy:.1f}",
        "row_sum": f"{float(row.sum()):.6f}",
        "best_head": f"{best.layer}·{best.head}",
        "best_weight": f"{best.weight:.4f}",
    }


def _first_word(trace: Trace) -> int | None:
    """Return the first token that is part of the text."""
    words = np.flatnonzero(~trace.tokens.is_special)
    return int(words[0]) if len(words) else None


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
