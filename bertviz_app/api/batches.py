"""`BatchModel`: many texts, encoded several in one forward pass."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence

from bertviz_app.api.arguments import as_many_texts
from bertviz_app.errors import AppError, TruncationWarning
from bertviz_app.inference.devices import Device
from bertviz_app.inference.engine import Engine
from bertviz_app.inference.notices import notices_of_left_out
from bertviz_app.text import Tokens
from bertviz_app.trace import Trace
from bertviz_app.types import Check

_READ_AHEAD = 64
"""How many texts are read before the first of them is encoded, to find some of similar length."""
_TOKENS_AHEAD = 4096
"""The number of tokens after which no more texts are read: their traces are in memory together."""
_TOKENS_AT_ONCE = 1024
"""The most tokens of one forward pass, unless a single text has more."""
_MOST_PADDING = 1.25
"""The longest text of a pass has at most this many times the tokens of the shortest."""


class BatchModel:
    """Encodes many texts."""

    device: Device
    _engine: Engine
    _ref: str | None

    def trace_many(
        self, texts: Iterable[str | tuple[str, str]], *, check: Check | None = None
    ) -> Iterator[Trace]:
        """Yield the trace of each text, in the order given.

        Texts of like length are encoded in one forward pass. Padding has no part in any number: a trace is
        what `trace` returns of the text alone, but for rounding. Only some texts are read ahead, so `texts`
        may be a generator without an end.

        Parameters
        ----------
        texts : iterable of str or (str, str)
            The texts; two that the encoder reads as one input are a pair.
        check : callable, optional
            Called several times in each layer; may raise to end the work.

        Yields
        ------
        Trace
            As `trace` returns it.

        Raises
        ------
        ArgumentError
            For what is no text.
        TextError
            For a text that cannot be encoded, after the traces of the texts before it.
        CheckpointError, DeviceError
            As `trace`.

        Warns
        -----
        TruncationWarning
            For each text of which tokens did not fit.
        """
        return self._traces(as_many_texts(texts), check)

    def _traces(self, texts: Iterator[tuple[str, str | None]], check: Check | None) -> Iterator[Trace]:
        for inputs, error in self._read_ahead(texts):
            found: dict[int, Trace] = {}
            for batch in batches_of([len(tokens) for tokens in inputs]):
                with self._engine.using(self._ref, check) as opened:
                    traces = opened.record_batch([inputs[at] for at in batch], self.device, check)
                found |= dict(zip(batch, traces, strict=True))
            for number, tokens in enumerate(inputs):
                warn_of_truncation(tokens)
                yield found.pop(number)
            if error is not None:
                raise error

    def _read_ahead(
        self, texts: Iterator[tuple[str, str | None]]
    ) -> Iterator[tuple[list[Tokens], AppError | None]]:
        """Yield the tokens of some texts at a time, and the error of the text that follows, if it has one."""
        inputs: list[Tokens] = []
        n_tokens = 0
        try:
            for text, pair in texts:
                inputs.append(self._engine.tokens(self._ref, text, pair))
                n_tokens += len(inputs[-1])
                if len(inputs) == _READ_AHEAD or n_tokens >= _TOKENS_AHEAD:
                    yield inputs, None
                    inputs, n_tokens = [], 0
        except AppError as error:
            yield inputs, error
            return
        yield inputs, None


def warn_of_truncation(tokens: Tokens) -> None:
    """Warn with the line of the caller's own code where tokens of a text were left out."""
    for sentence in notices_of_left_out(tokens, len(tokens)):
        warnings.warn(sentence, TruncationWarning, stacklevel=3)


def batches_of(lengths: Sequence[int]) -> list[list[int]]:
    """Return which of the texts with these `lengths` are encoded together, by their numbers."""
    batches: list[list[int]] = []
    for at in sorted(range(len(lengths)), key=lambda number: lengths[number]):
        batch = batches[-1] if batches else []
        fits = (len(batch) + 1) * lengths[at] <= _TOKENS_AT_ONCE
        if batch and fits and lengths[at] <= _MOST_PADDING * lengths[batch[0]]:
            batch.append(at)
        else:
            batches.append([at])
    return batches
