"""Which head finds the other word of a dependency relation, and the antecedent of a mention."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from types import MappingProxyType
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.entry import ModelAccess
from bertviz_app.analysis.parameters import Choice, Range, Reporter
from bertviz_app.analysis.picture import SHARE_OF_ONE, Axis, Index, Picture, Quantity, counted
from bertviz_app.analysis.results import HeadScalars, NamedArrays, Scalar
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.features.corpora.studies.marked_texts import ANTECEDENT, CANDIDATE, MENTION, main_relation
from bertviz_app.features.corpora.studies.statistics import wilson
from bertviz_app.features.corpora.studies.study import (
    Measured,
    Part,
    Unit,
    as_lines,
    from_lines,
    item_as_json,
    item_from_json,
    joined,
    study,
)
from bertviz_app.tables import RowSource, Table
from bertviz_app.text.tokens import NO_UNIT, word_units
from bertviz_app.text_tables.items import ROOT, Item
from bertviz_app.trace import Trace
from bertviz_app.types import Bools, Doubles, Floats, Indices, Longs
from bertviz_app.typeset import signed
from bertviz_app.values import dataclass, field

ALL = "all"
"""The name of all relations together; no relation of Universal Dependencies is called so."""
DIRECTIONS = ("dependent → head", "head → dependent")
"""Which word looks: the dependent at its head, or the head at its dependent."""
BEST = ("layer", "head", "accuracy", "low", "high", "offset", "offset_accuracy")
"""The columns of "best"."""
_FURTHEST = 100  # words: a fixed offset beyond this finds next to nothing
_HITS, _COUNT, _OFFSETS = "hits ", "count ", "offsets "
_MOST_EXAMPLES, _LONGEST_EXAMPLE = 12, 40


@dataclass(frozen=True)
class RelationParameters:
    """`joins_subtypes`: "nsubj:pass" counts as "nsubj". `includes_self`: a word may be found by itself.

    `other_way`: how the head's looking at its dependent is counted. "column": of all words the one that looks
    most at the dependent is its head, which is how the code of Clark et al. counts it; "row": the word that
    the head looks at most is the dependent, of which a head with several dependents can find but one.
    `least`: relations of fewer words are left out.
    """

    joins_subtypes: Annotated[bool, Message("Join subtypes: nsubj:pass is nsubj")] = False
    includes_self: Annotated[bool, Message("Count the weight of a word on itself")] = False
    other_way: Annotated[str, Choice(("column", "row")), Message("Head → dependent: by column or by row")] = (
        "column"
    )
    least: Annotated[int, Range(1), Message("Fewest words of a relation")] = 1


@dataclass(frozen=True)
class RelationExample:
    """A parsed sentence in which the word `dependent` (its mark) has a relation."""

    relation: str
    item: Item
    dependent: int


_WAYS = MappingProxyType({DIRECTIONS[0]: Message("To the head"), DIRECTIONS[1]: Message("To the dependent")})
_ROLES = (
    (Message("dependent"), Message("the dependent word")),
    (Message("head"), Message("its head")),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class HeadRelations(NamedArrays):
    """How often each head finds each relation, see `head_relations`; `examples` are sentences with each."""

    examples: tuple[RelationExample, ...] = field(default=())

    def pictures(self) -> tuple[Picture, ...]:
        """Return the best head of each relation, what each head finds of it, and sentences with it."""
        return (self._best_heads(), *self._shares(), *self._sentences())

    def _shares(self) -> tuple[Picture, ...]:
        """Return the share that each head finds, and how far it is above that of the best offset."""
        shares, best = self.named["accuracy"], self.named["best"]
        n_relations, n_ways, n_layers, n_heads = shares.shape
        relation, way, *_ = self.axes
        names = tuple(f"{layer}·{head}" for layer in range(n_layers) for head in range(n_heads))
        values = shares.reshape(n_relations, n_ways, -1).swapaxes(0, 1)
        above = values - best[..., -1].T[..., None]
        marked = np.zeros(values.shape, bool)
        layer, head = best[..., 0].T.astype(int), best[..., 1].T.astype(int)
        np.put_along_axis(marked, (layer * n_heads + head)[..., None], values=True, axis=-1)
        axes = way, relation, Axis("head of all", names)
        return tuple(
            Picture(
                key=key,
                mark="cells",
                values=numbers,
                axes=axes,
                quantity=quantity,
                title=title,
                words=_WAYS,
                marked=marked,
                details=self._best_at,
            )
            for key, numbers, quantity, title in (
                ("found", values, SHARE_OF_ONE, Message("Found")),
                ("above offset", above, SHARE_OF_ONE.minus(), Message("Above offset")),
            )
        )

    def _best_heads(self) -> Picture:
        """Return the share of the best head of each relation, beside that of the best offset."""
        relation, way, *_ = self.axes
        heads, shares, low, high, compared = (
            np.moveaxis(self.named["best"][..., columns], 0, 1)
            for columns in (np.s_[:2], 2, 3, 4, len(BEST) - 1)
        )
        names = [
            [
                f"{name} · {layer:.0f}·{head:.0f}"
                for name, (layer, head) in zip(relation.labels, row, strict=True)
            ]
            for row in heads.tolist()
        ]
        return Picture(
            key="best",
            mark="bars",
            values=shares,
            axes=(way, relation),
            quantity=SHARE_OF_ONE,
            title=Message("Found by the best head; the line: by the best fixed offset"),
            words=_WAYS,
            low=low,
            high=high,
            baseline=compared,
            text=np.array(names, np.str_),
            top=1.0,
            details=self._best_at,
            stands_for=self._best_head,
        )

    def _best_head(self, index: Index) -> Index:
        layer, head = self.named["best"][index["relation"], index["direction"], :2].astype(int).tolist()
        return {"layer": layer, "head": head}

    def _sentences(self) -> tuple[Picture, ...]:
        """Return the sentences with each relation, its two words marked; those of "all" are of any."""
        firsts = {one.relation: one for one in reversed(self.examples)}
        of_all = [firsts[name] for name in self.relations if name in firsts]
        found = [
            of_all if name == ALL else [one for one in self.examples if one.relation == name]
            for name in self.relations
        ]
        n_texts, longest = (
            max(map(len, found)),
            max((len(one.item.marks) for one in self.examples), default=0),
        )
        if not n_texts:
            return ()
        shape = len(found), n_texts, longest
        words, roles = np.full(shape, "", object), np.full(shape, np.nan, np.float32)
        for at, examples in enumerate(found):
            for number, one in enumerate(examples):
                spans = [one.item.text[first:end] for first, end, _ in one.item.marks]
                words[at, number, : len(spans)] = spans
                roles[at, number, [one.dependent, one.item.heads[one.dependent]]] = 0, 1
        picture = Picture(
            key="sentences",
            mark="words",
            values=roles,
            axes=(self.axes[0], Axis("sentence", ("",) * n_texts), counted("word", longest)),
            quantity=Quantity("", 0),
            title=Message("Sentences"),
            text=words.astype(np.str_),
            categories=_ROLES,
            opens=lambda index: found[index["relation"]][index["sentence"]].item,
        )
        return (picture,)

    def findings(self) -> tuple[str, ...]:
        return (Message("a dot: the head that finds most of the relation"),)

    def _best_at(self, index: Index) -> Sequence[str]:
        row = index["relation"]
        best = self.named["best"][row, index["direction"]].tolist()
        layer, head, share, low, high, offset, of_offset = best
        numbers = [f"{each:.1%}" for each in (share, low, high)]
        return [
            Message(
                "{0}, {1} words: head {2}·{3} finds {4} ({5} to {6}); the word at {7} is it in {8}. "
                "The best of all heads on these very words.",
                self.relations[row],
                f"{int(self.named['count'][row]):,}",
                int(layer),
                int(head),
                *numbers,
                signed(offset, 0),
                f"{of_offset:.1%}",
            )
        ]

    @property
    def relations(self) -> tuple[str, ...]:
        """The relations by their numbers of words, "all" first."""
        return self.axes[0].labels

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by name, with "examples": a text of JSON each."""
        examples = [[one.relation, one.dependent, *item_as_json(one.item)] for one in self.examples]
        lines = [json.dumps(one, ensure_ascii=False) for one in examples]
        return {**super().arrays(), "examples": np.array(lines, np.str_)}

    def as_table(self) -> Table:
        """Return a row for each relation and direction: its best head beside the best fixed offset."""
        best, counts, kinds = (
            self.named["best"],
            self.named["count"],
            (int, int, float, float, float, int, float),
        )
        rows = RowSource(
            lambda: (
                (
                    name,
                    direction,
                    int(counts[at]),
                    *(kind(n) for kind, n in zip(kinds, best[at, way], strict=True)),
                )
                for at, name in enumerate(self.relations)
                for way, direction in enumerate(DIRECTIONS)
            )
        )
        return Table(("relation", "direction", "words", *BEST), rows)


