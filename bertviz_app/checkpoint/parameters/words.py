"""Names of parameters in plain words, and their symbols in formulas.

`translate` is an argument, in the window `QCoreApplication.translate`: this module must not import Qt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

Translate = Callable[[str, str], str]
_KEY = re.compile(r"^(?:heads\.)?(?:layers\.\d+\.)?(?P<module>.+?)(?:\.(?P<kind>weight|bias))?$")

_EARLIER = re.compile(r"^earlier\.(?P<number>\d+)\.(?P<part>.+)$")


def in_english(context: str, text: str) -> str:
    """Return `text`, which is English already; for use as `translate`."""
    return text


def title_of(key: str, translate: Translate) -> tuple[str, str]:
    """Return the title of the parameter with this key, and its symbol, "" if it has none."""
    found = _KEY.match(key)
    assert found is not None
    module, kind = found["module"], found["kind"]
    name, index = _named(module, translate)
    if (earlier := _EARLIER.match(module)) is not None:  # MobileBERT has several feed-forward parts
        name, index = _named(earlier["part"], translate)
        number = int(earlier["number"]) + 1
        name = translate("Parameters", "Feed-forward part {0}, {1}").format(number, name)
    if module.endswith("norm") or ".norm" in module:
        what = translate("Parameters", "shift") if kind == "bias" else translate("Parameters", "scale")
        letter = "β" if kind == "bias" else "γ"
    elif kind == "bias":
        what, letter = translate("Parameters", "bias"), "b"
    elif _is_table(module):
        return name, index
    else:
        what, letter = translate("Parameters", "weights"), "W"
    return f"{name}: {what}", f"{letter}_{index}" if index else letter


def group_title(group: str, layers: Sequence[int], translate: Translate) -> str:
    """Return the title of a group of parameters; `layers` are those that use it."""
    titles = {
        "embeddings": translate("Parameters", "Embeddings"),
        "attention": translate("Parameters", "attention"),
        "feed_forward": translate("Parameters", "feed-forward"),
        "norms": translate("Parameters", "norms"),
        "top": translate("Parameters", "Positions, and after the last layer"),
        "pooler": translate("Parameters", "Pooler"),
        "task_heads": translate("Parameters", "Task heads"),
        "sentence": translate("Parameters", "Sentence vector"),
    }
    if not layers:
        return titles[group]
    if len(layers) == 1:
        return translate("Parameters", "Layer {0} · {1}").format(layers[0], titles[group])
    return translate("Parameters", "Layers {0} to {1}, shared · {2}").format(
        layers[0], layers[-1], titles[group]
    )


def _is_table(module: str) -> bool:
    """Return whether a module is a table whose rows are looked up, not multiplied."""
    is_embedding = module in {f"embeddings.{name}" for name in ("token", "segment", "position", "task")}
    return is_embedding or module in ("attention.distance", "disentangled.table") or "relative" in module


def _named(module: str, translate: Translate) -> tuple[str, str]:
    """Return the name of a module and the index of its symbol."""
    names = {
        "embeddings.token": (translate("Parameters", "Token embeddings"), "E_t"),
        "embeddings.segment": (translate("Parameters", "Segment embeddings"), "E_s"),
        "embeddings.position": (translate("Parameters", "Position embeddings"), "E_p"),
        "embeddings.task": (translate("Parameters", "Task embeddings"), "E_k"),
        "embeddings.norm": (translate("Parameters", "Norm of the embeddings"), ""),
        "embeddings.projection": (translate("Parameters", "Projection of the embeddings"), "E"),
        "attention.query": (translate("Parameters", "Queries"), "Q"),
        "attention.key": (translate("Parameters", "Keys"), "K"),
        "attention.value": (translate("Parameters", "Values"), "V"),
        "attention.output": (translate("Parameters", "Output of the heads"), "O"),
        "attention.position_query": (translate("Parameters", "Queries of distances"), "Q,r"),
        "attention.position_key": (translate("Parameters", "Keys of distances"), "K,r"),
        "attention.distance": (translate("Parameters", "Embeddings of distances"), "E_d"),
        "attention.everywhere.query": (translate("Parameters", "Queries of global tokens"), "Q,g"),
        "attention.everywhere.key": (translate("Parameters", "Keys of global tokens"), "K,g"),
        "attention.everywhere.value": (translate("Parameters", "Values of global tokens"), "V,g"),
        "attention.beside.key_depthwise": (translate("Parameters", "Keys of spans, each dimension"), ""),
        "attention.beside.key_pointwise": (translate("Parameters", "Keys of spans"), "K,s"),
        "attention.beside.kernel": (translate("Parameters", "Kernels of the convolutions"), "κ"),
        "attention.beside.source": (translate("Parameters", "Input of the convolutions"), "u"),
        "attention_norm": (translate("Parameters", "Norm of the attention"), ""),
        "feed_forward.expand": (translate("Parameters", "Expansion"), "1"),
        "feed_forward.gate": (translate("Parameters", "Gate"), "G"),
        "feed_forward.contract": (translate("Parameters", "Contraction"), "2"),
        "feed_forward_norm": (translate("Parameters", "Norm of the feed-forward part"), ""),
        "embeddings.token_projection.dense": (
            translate("Parameters", "Projection of token embeddings"),
            "E",
        ),
        "adapter.norm": (translate("Parameters", "Norm of the adapter"), ""),
        "adapter.down": (translate("Parameters", "Adapter of the language, narrowed"), ""),
        "adapter.up": (translate("Parameters", "Adapter of the language, widened"), ""),
        "narrow.dense": (translate("Parameters", "Bottleneck at the beginning"), ""),
        "narrow.norm": (translate("Parameters", "Bottleneck at the beginning"), ""),
        "narrow_for_attention.dense": (translate("Parameters", "Bottleneck of queries and keys"), ""),
        "narrow_for_attention.norm": (translate("Parameters", "Bottleneck of queries and keys"), ""),
        "widen": (translate("Parameters", "Back to the full width"), ""),
        "output_norm": (translate("Parameters", "Norm of the output"), ""),
        "norm": (translate("Parameters", "norm"), ""),
        "pooler.dense": (translate("Parameters", "Dense layer of the pooler"), "P"),
        "final_norm": (translate("Parameters", "Norm after the last layer"), ""),
        "convolution.convolution": (translate("Parameters", "Convolution over neighbours"), "C"),
        "convolution.norm": (translate("Parameters", "Norm of the convolution"), ""),
    }
    names |= _of_task_heads(translate)
    if module in names:
        return names[module]
    return _of_first_part(translate).get(module.partition(".")[0], module), ""


def _of_first_part(translate: Translate) -> dict[str, str]:
    """Return the names of modules that have none of their own, by the first part of their path."""
    return {
        "relative": translate("Parameters", "Biases of distances"),
        "disentangled": translate("Parameters", "Embeddings of distances"),
        "rotary": translate("Parameters", "Frequencies of the rotation"),
        "token_labels": translate("Parameters", "Labels of tokens"),
        "answer": translate("Parameters", "Answer"),
        "dense": translate("Parameters", "Task head"),
        "sentence": translate("Parameters", "Sentence vector"),
    }


def _of_task_heads(translate: Translate) -> dict[str, tuple[str, str]]:
    """Return the names of the modules of task heads."""
    return {
        "masked.dense": (translate("Parameters", "Masked tokens, dense layer"), ""),
        "masked.norm": (translate("Parameters", "Masked tokens, norm"), ""),
        "masked.decoder": (translate("Parameters", "Masked tokens, scores of all pieces"), ""),
        "next_sentence": (translate("Parameters", "Next sentence"), ""),
        "replaced.dense": (translate("Parameters", "Replaced tokens, dense layer"), ""),
        "replaced.output": (translate("Parameters", "Replaced tokens, output"), ""),
        "classifier.dense": (translate("Parameters", "Classifier, dense layer"), ""),
        "classifier.norm": (translate("Parameters", "Classifier, norm"), ""),
        "classifier.output": (translate("Parameters", "Classifier, output"), ""),
        "token_labels.output": (translate("Parameters", "Labels of tokens, output"), ""),
        "answer.output": (translate("Parameters", "Answer, start and end"), ""),
    }
