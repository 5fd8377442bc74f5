"""`head_coreference`: which head leads from a mention to its antecedent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.parameters import Choice, Reporter
from bertviz_app.analysis.picture import SHARE_OF_ONE, Axis, Picture, Quantity
from bertviz_app.analysis.results import HeadScalars, Scalar
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.features.corpora.studies.mentions import ANTECEDENT, CANDIDATE, MENTION
from bertviz_app.features.corpora.studies.statistics import wilson
from bertviz_app.features.corpora.studies.study import Measured, Part, Unit, joined, study
from bertviz_app.text.tokens import NO_UNIT, word_units
from bertviz_app.trace import Trace
from bertviz_app.types import Bools, Indices
from bertviz_app.typeset import signed
from bertviz_app.values import dataclass

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import ModelAccess

_WORD = re.compile(r"\w+")
_FURTHEST = 100  # words
_SCALARS = ("accuracy", "lower end", "upper end", "weight on the antecedent")


@dataclass(frozen=True)
class CoreferenceParameters:
    """`head_word`: which word of a mention of several stands for it: the last one, or the first."""

    head_word: Annotated[
        str, Choice(("last word", "first word")), Message("Word that stands for a mention of several")
    ] = "last word"


@dataclass(frozen=True, eq=False, kw_only=True)
class HeadCoreference(HeadScalars):
    """How often each head leads from a mention to its antecedent, and what is reached without any head.

    `n_pairs` rows were counted, of which `n_with_candidates` name candidates; `n_left_out` have a word that
    has no token of its own, or no choice but the antecedent. Shares: `same_word`, of the nearest earlier
    word that is the mention's; `nearest_candidate`, of the nearest candidate (nan where no row has any);
    `at_offset`, of the word `offset` words away; `by_chance`, of a choice among all.
    """

    n_pairs: int
    n_with_candidates: int
    n_left_out: int
    best_layer: int
    best_head: int
    best: float
    same_word: float
    nearest_candidate: float
    offset: int
    at_offset: float
    by_chance: float

    def pictures(self) -> tuple[Picture, ...]:
        """Return the share of the best head beside those of the rules, then the numbers of each head."""
        at = self.best_layer, self.best_head
        shares = {
            "head": (self.best, Message("Best head: {0}·{1}", *at)),
            "word": (self.same_word, Message("Nearest same word")),
            "candidate": (self.nearest_candidate, Message("Nearest candidate")),
            "offset": (self.at_offset, Message("Word at {0}", signed(self.offset, 0))),
            "chance": (self.by_chance, Message("Chance")),
        }
        low, high = (np.full(len(shares), np.nan, np.float32) for _ in range(2))
        low[0], high[0] = self.of("lower end")[at], self.of("upper end")[at]
        best = Picture(
            key="best",
            mark="bars",
            values=np.array([share for share, _ in shares.values()], np.float32),
            axes=(Axis("rule", tuple(shares)),),
            quantity=SHARE_OF_ONE,
            title=Message("Rows in which it leads to the antecedent"),
            words={name: words for name, (_, words) in shares.items()},
            low=low,
            high=high,
            top=1.0,
            stands_for=lambda index: {} if index["rule"] else dict(zip(("layer", "head"), at, strict=True)),
        )
        return (best, *super().pictures())

    def findings(self) -> tuple[str, ...]:
        candidate = Message("the nearest candidate in {0}", f"{self.nearest_candidate:.1%}")
        return (
            Message(
                "{0} rows; head {1}·{2} leads to the antecedent in {3}",
                f"{self.n_pairs:,}",
                self.best_layer,
                self.best_head,
                f"{self.best:.1%}",
            ),
            Message("the nearest same word in {0}", f"{self.same_word:.1%}"),
            *((candidate,) if self.n_with_candidates else ()),
            Message("the word at {0} in {1}", signed(self.offset, 0), f"{self.at_offset:.1%}"),
            Message("chance in {0}", f"{self.by_chance:.1%}"),
        )


@dataclass(frozen=True, eq=False)
class _Row:
    """The words of a row, and which of them can be chosen for the mention: N choices, one of them right.

    `of_choice` [N] are the words that stand for the choices, `is_right` [N]; `is_antecedent` is of all words.
    """

    words: list[tuple[int, int]]
    names: list[str]
    mention: int
    of_choice: Indices
    is_right: Bools
    is_antecedent: Bools
    has_candidates: bool


def _finish(
    model: ModelAccess, part: Part, parameters: CoreferenceParameters, reporter: Reporter
) -> HeadCoreference:
    """Return the shares of each head, with what fixed rules reach."""
    sums = part.sums
    n_pairs = int(sums.get("pairs", 0))
    if not n_pairs:
        message = Message("The file has no row whose mention and antecedent have tokens of their own.")
        raise AnalysisError(message, Message("Give rows with a mention and its antecedent."))
    hits, weights = sums["hits"], sums["weights"]
    low, high = wilson(hits, n_pairs)
    values = np.stack((hits / n_pairs, low, high, weights / n_pairs))
    values[:, ~part.rows["present"][0]] = np.nan
    best = np.unravel_index(int(np.nan_to_num(values[0], nan=-1).argmax()), hits.shape)
    n_candidates = int(sums["with candidates"])
    return HeadCoreference(
        scalars=tuple(Scalar(key, Quantity("weight", 0, 1)) for key in _SCALARS),
        values=values.astype(np.float32),
        identity_error=float(part.rows["error"].max(initial=0.0)),
        n_pairs=n_pairs,
        n_with_candidates=n_candidates,
        n_left_out=int(sums["left out"]),
        best_layer=int(best[0]),
        best_head=int(best[1]),
        best=float(values[0][best]),
        same_word=float(sums["same word"]) / n_pairs,
        nearest_candidate=float(sums["nearest"]) / n_candidates if n_candidates else float("nan"),
        offset=int(sums["offsets"].argmax()) - _FURTHEST,
        at_offset=float(sums["offsets"].max()) / n_pairs,
        by_chance=float(sums["chance"]) / n_pairs,
    )


@study(
    key="head-coreference",
    title=Message("Heads and coreference"),
    summary=Message(
        "How often each head leads from a mention, such as a pronoun, to its antecedent, beside fixed rules."
    ),
    limits=Message(
        "The last word of a mention stands for it, which is no parse. Where a row names candidates the "
        "largest weight among them counts, else that among all words: the shares of the two are not "
        "alike. The best head is chosen on the same rows."
    ),
    paper="Clark et al. 2019, arXiv:1906.04341, section 4.3",
    reads="mentions",
    finish=_finish,
)
def head_coreference(measured: Measured, parameters: CoreferenceParameters, reporter: Reporter) -> Part:
    """Return for each head [L, H] the share of rows in which the mention looks most at its antecedent.

    The choices are the antecedent and the candidates of a row, each by the word that stands for it; in a row
    without candidates all words but those of the mention, of which those of the antecedent are right. Words
    are runs of letters and digits; weights between them are those of `WordUnits.between`. Also the interval
    of 95% (Wilson) of that share, and the mean weight on the antecedent. `identity_error`: how far the
    weights of the words and of all other tokens are off 1.
    """
    return joined(
        _of_row(unit, measured.record(unit.tokens), parameters, reporter) for unit in measured.units
    )


def _of_row(unit: Unit, trace: Trace, parameters: CoreferenceParameters, reporter: Reporter) -> Part:
    row = _row_of(unit, parameters)
    present = trace.present[None]
    none = Part({"left out": np.array(1)}, {"present": present})
    if row is None:
        return none
    units = word_units(unit.tokens, row.words)
    of_choice, query = units.of_word[row.of_choice], units.of_word[row.mention]
    right = set(of_choice[row.is_right].tolist()) - {NO_UNIT, query}
    choices = np.array(sorted(set(of_choice.tolist()) - {NO_UNIT, query}), np.intp)
    wrong = set(of_choice[~row.is_right].tolist())
    if query == NO_UNIT or not right or right & wrong or len(right) == len(choices):
        return none
    is_right = np.isin(choices, list(right))
    hits, on_right = (np.zeros((trace.n_layers, trace.n_heads)) for _ in range(2))
    error = 0.0
    queries = np.flatnonzero(units.of_token == query)
    for layer in range(trace.n_layers):
        reporter.check()
        heads = list(trace.heads_of(layer))
        rows = trace.attention(layer, rows=queries)[heads].astype(np.float64).mean(-2)  # [H, T]
        by_unit = np.stack([rows[:, units.of_token == one].sum(-1) for one in range(units.count)], -1)
        rest = rows[:, units.of_token == NO_UNIT].sum(-1)
        error = max(error, float(np.abs(by_unit.sum(-1) + rest - 1).max(initial=0)))
        hits[layer, heads] = is_right[by_unit[:, choices].argmax(-1)]
        on_right[layer, heads] = by_unit[:, choices][:, is_right].sum(-1)
    sums = {
        "pairs": np.array(1),
        "left out": np.array(0),
        "hits": hits.astype(np.int64),
        "weights": on_right,
        "chance": np.array(float(is_right.mean())),
        **_rules(row),
    }
    return Part(sums, {"present": present, "error": np.array([error], np.float32)})


def _row_of(unit: Unit, parameters: CoreferenceParameters) -> _Row | None:
    """Return the words of a row and its choices; None where a mark has no word."""
    text, marks = unit.item.text, unit.item.marks
    words = [found.span() for found in _WORD.finditer(text)]
    within = [
        [at for at, word in enumerate(words) if word[0] < end and start < word[1]] for start, end, _ in marks
    ]
    if not all(within):
        return None
    end = -1 if parameters.head_word == "last word" else 0
    of_kind = {
        kind: [found for found, mark in zip(within, marks, strict=True) if mark[2] == kind]
        for kind in (MENTION, ANTECEDENT, CANDIDATE)
    }
    (mention,), (antecedent,) = of_kind[MENTION], of_kind[ANTECEDENT]
    is_antecedent = np.isin(np.arange(len(words)), antecedent)
    candidates = of_kind[CANDIDATE]
    if candidates:
        of_choice = [antecedent[end], *(found[end] for found in candidates)]
        is_right = np.arange(len(of_choice)) == 0
    else:
        of_choice = [at for at in range(len(words)) if at not in mention]
        is_right = is_antecedent[of_choice]
    names = [text[slice(*word)].casefold() for word in words]
    return _Row(
        words, names, mention[end], np.array(of_choice, np.intp), is_right, is_antecedent, bool(candidates)
    )


def _rules(row: _Row) -> dict[str, NDArray[Any]]:
    """Return what fixed rules reach in a row: the same word, the nearest candidate, a fixed offset."""
    choices = row.of_choice.tolist()
    earlier = [at for at in choices if at < row.mention and row.names[at] == row.names[row.mention]]
    right = set(row.of_choice[row.is_right].tolist())
    nearest = min(choices, key=lambda at: (at > row.mention, abs(at - row.mention)))
    offsets = np.zeros(2 * _FURTHEST + 1, np.int64)
    away = np.flatnonzero(row.is_antecedent) - row.mention
    offsets[away[np.abs(away) <= _FURTHEST] + _FURTHEST] = 1
    return {
        "same word": np.array(int(bool(earlier) and max(earlier) in right)),
        "with candidates": np.array(int(row.has_candidates)),
        "nearest": np.array(int(row.has_candidates and nearest in right)),
        "offsets": offsets,
    }