def _finish_relations(
    model: ModelAccess, part: Part, parameters: RelationParameters, reporter: Reporter
) -> HeadRelations:
    """Return the shares [R, 2, L, H] of R relations, and the best of them."""
    found = {name.removeprefix(_COUNT): int(n) for name, n in part.sums.items() if name.startswith(_COUNT)}
    if not found:
        message = Message("No word of the file has a head that can be told apart from it.")
        raise AnalysisError(message, Message("Give a file with parsed sentences (CoNLL-U)."))
    kept = [name for name, n in found.items() if n >= parameters.least or name == ALL]
    names = sorted(kept, key=lambda name: (name != ALL, -found[name], name))
    counts = np.array([found[name] for name in names], np.int64)
    hits = np.stack([part.sums[f"{_HITS}{name}"] for name in names])  # [R, 2, L, H]
    accuracy = hits / counts[:, None, None, None]
    accuracy[:, :, ~part.rows["present"][0]] = np.nan
    best = _best(accuracy, hits, counts, np.stack([part.sums[f"{_OFFSETS}{name}"] for name in names]))
    relation, direction = Axis("relation", tuple(names)), Axis("direction", DIRECTIONS)
    axes = (
        relation,
        direction,
        *(counted(name, n) for name, n in zip(("layer", "head"), hits.shape[2:], strict=True)),
    )
    facts: dict[str, str | int | float] = {
        "sentences": int(part.sums["sentences"]),
        "words": int(counts[0]),
        "left out: both words in one token": int(part.sums["in one token"]),
        "left out: a word without a token": int(part.sums["without a token"]),
        "left out: no other word to look at": int(part.sums["one candidate"]),
        "left out: relations of few words": len(found) - len(names),
    }
    return HeadRelations(
        named={
            "accuracy": accuracy.astype(np.float32),
            "count": counts.astype(np.float32),
            "best": best,
        },
        axes_of={
            "accuracy": axes,
            "count": (relation,),
            "best": (relation, direction, Axis("best", BEST)),
        },
        facts=facts,
        identity_error=float(part.rows["error"].max(initial=0.0)),
        main="accuracy",
        examples=_examples(part, names, parameters),
    )


