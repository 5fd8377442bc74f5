"""Two words and two texts compared: how alike their vectors are, and what each word looks at."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from bertviz_app.analysis.compare import GAP, align_tokens
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.pairs import attention_row
from bertviz_app.analysis.parameters import Index, NoParameters, Range, Reporter, reported
from bertviz_app.analysis.picture import Axis, Picture, Quantity
from bertviz_app.analysis.results import NamedArrays, WordPair
from bertviz_app.analysis.vectors import text_cosines
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.text.tokens import token_at
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from bertviz_app.values import dataclass


@dataclass(frozen=True)
class WordParameters:
    """`token` of the run itself, `beside` of the run that it is compared with, or of the same run.

    Without them it is the longest word that occurs in both runs, or twice in one. `layer`: whose attention is
    shown.
    """

    layer: Annotated[int, Index("layer"), Message("Layer")] = 0
    token: Annotated[int | None, Index("token"), Message("Position of the token")] = None
    beside: Annotated[int | None, Range(0), Message("Position of the token it is compared with")] = None
    is_within: Annotated[bool, Message("Both tokens are of the same text")] = False


@analysis(
    key="word-cosines",
    place=("two runs", 1),
    title=Message("Two words compared"),
    summary=Message(
        "The cosine of the vectors of two tokens in every layer, of two texts or of one, and what each looks "
        "at."
    ),
    limits=Message(
        "All vectors of a layer may be alike: compare with the mean of all pairs of tokens. The attention is "
        "the mean of all heads."
    ),
    paper="Ethayarajh 2019, arXiv:1909.00512, section 3.3",
    needs=Needs.STATES,
    compares=lambda parameters: not parameters.is_within,
)
def word_cosines(inputs: Inputs, parameters: WordParameters, reporter: Reporter) -> WordPair:
    """Return "cosine" [L + 1] of the hidden states of two tokens, from -1 to 1; state 0 are the embeddings.

    Also "mean" [L + 1], that of all pairs of tokens of the two texts without special ones and without a token
    and itself; "looks" [T] and "other_looks", the weights of the two tokens in a layer, means over its heads.
    Without a second run the two tokens are of the same text. Raises AnalysisError for runs of another width
    or another number of layers.
    """
    is_within = parameters.is_within or inputs.other is None
    trace = inputs.trace
    other = trace if is_within else inputs.second
    if trace.hidden.shape[::2] != other.hidden.shape[::2]:
        message = Message("The hidden states of the two runs have no cosines: their models differ in size.")
        raise AnalysisError(message, Message("Compare two runs of one checkpoint."))
    at, there = _words(trace, other, parameters, is_within=is_within)
    cosine, mean = _cosines(trace, other, (at, there), reporter, is_within=is_within)
    layer = min(parameters.layer, trace.n_layers - 1)
    named = {
        "cosine": cosine,
        "mean": mean,
        "looks": _looks(trace, layer, at),
        "other_looks": _looks(other, layer, there),
    }
    states = (Axis("state", tuple(map(str, range(len(cosine))))),)
    axes = {
        "cosine": states,
        "mean": states,
        "looks": (Axis("token", trace.tokens.pieces),),
        "other_looks": (Axis("other_token", other.tokens.pieces),),
    }
    facts = {"token": at, "other": there, "layer": layer, "is_within": int(is_within)}
    words = trace.tokens.labels[at], other.tokens.labels[there]
    return WordPair(named, axes, facts, main="cosine", words=words)


def _words(trace: Trace, other: Trace, given: WordParameters, *, is_within: bool) -> tuple[int, int]:
    """Return the positions of the two tokens: those that are given, the others chosen.

    That is the longest token that both have; without one the first word of each, or the first two.
    """
    if given.token is not None:
        at = token_at(trace.tokens, given.token)
    else:
        words, pieces = np.flatnonzero(~trace.tokens.is_special).tolist(), trace.tokens.pieces
        of_both = (
            each
            for each in sorted(words, key=lambda each: -len(pieces[each]))
            if other.tokens.pieces[there := _counterpart(trace, other, each, is_within=is_within)]
            == pieces[each]
            and (there != each or not is_within)
        )
        at = next(of_both, words[0] if words else 0)
    if given.beside is not None:
        return at, token_at(other.tokens, given.beside)
    return at, _counterpart(trace, other, at, is_within=is_within)


def _counterpart(trace: Trace, other: Trace, at: int, *, is_within: bool) -> int:
    """Return the token that corresponds to one: aligned, else an equal one, else the first word."""
    piece, pieces = trace.tokens.pieces[at], other.tokens.pieces
    if not is_within:
        aligned = int(align_tokens(trace.tokens, other.tokens).to_b[at])
        if aligned != GAP:
            return aligned
    there = [each for each in range(len(pieces)) if not is_within or each != at]
    equal = [each for each in there if pieces[each] == piece]
    words = [each for each in there if not other.tokens.is_special[each]]
    return int((equal or words or there or [at])[0])


def _cosines(
    trace: Trace, other: Trace, pair: tuple[int, int], reporter: Reporter, *, is_within: bool
) -> tuple[Floats, Floats]:
    """Return the cosine of a pair and the mean of all pairs of words, in every state: [L + 1] each."""
    words = [np.flatnonzero(~run.tokens.is_special) for run in (trace, other)]
    cosine, mean = (np.zeros(len(trace.hidden), np.float32) for _ in range(2))
    for state in reported(range(len(trace.hidden)), reporter):
        wide = (run.hidden[state].astype(np.float64) for run in (trace, other))
        of_a, of_b = (each / np.maximum(np.linalg.norm(each, axis=-1, keepdims=True), 1e-30) for each in wide)
        cosine[state] = of_a[pair[0]] @ of_b[pair[1]]
        sides = of_a[words[0]].sum(0), of_b[words[1]].sum(0)
        same = len(words[0]) if is_within else 0  # a token is as itself
        n_pairs = len(words[0]) * len(words[1]) - same
        mean[state] = (sides[0] @ sides[1] - same) / n_pairs if n_pairs else np.nan
    return np.clip(cosine, -1, 1), mean


def _looks(trace: Trace, layer: int, token: int) -> Floats:
    rows = [attention_row(trace, layer, head, token) for head in trace.heads_of(layer)]
    found: Floats = np.stack(rows).mean(0, dtype=np.float64).astype(np.float32)
    return found


@analysis(
    key="text-cosines",
    place=("two runs", 5),
    title=Message("Similarity of two texts"),
    summary=Message("The cosine between two texts by each vector that may stand for a text."),
    limits=Message(
        "Only a vector that a checkpoint was trained to compare tells how alike two texts are in meaning: "
        "mostly the sentence vector of sentence-transformers."
    ),
    paper="Reimers and Gurevych 2019, arXiv:1908.10084, section 3",
    needs=Needs.SECOND_RUN | Needs.STATES,
)
def similarity_of_texts(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> NamedArrays:
    """Return "cosine" [N], from -1 to 1, by each of N vectors that both texts have: see `text_cosines`.

    Of a ColBERT also "mean MaxSim": the mean over the tokens of the first text of the largest cosine with a
    token of the second, by their `token_vectors`. Khattab & Zaharia 2020, arXiv:2004.12832, section 3.3, take
    the sum.
    """
    reporter.check()
    found, tokens = text_cosines(inputs.trace, inputs.second), inputs.trace.token_vectors
    reporter.check()
    others = inputs.second.token_vectors
    if tokens is not None and others is not None and tokens.shape[1] == others.shape[1]:
        found["mean MaxSim"] = float((tokens @ others.T).max(1).mean())
    cosines = np.array(list(found.values()), np.float32)
    axes = (Axis("vector", tuple(found)),)
    words = {
        "pooled": Message("pooled vector"),
        "mean": Message("mean of all tokens"),
        "sentence": Message("sentence vector"),
        "cls": Message("vector of [CLS]"),
    }
    unit, title = Quantity("", -1, 1), Message("Cosine")
    drawn = (Picture("cosine", "bars", cosines, axes, unit, title, words, top=1.0),)
    return NamedArrays({"cosine": cosines}, {"cosine": axes}, main="cosine", drawn=drawn)
