"""`head_relations`: which head finds which dependency relation of parsed sentences, by Clark's protocol."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.parameters import Choice, Range, Reporter
from bertviz_app.analysis.picture import SHARE_OF_ONE, Axis, Index, Picture, Quantity, counted
from bertviz_app.analysis.results import NamedArrays
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.features.corpora.studies.parses import main_relation
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
from bertviz_app.text.tokens import NO_UNIT, WordUnits, word_units
from bertviz_app.text_tables.items import ROOT, Item
from bertviz_app.trace import Trace
from bertviz_app.types import Bools, Doubles, Floats, Indices, Longs
from bertviz_app.typeset import signed
from bertviz_app.values import dataclass, field

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import ModelAccess

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


def _finish(
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
    finish=_finish,
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
        error = max(error, _error(weights, between, units))
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


def _error(weights: Floats, between: Doubles, units: WordUnits) -> float:
    """Return how far the weights of words and of what is no word are off 1."""
    keys = (units.of_token[:, None] == np.arange(units.count)).astype(np.float64)
    rest = weights[..., units.of_token == NO_UNIT].sum(-1, dtype=np.float64)  # [H, T]
    sums = between.sum(-1) + rest @ (keys / keys.sum(0))
    return float(np.abs(sums - 1).max(initial=0))