def _best(
    accuracy: Doubles,
    hits: Longs,
    counts: Longs,
    offsets: Longs,
) -> Floats:
    """Return the best head and the best offset of each relation and direction, [R, 2, BEST]."""
    n_relations, n_ways, _, n_heads = accuracy.shape
    flat = np.nan_to_num(accuracy, nan=-1.0).reshape(n_relations, n_ways, -1)
    at = flat.argmax(-1)
    n_hits = np.take_along_axis(hits.reshape(flat.shape), at[..., None], -1)[..., 0]
    low, high = wilson(n_hits, counts[:, None])
    offset = offsets.argmax(-1) - _FURTHEST
    of_offset = np.broadcast_to((offsets.max(-1) / counts)[:, None], at.shape)
    # From the head to the dependent it is as far as back.
    offsets_of_ways = np.stack([offset, -offset], axis=-1)
    columns = (*divmod(at, n_heads), n_hits / counts[:, None], low, high, offsets_of_ways, of_offset)
    return np.stack(columns, axis=-1).astype(np.float32)


def _examples(part: Part, names: list[str], parameters: RelationParameters) -> tuple[RelationExample, ...]:
    """Return the first sentences of the file with each relation, short ones alone."""
    left = Counter(dict.fromkeys(names, _MOST_EXAMPLES))
    found: list[RelationExample] = []
    for value in from_lines(part.rows["parses"]):
        item = item_from_json(value)
        if len(item.marks) > _LONGEST_EXAMPLE:
            continue
        met: set[str] = set()
        for at, ((_, _, label), head) in enumerate(zip(item.marks, item.heads, strict=True)):
            name = main_relation(label) if parameters.joins_subtypes else label
            if head != ROOT and name not in met and left[name] > 0:
                met.add(name)
                left[name] -= 1
                found.append(RelationExample(name, item, at))
        if not any(count for name, count in left.items() if name != ALL):
            break
    return tuple(found)


