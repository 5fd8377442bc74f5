"""`from_arrays`: attention of any model, as libraries and notebooks have it, becomes a trace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_app.errors import ArgumentError, Message, SelectionError
from bertviz_app.text import Tokens
from bertviz_app.text.tokens import LEFT_TO_RIGHT_MARK, SPECIAL, Spelling, label
from bertviz_app.trace.arrays import DEFAULT_NAME, Weights, WeightsTrace, examined, first_shown
from bertviz_app.trace.indexing import as_number, described
from bertviz_app.trace.patches import image_of, patch_names

SPECIAL_PIECES = frozenset(
    (
        *("[CLS]", "[SEP]", "[PAD]", "<s>", "</s>", "<pad>", "<cls>", "<sep>", "<eos>", "<bos>"),
        *("<|endoftext|>", "<|startoftext|>", "<|begin_of_text|>", "<|end_of_text|>"),
        *("<|im_start|>", "<|im_end|>", "<start_of_turn>", "<end_of_turn>"),
        *(f"[S{number}]" for number in range(32)),  # ahead of the patches of an image, see `trace.patches`
    )
)
"""Pieces that vocabularies add to a text. Without its tokenizer nothing else tells them from words."""

_MARKS: dict[str, Spelling] = {"Ġ": "bytes", "▁": "spaces"}
_CONTINUES = "##"


def tokens_of_pieces(
    pieces: Sequence[str], second: int | None = None, spelling: Spelling | None = None
) -> Tokens:
    """Return the tokens of `pieces`; those from position `second` on are of a second text.

    Words, spans and texts follow from how the pieces are written: WordPiece's ##, the Ġ of byte-level
    vocabularies, SentencePiece's ▁. `spelling` None: found by these signs. The ids are all 0, see `has_ids`.
    """
    in_use = (kind for mark, kind in _MARKS.items() if any(mark in piece for piece in pieces))
    found: Spelling = next(in_use, "plain") if spelling is None else spelling
    marks = any(piece.startswith(tuple(_MARKS)) for piece in pieces)
    sides = [0 if second is None or at < second else 1 for at in range(len(pieces))]
    texts, word = ["", ""], [-1, -1]
    sentences, words, spans = [], [], []
    for at, (piece, side) in enumerate(zip(pieces, sides, strict=True)):
        if piece in SPECIAL_PIECES:
            sentences.append(SPECIAL)
            words.append(SPECIAL)
            spans.append((0, 0))
            continue
        follows_word = at > 0 and sentences[-1] == side
        is_rest = not piece.startswith(tuple(_MARKS)) if marks else piece.startswith(_CONTINUES)
        begins = not (follows_word and is_rest)
        word[side] += begins
        texts[side] += " " if begins and texts[side] else ""
        first = len(texts[side])
        shown = label(piece, found).removeprefix(LEFT_TO_RIGHT_MARK)
        texts[side] += shown.removeprefix(_CONTINUES).removeprefix("␣") or shown
        sentences.append(side)
        words.append(word[side])
        spans.append((first, len(texts[side])))
    return Tokens(
        text=texts[0],
        pair=None if second is None else texts[1],
        pieces=tuple(pieces),
        ids=np.zeros(len(pieces), np.int32),
        segment_ids=np.array(sides, np.int32),
        position_ids=np.arange(len(pieces), dtype=np.int32),
        sentences=np.array(sentences, np.int32),
        words=np.array(words, np.int32),
        spans=np.array(spans, np.int32).reshape(-1, 2),
        has_segments=second is not None,
        spelling=found,
        has_ids=False,
    )


_GIVE = Message("Give one array [L, H, T, T], or a list with an array [H, T, T] for each layer.")
_GIVE_NAMED = Message("Give outputs.attentions: outputs[-1] is empty for some models of transformers 5.")
NO_ATTENTION = Message("The model returned no attention.")
EAGER = Message('Load it with attn_implementation="eager" and call it with output_attentions=True.')


def layers_of(attention: object) -> tuple[Weights, ...]:
    """Return the weights of each layer, [H, T, K], out of what libraries return.

    That is one array [L, H, T, K], [H, T, K] or [T, K], or a list of such layers, also with a batch axis of
    1: of NumPy, of torch on any device, sparse ones of torch and SciPy, or of what NumPy reads. Floats of
    NumPy, and of torch on the CPU, are not copied. Raises SelectionError and ArgumentError for others.
    """
    if isinstance(attention, list | tuple):
        if not attention:
            raise SelectionError(Message("There is no layer of attention."), _GIVE_NAMED)
        if any(layer is None for layer in attention):
            raise SelectionError(NO_ATTENTION, EAGER)
        if not _is_of_numbers(attention):
            if len({isinstance(layer, list | tuple) for layer in attention}) > 1:
                message = Message("This is the whole output of a model, as a tuple, not its attention.")
                raise SelectionError(message, _GIVE_NAMED)
            found = [_layer(layer, number) for number, layer in enumerate(attention)]
            _refuse_other_sizes(found)
            return tuple(found)
    if attention is None:
        raise SelectionError(NO_ATTENTION, EAGER)
    array = _floats(attention)
    if array.ndim == 5 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim not in (2, 3, 4):
        raise SelectionError(Message("Attention has two to four axes, not {0}.", _shape(array)), _GIVE)
    layers = tuple(array) if array.ndim == 4 else (array.reshape(-1, *array.shape[-2:]),)
    if not array.size:
        raise SelectionError(Message("Attention of {0} holds no number.", _shape(array)), _GIVE)
    return layers


def _is_of_numbers(values: object) -> bool:
    """Return whether a list, or the lists in it, hold plain numbers, as JSON has them."""
    while isinstance(values, list | tuple) and values:
        values = values[0]
    return isinstance(values, int | float)


def _layer(layer: object, number: int) -> Weights:
    """Return one layer of a list."""
    if isinstance(layer, list | tuple) and not _is_of_numbers(layer):  # a list of heads
        heads = [_floats(head) for head in layer]
        if {head.ndim for head in heads} != {2} or len({head.shape for head in heads}) > 1:
            message = Message("Layer {0} is itself a list: model.generate returns one for a token.", number)
            raise SelectionError(message, Message("Call the model on the whole text instead."))
        array: Weights = np.stack(heads)
    else:
        array = _floats(layer)
    if array.ndim == 4 and len(array) > 1:
        message = Message("Layer {0} has attention of {1} texts.", number, len(array))
        raise SelectionError(message, Message("Give that of one: [layer[0] for layer in attention]."))
    if array.ndim == 4:
        array = array[0]
    if array.ndim == 2:
        array = array[None]
    if array.ndim != 3 or not array.size:
        message = Message("Layer {0} of the attention is {1}, not [H, T, T].", number, _shape(array))
        raise SelectionError(message, _GIVE)
    return array


def _refuse_other_sizes(layers: Sequence[Weights]) -> None:
    for number, layer in enumerate(layers):
        if layer.shape[1:] != layers[0].shape[1:]:
            sizes = _shape(layer[0]), _shape(layers[0][0])
            message = Message("Layer {0} is of {1} tokens, layer 0 of {2}.", number, *sizes)
            raise SelectionError(message, Message("Give the layers of one text."))


def _floats(value: Any) -> Weights:
    """Return an array of floats, without a copy where that is possible. Raises ArgumentError."""
    if type(value).__module__.partition(".")[0] == "torch":
        value = value.detach()
        value = value.to_dense() if str(value.layout) != "torch.strided" else value
        if value.is_meta:
            message = Message("These tensors are on the device “meta”, without numbers.")
            raise SelectionError(message, Message("Load the model with its weights."))
        is_known = str(value.dtype) in ("torch.float32", "torch.float64")
        value = value if is_known or not value.is_floating_point() else value.float()
        value = value.cpu().numpy()
    elif hasattr(value, "toarray"):  # sparse, of SciPy
        value = value.toarray()
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):  # lists of different lengths, and what NumPy cannot read
        array = np.asarray(None)
    if array.dtype.kind in "iub":
        array = array.astype(np.float32)
    if array.dtype.kind != "f":
        raise ArgumentError(Message("Attention is arrays of numbers, not {0}.", described(value)), _GIVE)
    return array


def _shape(array: NDArray[Any]) -> str:
    return " × ".join(map(str, array.shape)) or "1"


def given_tokens(
    layers: Sequence[Weights],
    tokens: object,
    key_tokens: object = None,
    second: object = None,
    is_plain: bool = False,
) -> tuple[Tokens, Tokens | None]:
    """Return the tokens of rows and of columns, None where these are those of the rows, from their texts.

    Tokens that are None are called by their numbers. `second`: where a second text begins. `is_plain`: the
    signs of vocabularies are shown as they are. Raises SelectionError and ArgumentError.
    """
    n_queries, n_keys = layers[0].shape[1:]
    pieces = _pieces_of(tokens, n_queries, "tokens")
    keys = None if key_tokens is None else _pieces_of(key_tokens, n_keys, "key_tokens")
    if keys is None and n_keys != n_queries:
        message = Message("The attention goes from {0} tokens to {1} others.", n_queries, n_keys)
        hint = Message("Name both: decoder_tokens and encoder_tokens, with cross_attention.")
        raise SelectionError(message, hint)
    start = None if second is None else as_number(second, "sentence_b_start")
    if start is not None and not 0 < start < n_queries:
        message = Message("The second text cannot begin at token {0} of {1}.", start, n_queries)
        raise SelectionError(message, Message("Tokens count from 0, special ones among them."))
    spelling: Spelling | None = "plain" if is_plain else None
    own = tokens_of_pieces(pieces, start, spelling)
    return own, None if keys is None else tokens_of_pieces(keys, spelling=spelling)


def _pieces_of(tokens: object, n_tokens: int, name: str) -> list[str]:
    """Return the texts of tokens. Raises SelectionError where they are too many or too few."""
    if tokens is None:
        return [str(at) for at in range(n_tokens)]
    if isinstance(tokens, Tokens):
        tokens = tokens.pieces
    if isinstance(tokens, str | bytes) or not isinstance(tokens, Iterable):
        message = Message("{0} is a list of texts, not {1}.", name, described(tokens))
        raise ArgumentError(message, Message("Call {0}.", "tokenizer.convert_ids_to_tokens(ids)"))
    pieces = list(tokens)
    if not all(isinstance(piece, str) for piece in pieces):
        other = next(piece for piece in pieces if not isinstance(piece, str))
        message = Message("{0} is a list of texts, not of {1}.", name, described(other))
        raise ArgumentError(message, Message("Call {0}.", "tokenizer.convert_ids_to_tokens(ids)"))
    if len(pieces) != n_tokens:
        message = Message("There are {0} tokens, but attention of {1}.", len(pieces), n_tokens)
        raise SelectionError(message, Message("Name each token, special ones and padding among them."))
    return pieces


_PARTS = ("attention", "encoder_attention", "decoder_attention", "cross_attention")


def from_arrays(  # noqa: PLR0913 - each is named by its callers
    attention: object = None,
    tokens: object = None,
    sentence_b_start: int | None = None,
    prettify_tokens: bool = True,
    *,
    encoder_attention: object = None,
    decoder_attention: object = None,
    cross_attention: object = None,
    encoder_tokens: object = None,
    decoder_tokens: object = None,
    include_layers: object = None,
    include_heads: object = None,
    layer: int | None = None,
    heads: object = None,
    patches: tuple[int, int] | None = None,
    image: object = None,
    model: str = DEFAULT_NAME,
) -> WeightsTrace:
    """Return a trace of attention weights alone, which views and analyses of weights take like any other.

    Parameters
    ----------
    attention, encoder_attention, decoder_attention, cross_attention : array, list of arrays, or output
        One of these: [L, H, T, T], [H, T, T] or [T, T]; a list with [1, H, T, T], [H, T, T] or [T, T] of each
        layer; an output of transformers or a dictionary. Of NumPy, torch or SciPy; floats are not copied.
    tokens, encoder_tokens, decoder_tokens : sequence of str, optional
        The texts of the tokens, special ones among them; by default their numbers. `cross_attention` has the
        decoder's as rows and the encoder's as columns.
    sentence_b_start : int, optional
        The position of the first token of the second text.
    prettify_tokens : bool
        Show Ġ and ▁ as the spaces that they stand for.
    include_layers, include_heads, layer, heads : int or list of int, optional
        What a view shows at first, as in BertViz; all weights are kept.
    patches : (int, int), optional
        Rows and columns of an image's patches, the tokens, row by row, or the columns of `cross_attention`.
        By default "row,column", and [CLS] ahead of them, or [S0], [S1] and so on if they are several.
    image : array [h, w, 3], path, or image of Pillow, optional
        What views draw under the weights; kept small, 512 pixels a side.
    model : str
        Its name, for titles.

    Returns
    -------
    WeightsTrace
        Without queries, keys and hidden states; `remarks` says what is unusual about the numbers.

    Raises
    ------
    SelectionError, ArgumentError, FileError
        For numbers that are no weights, shapes that do not fit, other types, and a file that is no image.
    """
    arrays = (attention, encoder_attention, decoder_attention, cross_attention)
    part, given = _only_part(dict(zip(_PARTS, arrays, strict=True)))
    layers = layers_of(_picked(given, part))
    named = _named(part, (tokens, encoder_tokens, decoder_tokens), patches, layers)
    named_tokens = given_tokens(layers, *named, sentence_b_start, not prettify_tokens)
    trace = _with_image(examined(layers, *named_tokens, model=model), image, patches)
    return trace.choosing(first_shown(trace, include_layers, include_heads, layer, heads))


def _with_image(trace: WeightsTrace, image: object, patches: object) -> WeightsTrace:
    """Return the trace with its image, if there is one. Raises as `image_of`."""
    if image is None:
        return trace
    if patches is None:
        message = Message("The patches of the image are not known.")
        raise SelectionError(message, Message("Give the rows and the columns, as patches=(14, 14)."))
    return trace.showing(image_of(image, patches, trace.n_keys))


def _named(
    part: str, tokens: tuple[object, ...], patches: object, layers: Sequence[Weights]
) -> tuple[object, object]:
    """Return the texts of rows and of columns; None of columns where these are the rows' own."""
    alone, of_encoder, of_decoder = tokens
    if part == "cross_attention":
        if patches is not None and of_encoder is None:
            of_encoder = patch_names(patches, layers[0].shape[2])
        if of_encoder is None or of_decoder is None:
            message = Message("Cross-attention goes from the tokens of a decoder to those of an encoder.")
            raise SelectionError(message, Message("Give decoder_tokens and encoder_tokens."))
        return of_decoder, of_encoder
    own = {"encoder_attention": of_encoder, "decoder_attention": of_decoder}.get(part)
    own = alone if own is None else own
    if patches is not None and own is None:
        own = patch_names(patches, layers[0].shape[1])
    return own, None


