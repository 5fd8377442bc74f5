"""A trace as a file: NPZ (everything, can be opened again), JSON and CSV (for other programs)."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
from numpy.lib.format import write_array_header_1_0
from numpy.typing import NDArray

import bertviz_app.trace as traces
from bertviz_app.errors import AppError, ArgumentError, FileError, Message
from bertviz_app.json_store import decode, encode
from bertviz_app.paths import refuse_swelling, replacing
from bertviz_app.tables import write_file
from bertviz_app.text import Tokens
from bertviz_app.text.edits import CellIntervention, HeadIntervention, StateIntervention
from bertviz_app.trace.arrays import (
    DEFAULT_NAME,
    PARTS,
    EncoderDecoderTraces,
    Weights,
    WeightsTrace,
    examined,
    first_shown,
    one_of,
)
from bertviz_app.trace.bias import Bias, BlockSparse, DisentangledBias, GlobalAttention, RelativeBias
from bertviz_app.trace.form import MOST_FEED_FORWARDS, Form
from bertviz_app.trace.given import given_tokens, layers_of, tokens_of_pieces
from bertviz_app.trace.indexing import described
from bertviz_app.trace.patches import PatchImage, image_of, patch_names
from bertviz_app.trace.provenance import Identity, Provenance
from bertviz_app.trace.trace import OPTIONAL, Trace
from bertviz_app.types import Floats


def as_trace(value: object, call: str) -> Trace:
    """Return a trace; `call` is the right one, for the message. Raises ArgumentError for anything else."""
    if isinstance(value, traces.Trace):
        return value
    if isinstance(value, EncoderDecoderTraces):
        message = Message("An encoder-decoder has three traces; one is needed here.")
        raise ArgumentError(message, Message("Give one of {0}.", ".encoder, .decoder, .cross"))
    message = Message("A trace is needed, which model.trace returns, not {0}.", described(value))
    raise ArgumentError(message, Message("Call {0}.", call))


FORMAT = 5
_OF_WEIGHTS = 3
"""The format of weights alone: the arrays are `attention`, or `attention_0` and so on, and the facts."""
_WITHOUT_INTERVENTIONS = 1
_WITHOUT_PRUNED = 4
_WITHOUT_STATES = 2
"""The older format, which has muted heads and replaced tokens only. A trace without other interventions is
still written in it, so that older versions of the program open it."""
_LARGEST = 2**31 - 1  # of the integers in a file: positions, layers and heads are far smaller
_BY_POSITION = ("position_keys", "position_queries")
_TOKEN_ARRAYS = ("ids", "segment_ids", "position_ids", "sentences", "words", "spans")
_TRACE_ARRAYS = ("token_embeddings", "embedding_sum", "queries", "keys", "values", "lse", "hidden")


def save_trace(trace: Trace | EncoderDecoderTraces, path: str | Path) -> Path:
    """Write a trace to a file: `.npz`, `.json` or `.csv` by its ending.

    All three hold `attention` [L, H, T, T], `pooled` [D], `sentence_vector` [S], `hidden` [L + 1, T, D] and
    the ids; NPZ also holds queries, keys, values and the embeddings, and is what `load_trace` opens. JSON and
    CSV write every number so that reading it back gives the same float32. CSV is long: one number a line,
    under the columns `array,layer,head,row,column,value`; its first lines name the model, its fingerprint and
    that of its tokenizer, the muted heads, the replaced tokens and all other interventions.

    Parameters
    ----------
    trace : Trace or EncoderDecoderTraces
        A trace of L layers, H heads and T tokens. With one of an encoder-decoder NPZ holds all three.
    path : str or Path
        The file; one that exists is replaced.

    Returns
    -------
    Path
        That of the file.

    Raises
    ------
    FileError
        Where it cannot be written, or for another ending.
    ArgumentError
        For a `trace` or a `path` of another type.
    """
    trace = as_trace(one_of(trace), 'save_trace(model.trace(text), "trace.npz")')
    if not isinstance(path, str | PathLike):
        message = Message("A file is a name or a path, not {0}.", described(path))
        raise ArgumentError(message, Message("Call {0}.", 'save_trace(trace, "trace.npz")'))
    writers = {".npz": _write_npz, ".json": _write_json, ".csv": _write_csv}
    return write_file(path, {ending: partial(write, trace) for ending, write in writers.items()})


def save_arrays(trace: Trace, path: Path) -> None:
    """Write `trace` as a far smaller `.npz` without `attention`, which follows from the other arrays."""
    with replacing(path) as beside:
        write_arrays(trace, beside)


def load_trace(path: str | Path) -> Trace:
    """Return the trace in an `.npz` file that this program saved, or weights that `numpy.savez` wrote.

    Parameters
    ----------
    path : str or Path
        An `.npz` file of `save_trace`, or of the program itself. One from elsewhere holds the weights as
        `attention` [L, H, T, T] or, layer by layer, as `attention_0`, `attention_1` ... [H, T, T], and may
        hold `tokens`, T texts, `key_tokens`, those of the columns, `sentence_b_start`, and of an image
        `patches`, its rows and columns, and `image` [h, w, 3].

    Returns
    -------
    Trace
        As it was saved: the same float32 numbers. Of weights alone a `WeightsTrace`; its `parts` are those of
        an encoder-decoder that were saved with it.

    Raises
    ------
    FileError
        For any other file, or none.
    """
    try:
        refuse_swelling(Path(path))
        # Opened here because NumPy does not close the file of a damaged archive.
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            if "facts" not in arrays and any(_is_of_attention(name) for name in arrays):
                return _from_elsewhere(arrays, Path(path).stem)
            return (_weights if int(arrays["format"]) == _OF_WEIGHTS else _from_arrays)(arrays)
    except FileNotFoundError as error:
        raise FileError(Message("There is no file {0}.", path), Message("Check the name.")) from error
    except FileError:
        raise
    except AppError as error:
        raise FileError(error.message, error.hint) from error
    except Exception as error:  # whatever a file may hold: bad zip, bad header, bad JSON, wrong shapes
        message = Message("{0} is not a trace that can be opened.", path)
        raise FileError(message, Message("Open an .npz file that this program saved.")) from error


def _from_arrays(arrays: Any) -> Trace:
    if int(arrays["format"]) not in (_WITHOUT_INTERVENTIONS, _WITHOUT_STATES, _WITHOUT_PRUNED, FORMAT):
        raise ValueError("unknown format")
    facts = json.loads(str(arrays["facts"]))
    _validate_facts(facts)
    tokens = Tokens(
        text=facts["text"],
        pair=facts["pair"],
        pieces=tuple(facts["pieces"]),
        n_left_out=facts["n_left_out"],
        has_segments="segment_embeddings" in arrays,
        spelling=facts.get("spelling", "plain"),  # older files have none of these two
        dropped=facts.get("dropped", ""),
        **{name: arrays[name] for name in _TOKEN_ARRAYS},
    )
    numbers = {name: arrays[name] for name in _TRACE_ARRAYS}
    numbers |= {name: arrays[name] for name in OPTIONAL if name in arrays}
    bias = _bias(arrays)
    if not all(np.isfinite(array).all() for array in numbers.values()):
        raise ValueError("numbers that are not finite")
    # Older files have none of these.
    muted, pruned = (
        tuple((layer, head) for layer, head in facts.get(key, ())) for key in ("muted", "pruned")
    )
    facts = {
        "model": facts["model"],
        "scale": facts["scale"],
        "muted": muted,
        "pruned": pruned,
        "heads": tuple(decode(HeadIntervention, one, largest=_LARGEST) for one in facts.get("heads", ())),
        "cells": tuple(decode(CellIntervention, one, largest=_LARGEST) for one in facts.get("cells", ())),
        "states": tuple(decode(StateIntervention, one, largest=_LARGEST) for one in facts.get("states", ())),
        "shares_layers": facts.get("shares_layers", False) is True,
        "form": _form(facts.get("form", {})),
        "bias": bias,
        "provenance": decode(Provenance, facts["provenance"], largest=_LARGEST)
        if "provenance" in facts
        else Provenance(Identity(facts.get("fingerprint", ""))),
    }
    return Trace(tokens=tokens, **(facts | dict.fromkeys(OPTIONAL) | numbers))


def _is_of_attention(name: str) -> bool:
    return name == "attention" or name.removeprefix("attention_").isdecimal()


def _stored_layers(arrays: Any) -> tuple[Weights, ...]:
    """Return the layers of weights in a file. Raises SelectionError for what is none."""
    if "attention" in arrays:
        return layers_of(arrays["attention"])
    numbered = sorted((name for name in arrays if _is_of_attention(name)), key=lambda name: int(name[10:]))
    return layers_of([arrays[name] for name in numbered])


def _from_elsewhere(arrays: Any, name: str) -> WeightsTrace:
    """Return the weights that another program wrote; tokens without names are called by their numbers."""
    layers = _stored_layers(arrays)
    second = int(arrays["sentence_b_start"]) if "sentence_b_start" in arrays else None
    queries, keys, patches = (
        arrays[key].tolist() if key in arrays else None for key in ("tokens", "key_tokens", "patches")
    )
    n_queries, n_keys = layers[0].shape[1:]
    if patches is not None:
        names = patch_names(patches, n_keys)
        is_own = n_queries == n_keys and keys is None
        queries, keys = (queries or names, None) if is_own else (queries, keys or names)
    tokens, key_tokens = given_tokens(layers, queries, keys, second)
    trace = examined(layers, tokens, key_tokens, model=name or DEFAULT_NAME)
    return trace.showing(image_of(arrays["image"], patches, n_keys)) if "image" in arrays else trace


def _weights(arrays: Any) -> WeightsTrace:
    """Return the weights that this program saved."""
    facts = json.loads(str(arrays["facts"]))
    own = _weights_of(facts, _stored_layers(arrays), facts["model"], _image(arrays, facts, "image"))
    part, others = facts.get("part", ""), facts.get("others", {})  # older files have none of these
    if part not in PARTS:
        return own
    found = {part: own}
    for name in {*PARTS} - {part}:
        numbered = (arrays[f"{name}_{number}"] for number in range(others[name]["n_layers"]))
        image = _image(arrays, others[name], f"{name}_image")
        found[name] = _weights_of(others[name], layers_of([*numbered]), facts["model"], image)
    return EncoderDecoderTraces(**found).linked(part)


def _image(arrays: Any, facts: dict[str, Any], name: str) -> PatchImage | None:
    return PatchImage(arrays[name], *facts["patches"]) if name in arrays else None


def _weights_of(
    facts: dict[str, Any], layers: tuple[Weights, ...], model: str, image: PatchImage | None
) -> WeightsTrace:
    """Return the trace of these layers, and of the tokens and the choice in `facts`."""
    tokens, key_tokens = (
        None if facts[name] is None else tokens_of_pieces(**facts[name]) for name in ("tokens", "key_tokens")
    )
    assert tokens is not None
    trace = examined(layers, tokens, key_tokens, model=model)
    trace = trace if image is None else trace.showing(image)
    choice = facts.get("choice", {})
    names = ("layers", "heads", "layer", "selected")
    return trace.choosing(first_shown(trace, *(choice.get(name) for name in names)))


def _write_weights(trace: WeightsTrace, path: Path) -> None:
    """Write weights as they are, in their own type of numbers."""
    facts: dict[str, object] = {"model": trace.model} | _facts_of_weights(trace)
    arrays: dict[str, Any] = {f"attention_{number}": layer for number, layer in enumerate(trace.layers)}
    if trace.image is not None:
        arrays["image"] = trace.image.pixels
    if trace.parts is not None:
        others = {name: getattr(trace.parts, name) for name in PARTS if name != trace.part}
        facts |= {
            "part": trace.part,
            "others": {name: _facts_of_weights(one) for name, one in others.items()},
        }
        for name, one in others.items():
            arrays |= {f"{name}_{number}": layer for number, layer in enumerate(one.layers)}
            if one.image is not None:
                arrays[f"{name}_image"] = one.image.pixels
    with path.open("wb") as file:
        np.savez(file, format=np.array(_OF_WEIGHTS), facts=np.array(json.dumps(facts)), **arrays)


def _facts_of_weights(trace: WeightsTrace) -> dict[str, object]:
    names = {"tokens": trace.tokens, "key_tokens": trace.key_tokens if trace.is_cross else None}
    facts = {
        name: None
        if tokens is None
        else {  # the arguments of `tokens_of_pieces`, which made them
            "pieces": tokens.pieces,
            "second": int(np.flatnonzero(tokens.segment_ids)[0]) if tokens.has_segments else None,
            "spelling": tokens.spelling,
        }
        for name, tokens in names.items()
    }
    image = trace.image
    patches = None if image is None else (image.rows, image.columns, image.n_ahead)
    return {**facts, "n_layers": trace.n_layers, "choice": asdict(trace.choice), "patches": patches}


def _form(flags: dict[str, Any]) -> Form:
    """Return the form of the layers; older files have none, since all models had the form of BERT then."""
    count = flags.get("n_feed_forwards", 1)
    if type(count) is not int or not 1 <= count <= MOST_FEED_FORWARDS:
        raise ValueError("a number of feed-forward parts is out of range")
    if not all(isinstance(flag, bool) for name, flag in flags.items() if name != "n_feed_forwards"):
        raise ValueError("a flag is neither true nor false")
    # Older files have one flag for dense layers and norms together.
    return Form(**{"has_norm_biases": flags.get("has_biases", True)} | flags)


def _bias(arrays: Any) -> Bias | None:
    """Return the bias of the scores, None for a model without one and for an older file."""
    if tables := {name: arrays[name] for name in _BY_POSITION if name in arrays}:
        if not all(np.isfinite(table).all() for table in tables.values()):
            raise ValueError("numbers that are not finite")
        return DisentangledBias(**dict.fromkeys(_BY_POSITION) | tables, buckets=arrays["buckets"])
    if "blocks" in arrays:
        return BlockSparse(*(int(number) for number in arrays["blocks"]))
    window = RelativeBias(arrays["bias_by_distance"]) if "bias_by_distance" in arrays else None
    if "n_global" not in arrays:
        return window
    first = int(arrays["first_global"]) if "first_global" in arrays else 0  # older files have none
    keys, values = arrays["global_keys"], arrays["global_values"]
    return GlobalAttention(int(arrays["n_global"]), keys, values, window, first)


def _validate_facts(facts: dict[str, Any]) -> None:
    """Raise ValueError or KeyError unless `facts` has what `_facts` writes, in its types."""
    kinds = {"model": str, "text": str, "pair": str | None, "pieces": list, "n_left_out": int, "scale": float}
    for name, kind in kinds.items():
        if not isinstance(facts[name], kind) or isinstance(facts[name], bool):
            raise ValueError(f"{name} is no {kind}")
    for name in ("dropped", "fingerprint"):
        if not isinstance(facts.get(name, ""), str):
            raise ValueError(f"{name} is no text")
    if not all(isinstance(piece, str) for piece in facts["pieces"]):
        raise ValueError("a piece is no text")
    if not all(type(number) is int for head in facts.get("muted", ()) for number in head):
        raise ValueError("a muted head is no pair of numbers")
    if facts["n_left_out"] < 0 or not 0 < facts["scale"] < math.inf:
        raise ValueError("a number is out of range")


def _facts(trace: Trace) -> dict[str, Any]:
    tokens = trace.tokens
    return {
        "model": trace.model,
        "text": tokens.text,
        "pair": tokens.pair,
        "pieces": tokens.pieces,
        "n_left_out": tokens.n_left_out,
        "spelling": tokens.spelling,
        "dropped": tokens.dropped,
        **({"scale": trace.scale} if trace.has_states else {"key_pieces": trace.key_tokens.pieces}),
        "muted": trace.muted,
        **({"pruned": trace.pruned} if trace.pruned else {}),
        "heads": encode(trace.heads),
        "cells": encode(trace.cells),
        "states": encode(trace.states),
        "shares_layers": trace.shares_layers,
        "form": asdict(trace.form),
        "provenance": encode(trace.provenance),
    }


def _format_of(trace: Trace) -> int:
    if trace.pruned:
        return FORMAT
    if trace.states:
        return _WITHOUT_PRUNED
    has_others = trace.heads or trace.cells or trace.provenance.tokens
    return _WITHOUT_STATES if has_others else _WITHOUT_INTERVENTIONS


def _write_npz(trace: Trace, path: Path) -> None:
    write_arrays(trace, path)
    if isinstance(trace, WeightsTrace):
        return
    with ZipFile(path, "a") as archive, archive.open("attention.npy", "w", force_zip64=True) as member:
        shape = (trace.n_layers, trace.n_heads, trace.n_tokens, trace.n_tokens)
        write_array_header_1_0(member, {"descr": "<f4", "fortran_order": False, "shape": shape})
        for layer in range(trace.n_layers):  # head by head: all of them may not fit into memory
            for head in range(trace.n_heads):
                is_there = head in trace.heads_of(layer)
                weights = trace.attention(layer, head) if is_there else np.full(shape[2:], np.nan, np.float32)
                member.write(weights.astype("<f4", copy=False).data)


def write_arrays(trace: Trace, path: Path) -> None:
    """Write the arrays that `load_trace` reads to `path`; a failure leaves a part of the file.

    That is without `attention`, but of weights alone.
    """
    if isinstance(trace, WeightsTrace):
        _write_weights(trace, path)
        return
    arrays = {name: getattr(trace.tokens, name) for name in _TOKEN_ARRAYS}
    arrays |= {name: getattr(trace, name) for name in _TRACE_ARRAYS}
    optional = {name: getattr(trace, name) for name in OPTIONAL}
    arrays |= {name: array for name, array in optional.items() if array is not None}
    arrays |= _arrays_of_bias(trace.bias)
    with path.open("wb") as file:
        np.savez(
            file,
            format=np.array(_format_of(trace)),
            facts=np.array(json.dumps(_facts(trace))),
            **arrays,
        )


def _arrays_of_bias(bias: Bias | None) -> dict[str, NDArray[Any]]:
    """Return the arrays from which `_bias` makes `bias` again."""
    if isinstance(bias, RelativeBias):
        return {"bias_by_distance": bias.by_distance}
    if isinstance(bias, GlobalAttention):
        own = {"n_global": np.array(bias.n_global), "first_global": np.array(bias.first)}
        own |= {"global_keys": bias.keys, "global_values": bias.values}
        return own | _arrays_of_bias(bias.window)
    if isinstance(bias, BlockSparse):
        return {"blocks": np.array([bias.size, bias.n_random, bias.n_tokens])}
    if isinstance(bias, DisentangledBias):
        tables = {name: getattr(bias, name) for name in _BY_POSITION}
        return {"buckets": bias.buckets} | {
            name: table for name, table in tables.items() if table is not None
        }
    return {}


def _write_json(trace: Trace, path: Path) -> None:
    """Write one object, a head at a time: as Python floats all attention takes ten times its memory."""
    with path.open("w", encoding="utf-8") as file:
        facts = {"format": _format_of(trace)} | _facts(trace)
        facts |= {name: getattr(trace.tokens, name).tolist() for name in _TOKEN_ARRAYS}
        file.write(json.dumps(facts, ensure_ascii=False)[:-1])
        if trace.has_states:
            file.write(f', "pooled": {_list(trace.pooled)}')
            file.write(f', "sentence_vector": {_list(trace.sentence_vector)}, "hidden": [')
            for state in range(trace.n_layers + 1):
                file.write((", " if state else "") + _list(trace.hidden[state]))
            file.write("]")
        file.write(', "attention": [')
        for layer in range(trace.n_layers):
            heads = trace.heads_of(layer)
            file.write(", [" if layer else "[")
            for head in range(1 + max(heads, default=trace.n_heads - 1)):
                file.write(", " if head else "")
                file.write(_list(trace.attention(layer, head)) if head in heads else "null")
            file.write("]")
        file.write("]}\n")


def _list(array: Floats | None) -> str:
    """Return `array` as JSON, each number with the fewest digits that give the same float32 again."""
    if array is None:
        return "null"
    if array.ndim == 1:
        return "[" + ", ".join(np.char.mod("%.9g", array).tolist()) + "]"
    return "[" + ", ".join(_list(row) for row in array) + "]"


def _write_csv(trace: Trace, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        identity = trace.provenance.checkpoint
        origin = {"model": trace.model, "program": trace.provenance.program} | asdict(identity)
        if trace.provenance.dtype != "float32":
            origin["dtype"] = trace.provenance.dtype
        keys = enumerate(trace.key_tokens.pieces if trace.is_cross else ())
        changed = trace.provenance.tokens
        writer.writerows(
            [
                ("array", "layer", "head", "row", "column", "value"),
                *((name, "", "", "", "", value) for name, value in origin.items() if value),
                *(("muted", layer, head, "", "", "") for layer, head in trace.muted),
                *((one.kind, one.layer, one.head, "", "", one.reference) for one in trace.heads),
                *(("set", *one.cell, one.weight) for one in trace.cells),
                *(("state", one.state, "", one.token, one.source_token, one.source) for one in trace.states),
                *(("replaced", "", "", row, "", piece) for row, piece in trace.provenance.replaced),
                *(
                    (one.kind, "", "", one.token, "", "" if one.value is None else one.value)
                    for one in changed
                ),
                *(("piece", "", "", row, "", piece) for row, piece in enumerate(trace.tokens.pieces)),
                *(("key_piece", "", "", "", column, piece) for column, piece in keys),
            ]
        )
        for name in ("ids", "segment_ids", "position_ids") if trace.tokens.has_ids else ():
            ids = getattr(trace.tokens, name).tolist()
            writer.writerows((name, "", "", row, "", number) for row, number in enumerate(ids))
        for name in ("pooled", "sentence_vector"):
            if (vector := getattr(trace, name)) is not None:
                writer.writerows(_cells(name, "", "", vector[None]))
        for layer in range(trace.n_layers + 1 if trace.has_states else 0):
            writer.writerows(_cells("hidden", layer, "", trace.hidden[layer]))
        for layer in range(trace.n_layers):
            for head in trace.heads_of(layer):
                writer.writerows(_cells("attention", layer, head, trace.attention(layer, head)))


def _cells(name: str, layer: object, head: object, matrix: Floats) -> Iterator[tuple[object, ...]]:
    for row, numbers in enumerate(matrix):
        for column, number in enumerate(np.char.mod("%.9g", numbers).tolist()):
            yield name, layer, head, row, column, number