@study(
    key="head-relations",
    title=Message("Heads and dependency relations"),
    summary=Message(
        "For each relation of parsed sentences, how often each head finds the word at its other end, beside "
        "the best fixed offset."
    ),
    limits=Message(
        "The best head is the best of all on the words that its share is counted on, and so is the best "
        "offset: check it on another file. Special tokens are left out; a word counts as found where no "
        "other word has a larger weight, however small it is."
    ),
    paper="Clark et al. 2019, arXiv:1906.04341, section 4.2",
    reads="parsed",
    finish=_finish_relations,
)
def head_relations(measured: Measured, parameters: RelationParameters, reporter: Reporter) -> Part:
    """Return the shares "accuracy" [R, 2, L, H] of the words with each relation that each head finds.

    Of the first direction: the word that a dependent looks at most is its head; of the second, see
    `RelationParameters.other_way`. Weights between words are those of `WordUnits.between`. "count" [R] is of
    how many words, "best" [R, 2, BEST] the best head with its interval of 95% (Wilson) and the best fixed
    offset in words, positive where the word that is looked at stands later, with its share; it is chosen on
    the same file. The relation "all" is all of them but the root. Left out and counted are pairs of words
    that the tokenizer has in one token, words without a token, and sentences of two words, in which each can
    find but the other (unless itself, too). `identity_error`: how far the weights of
    words and special tokens are off 1.
    """
    return joined(
        _of_sentence(unit, measured.record(unit.tokens), parameters, reporter) for unit in measured.units
    )


def _of_sentence(unit: Unit, trace: Trace, parameters: RelationParameters, reporter: Reporter) -> Part:
    item, shape = unit.item, (2, trace.n_layers, trace.n_heads)
    units = word_units(unit.tokens, [mark[:2] for mark in item.marks])
    pairs = [(at, head) for at, head in enumerate(item.heads) if head != ROOT]
    of_pairs = units.of_word[np.array(pairs, np.intp).reshape(-1, 2)]
    is_without = (of_pairs == NO_UNIT).any(1)
    is_in_one = ~is_without & (of_pairs[:, 0] == of_pairs[:, 1])
    # Of two words each finds the other in every head: there is no other word to look at.
    is_alone = ~is_without & ~is_in_one & (units.count == 2 and not parameters.includes_self)
    used = np.array(pairs, np.intp).reshape(-1, 2)[~is_without & ~is_in_one & ~is_alone]
    found = np.zeros((*shape, len(used)), bool)
    error = 0.0
    for layer in range(trace.n_layers if len(used) else 0):
        reporter.check()
        heads = list(trace.heads_of(layer))
        weights = trace.attention(layer)[heads]
        between = units.between(weights)
        keys = (units.of_token[:, None] == np.arange(units.count)).astype(np.float64)
        rest = weights[..., units.of_token == NO_UNIT].sum(-1, dtype=np.float64)  # [H, T], on what is no word
        off = np.abs(between.sum(-1) + rest @ (keys / keys.sum(0)) - 1)
        error = max(error, float(off.max(initial=0)))
        found[:, layer, heads] = _found(between, units.of_word[used], parameters)
    names = [item.marks[at][2] for at in used[:, 0].tolist()]
    if parameters.joins_subtypes:
        names = [main_relation(name) for name in names]
    distances = np.clip(used[:, 1] - used[:, 0], -_FURTHEST - 1, _FURTHEST + 1)
    sums: dict[str, NDArray[Any]] = {
        "sentences": np.array(1),
        "in one token": is_in_one.sum(),
        "without a token": is_without.sum(),
        "one candidate": is_alone.sum(),
    }
    for name in {*names, *([ALL] if names else [])}:
        has_name = np.array([name in (ALL, one) for one in names], bool)
        sums[f"{_HITS}{name}"] = found[..., has_name].sum(-1, dtype=np.int64)
        sums[f"{_COUNT}{name}"] = np.array(int(has_name.sum()))
        near = distances[has_name]
        near = near[np.abs(near) <= _FURTHEST] + _FURTHEST
        sums[f"{_OFFSETS}{name}"] = np.bincount(near, minlength=2 * _FURTHEST + 1).astype(np.int64)
    rows = {
        "error": np.array([error], np.float32),
        "present": trace.present[None],
        "parses": as_lines([item_as_json(item)]),
    }
    return Part(sums, rows)


def _found(between: Doubles, pairs: Indices, parameters: RelationParameters) -> Bools:
    """Return [2, H, n] which of n pairs, units of a dependent and its head, each head finds."""
    if not parameters.includes_self:
        itself = np.arange(between.shape[-1])
        between = between.copy()
        between[:, itself, itself] = -1
    dependents, heads = pairs.T
    looks_at = between.argmax(-1)  # [H, U]
    one_way = looks_at[:, dependents] == heads
    if parameters.other_way == "row":
        return np.stack((one_way, looks_at[:, heads] == dependents))
    return np.stack((one_way, between.argmax(-2)[:, dependents] == heads))


_WORD = re.compile(r"\w+")
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


def _finish_coreference(
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
    finish=_finish_coreference,
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
