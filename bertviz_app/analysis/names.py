"""What axes, columns and numbers of results are called."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bertviz_app.errors import Message

AXES: Mapping[str, Message] = MappingProxyType(
    {
        "layer": Message("layer"),
        "head": Message("head"),
        "head of all": Message("head"),
        "earlier head": Message("earlier head"),
        "token": Message("token"),
        "query": Message("query (looks)"),
        "key": Message("key (is looked at)"),
        "state": Message("hidden state"),
        "other state": Message("hidden state"),
        "dimension": Message("dimension"),
        "component": Message("dimension"),
        "label": Message("label"),
        "scalar": Message("number"),
        "rule": Message("rule"),
        "way": Message("way"),
        "series": Message("curve"),
        "predicted": Message("predicted class"),
        "relation": Message("relation"),
        "direction": Message("direction"),
        "statistic": Message("statistic over the texts"),
        "pruned heads": Message("pruned heads"),
        "part": Message("probability of the predicted class, %"),
        "class": Message("class"),
        "check": Message("check"),
        "vector": Message("vector"),
        "distance": Message("distance in tokens"),
        "exchange": Message("exchange"),
        "method": Message("method"),
        "other method": Message("other method"),
        "step": Message("how many tokens"),
        "training step": Message("step"),
        "rank": Message("rank"),
        "writer": Message("what wrote the vector"),
        "query or key": Message("query or key"),
        "part of the logit": Message("kind of part"),
        "pair": Message("pair of pieces"),
        "position": Message("position"),
        "place": Message("position"),
    }
)
"""By the names of axes."""
COLUMNS: Mapping[str, Message] = MappingProxyType(
    {
        "query": Message("query"),
        "key": Message("key"),
        "value": Message("value"),
        "last": Message("last position"),
        "piece": Message("piece"),
        "id": Message("id"),
        "probability": Message("probability"),
        "name": Message("name"),
        "before": Message("before"),
        "after": Message("after"),
        "array": Message("array"),
        "index": Message("index"),
        "of": Message("of"),
        "low": Message("Lower end"),
        "high": Message("Upper end"),
        "baseline": Message("compared with"),
        "text": Message("text"),
        "standard_error": Message("standard error"),
        "part": Message("part"),
        "other_piece": Message("other piece"),
        "earlier_layer": Message("earlier layer"),
        "earlier_head": Message("earlier head"),
    }
)
"""By the names of columns that are not those of an axis or a number."""
NUMBERS: Mapping[str, Message] = MappingProxyType(
    {
        "pattern": Message("Pattern"),
        "vertical": Message("Two columns"),
        "diagonal": Message("Diagonal"),
        "within": Message("Within a sentence"),
        "1 → special": Message("1 → special tokens"),
        "2 → special": Message("2 → special tokens"),
        "punctuation": Message("Weight on punctuation"),
        "entropy of the first": Message("Entropy of the first token"),
        "score change": Message("Change of the score"),
        "change": Message("change"),
        "importance": Message("importance"),
        "rank by change": Message("rank by change"),
        "rank by importance": Message("rank by importance"),
        "accuracy": Message("Share found"),
        "lower end": Message("Lower end"),
        "upper end": Message("Upper end"),
        "weight on the antecedent": Message("Weight on the antecedent"),
        "both": Message("Both runs"),
        "own side": Message("This run"),
        "other side": Message("Other run"),
        "copying": Message("Copying of pieces"),
        "matching": Message("Matching of pieces"),
        "ov positive": Message("OV positive"),
        "qk positive": Message("QK positive"),
        "ov norm": Message("OV size"),
        "qk norm": Message("QK size"),
        "ov rank": Message("OV directions"),
        "qk rank": Message("QK directions"),
        "queries": Message("By queries"),
        "keys": Message("By keys"),
        "values": Message("By values"),
        "divergence": Message("divergence"),
        "significant": Message("Significant"),
        "weight": Message("Weight"),
        "by chance": Message("By chance"),
        "p": Message("p"),
        "q": Message("q, corrected"),
    }
)
"""By the keys of numbers of a head, beside those of the measures."""
BASELINES: Mapping[str, Message] = MappingProxyType(
    {
        "uniform": Message("{0}, equal weights"),
        "shuffled": Message("{0}, words shuffled"),
        "bound": Message("{0}, bound"),
    }
)
"""By the endings of the keys of measures, the name of what a measure is compared with."""
PARTS: Mapping[str, Message] = MappingProxyType(
    {
        "layer": Message("Layer {0}"),
        "head": Message("Head {0}"),
        "earlier head": Message("earlier head {0}"),
        "state": Message("State {0}"),
        "other state": Message("State {0}"),
        "dimension": Message("Dimension {0}"),
        "label": Message("Label “{0}”"),
        "predicted": Message("predicted “{0}”"),
        "place": Message("Position {0}"),
    }
)
"""What an index of an axis is called, by the name of the axis."""
