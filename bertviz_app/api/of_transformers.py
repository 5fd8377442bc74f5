"""Models of transformers that are in memory: `record` their attention, or open them as a checkpoint."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bertviz_app.errors import ArgumentError, Message, SelectionError, lacks_package
from bertviz_app.trace.arrays import PARTS, EncoderDecoderTraces, WeightsTrace
from bertviz_app.trace.given import from_arrays
from bertviz_app.trace.indexing import described

_NEEDS_PAIR = Message("Call {0}.", 'record(model, tokenizer, text, pair="the decoder\'s text")')


def record(
    model: Any, tokenizer: Any, text: str, pair: str | None = None
) -> WeightsTrace | EncoderDecoderTraces:
    """Return the attention of a model of transformers on a text: an encoder, a decoder, or both.

    The model computes as it does itself, in evaluation mode and with its own ("eager") attention that returns
    weights; both are set back afterwards. Needs `transformers`.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        Any that returns attention.
    tokenizer : transformers.PreTrainedTokenizerBase
        Its tokenizer.
    text : str
        The text that is encoded.
    pair : str, optional
        A second text: read together with the first one, or, by an encoder-decoder, the text of the decoder.
        Without it an encoder-decoder writes its own, the likeliest token each time.

    Returns
    -------
    WeightsTrace or EncoderDecoderTraces
        The weights as the model returned them; of an encoder-decoder three traces, each of which has all
        three as `parts`. `save_trace` writes them into one file, and the window offers them.

    Raises
    ------
    ArgumentError
        For what is no such model, tokenizer or text, and a model that reads no text.
    SelectionError
        For a text that is longer than the model reads, and a model that returns no attention.
    PackageError
        Where transformers is not installed.
    """
    _validate(model, tokenizer, text, pair)
    config = model.config
    with _returning_weights(model):
        if getattr(config, "is_encoder_decoder", False):
            return _of_both(model, tokenizer, text, pair)
        encoding = tokenizer(text, pair, return_tensors="pt")
        _refuse_long(config, tokenizer, int(encoding["input_ids"].shape[1]))
        output = model(**encoding.to(model.device), output_attentions=True)
    tokens = tokenizer.convert_ids_to_tokens(encoding["input_ids"][0].tolist())
    second = None
    if pair is not None:  # where the second text begins, as far as the tokenizer says it
        segments = encoding.get("token_type_ids")
        sides = [] if segments is None else segments[0].tolist()
        if getattr(encoding, "is_fast", False):
            sides = encoding.sequence_ids(0)
        second = sides.index(1) if 1 in sides else None
    return from_arrays(output, tokens, second, model=_name(model))


def _of_both(model: Any, tokenizer: Any, text: str, pair: str | None) -> EncoderDecoderTraces:
    encoding = tokenizer(text, return_tensors="pt").to(model.device)
    _refuse_long(model.config, tokenizer, int(encoding["input_ids"].shape[1]))
    if pair is not None:
        labels = tokenizer(text_target=pair, return_tensors="pt")["input_ids"].to(model.device)
        shift = getattr(model, "prepare_decoder_input_ids_from_labels", None)
        written = labels if shift is None else shift(labels=labels)
    elif hasattr(model, "lm_head") and hasattr(model, "generate"):
        try:
            written = model.generate(**encoding, max_new_tokens=64, do_sample=False, num_beams=1)
        except (ValueError, TypeError) as error:  # what its tokenizer gives, or its configuration lacks
            line = str(error).strip().partition("\n")[0]
            message = Message("The decoder has no text, and generate() wrote none: {0}", line)
            raise SelectionError(message, _NEEDS_PAIR) from error
    else:
        raise SelectionError(Message("This model has a decoder, which needs a text."), _NEEDS_PAIR)
    output = model(**encoding, decoder_input_ids=written, output_attentions=True)
    encoder, decoder = (
        tokenizer.convert_ids_to_tokens(ids[0].tolist()) for ids in (encoding["input_ids"], written)
    )
    both = {"encoder_tokens": encoder, "decoder_tokens": decoder, "model": _name(model)}
    found = EncoderDecoderTraces(
        from_arrays(encoder_attention=output, **both),
        from_arrays(decoder_attention=output, **both),
        from_arrays(cross_attention=output, **both),
    )
    return EncoderDecoderTraces(*map(found.linked, PARTS))


def _validate(model: object, tokenizer: object, text: object, pair: object) -> None:
    if find_spec("transformers") is None:
        raise lacks_package("transformers")
    call = Message("Call {0}.", 'record(model, tokenizer, "a text")')
    if not (hasattr(model, "config") and callable(model) and hasattr(model, "eval")):
        raise ArgumentError(Message("A model of transformers is needed, not {0}.", described(model)), call)
    read = getattr(model, "main_input_name", "input_ids")
    if read != "input_ids":
        hint = Message("Call {0}.", "from_arrays(model(…, output_attentions=True), …)")
        raise ArgumentError(Message("This model reads {0}, not texts.", read), hint)
    if not (callable(tokenizer) and hasattr(tokenizer, "convert_ids_to_tokens")):
        raise ArgumentError(
            Message("A tokenizer of transformers is needed, not {0}.", described(tokenizer)), call
        )
    for given, name in ((text, "text"), (pair, "pair")):
        if not isinstance(given, str) and not (name == "pair" and given is None):
            raise ArgumentError(Message("The {0} is one text, not {1}.", name, described(given)), call)


@contextmanager
def _returning_weights(model: Any) -> Iterator[None]:
    """Have the model compute attention that returns its weights, without dropout and gradients."""
    import torch

    was_training, before = model.training, getattr(model.config, "_attn_implementation", None)
    changes = before not in (None, "eager") and hasattr(model, "set_attn_implementation")
    try:
        model.eval()
        if changes:
            model.set_attn_implementation("eager")
        with torch.no_grad():
            yield
    finally:
        model.train(was_training)
        if changes:
            model.set_attn_implementation(before)


def _refuse_long(config: Any, tokenizer: Any, n_tokens: int) -> None:
    """Raise SelectionError for more tokens than the model has positions, and for none."""
    if not n_tokens:
        raise SelectionError(
            Message("This tokenizer makes no token of the text."), Message("Give a longer text.")
        )
    limits = (getattr(config, "max_position_embeddings", None), getattr(tokenizer, "model_max_length", None))
    longest = min((limit for limit in limits if isinstance(limit, int) and limit > 0), default=n_tokens)
    if n_tokens > longest:
        message = Message("The text has {0} tokens; this model reads {1}.", n_tokens, longest)
        raise SelectionError(message, Message("Give a shorter text."))


def _name(model: Any) -> str:
    """Return what the model is called: where it is from, or its class."""
    return getattr(model.config, "name_or_path", "") or type(model).__name__


def is_model(value: object) -> bool:
    """Return whether a value is a model of transformers, which may not be loaded yet."""
    return hasattr(value, "save_pretrained") and hasattr(value, "config")


def is_tokenizer(value: object) -> bool:
    """Return whether a value is a tokenizer of transformers."""
    return hasattr(value, "save_pretrained") and hasattr(value, "convert_ids_to_tokens")


def saved(model: Any, tokenizer: object) -> tuple[tempfile.TemporaryDirectory[str], Path]:
    """Return a folder with `model` and `tokenizer` as `save_pretrained` writes them, and what removes it.

    The weights are those of this moment: what a training changes afterwards is not seen. Raises
    ArgumentError where `tokenizer` is none.
    """
    if not is_tokenizer(tokenizer):
        message = Message("A model in memory needs its tokenizer, not {0}.", described(tokenizer))
        raise ArgumentError(message, Message("Call {0}.", "open_model(model, tokenizer)"))
    home = tempfile.TemporaryDirectory(prefix="bertviz-app-")
    folder = Path(home.name, Path(_name(model)).name)
    with redirect_stderr(io.StringIO()):  # bars of progress
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)  # type: ignore[attr-defined]  # `is_tokenizer` has seen it
    return home, folder