def _only_part(given: Mapping[str, object]) -> tuple[str, object]:
    """Return the one that is given, and its name. Raises ArgumentError for none and for several."""
    there = [name for name, value in given.items() if value is not None]
    if len(there) == 1:
        return there[0], given[there[0]]
    if not there:
        raise ArgumentError(NO_ATTENTION, EAGER)
    message = Message("Give one attention at a time, not {0}.", ", ".join(there))
    raise ArgumentError(message, Message("Call {0}.", "from_arrays(output.attentions, tokens)"))


def _picked(value: Any, part: str) -> object:
    """Return the attention in an output of a model or a dictionary; other values as they are."""
    names = [f"{part}s"] if part != "attention" else ["attentions"]
    if part == "attention":
        names += ["encoder_attentions", "decoder_attentions", "cross_attentions"]
    if isinstance(value, Mapping):
        entries: Mapping[str, object] = value
    else:
        entries = {name: found for name in names if (found := getattr(value, name, None)) is not None}
        if not entries and not hasattr(value, "last_hidden_state") and not hasattr(value, "logits"):
            return value
    there = [name for name in names if entries.get(name) is not None]
    if not there:
        raise SelectionError(Message("This output holds no attention."), EAGER)
    if len(there) > 1 and there[0] != "attentions":
        message = Message("This output holds {0}.", ", ".join(there))
        call = "from_arrays(cross_attention=output, encoder_tokens=…, decoder_tokens=…)"
        raise SelectionError(message, Message("Choose one of them: {0}.", call))
    return entries[there[0]]
