"""`PredictingModel`: what each task head of an open checkpoint predicts of a text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from bertviz_app.analysis.answers import Answer
from bertviz_app.analysis.predictions import (
    TOP,
    Classes,
    Filling,
    LabelledToken,
    NextSentence,
    Predictions,
    Suspect,
    lacking,
)
from bertviz_app.api.arguments import as_pair
from bertviz_app.checkpoint.model_facts import ModelFacts
from bertviz_app.errors import Message, TextError
from bertviz_app.text.edits import MASK
from bertviz_app.trace import Trace


class PredictingModel(ABC):
    """A method for each task head, for one text at a time; `Model.predict` runs all heads on a trace."""

    facts: ModelFacts

    @abstractmethod
    def trace(
        self, text: str, pair: str | None = None, *, replaced: Mapping[int, str] | None = None
    ) -> Trace:
        """Return what the encoder computes of a text."""

    @abstractmethod
    def predict(self, trace: Trace, positions: Sequence[int] | None = None, top: int = TOP) -> Predictions:
        """Return what all task heads predict of a trace."""

    @abstractmethod
    def with_own_mask(self, text: str, pair: str | None = None) -> tuple[str, str | None]:
        """Return the texts with [MASK] written as the tokenizer has it."""

    def fill_mask(
        self, text: str, pair: str | None = None, position: int | None = None, top: int = TOP
    ) -> tuple[Filling, ...]:
        """Return the `top` likeliest pieces for each [MASK] in the texts.

        Parameters
        ----------
        text, pair : str
            The texts, as for `trace`.
        position : int, optional
            A token to mask; the pieces are named for it alone.
        top : int
            How many pieces are named.

        Returns
        -------
        tuple of Filling
            One for each masked token, in order; its probabilities are from 0 to 1, of the whole vocabulary.

        Raises
        ------
        TextError
            Where nothing is masked, or the token cannot be.
        CheckpointError
            For a checkpoint without a task head for masked tokens; else as `trace`.

        References
        ----------
        Devlin et al. 2019, arXiv:1810.04805, section 3.1.
        """
        self._require("masked")
        replaced = {} if position is None else {position: MASK}
        trace = self.trace(*self.with_own_mask(text, pair), replaced=replaced)
        found = self.predict(trace, None if position is None else [position], top).fillings
        if not found:
            hint = Message("Write {0} in it, or give the position of a token.", MASK)
            raise TextError(Message("There is no masked token in the text."), hint)
        return found

    def next_sentence(self, text: str, pair: str) -> NextSentence:
        """Return the probability that `pair` follows `text`; of ALBERT, that the two stand in their order.

        Parameters
        ----------
        text, pair : str
            Two texts.

        Returns
        -------
        NextSentence
            Its probability is from 0 to 1.

        Raises
        ------
        CheckpointError
            For a checkpoint without a task head for next sentences; else as `trace`.

        References
        ----------
        Devlin et al. 2019, arXiv:1810.04805, section 3.1; Lan et al. 2020, arXiv:1909.11942, section 3.1.
        """
        self._require("next_sentence")
        found = self.predict(self.trace(text, as_pair(pair)), []).next_sentence
        assert found is not None
        return found

    def classify(self, text: str, pair: str | None = None) -> Classes:
        """Return the labels of a text, or of two, with their probabilities.

        Parameters
        ----------
        text, pair : str
            The texts, as for `trace`.

        Returns
        -------
        Classes
            The likeliest label first. `problem` says whether one label holds, with probabilities that sum to
            1, or any of them, or a number is predicted.

        Raises
        ------
        CheckpointError
            For a checkpoint without a classifier of texts; else as `trace`.

        References
        ----------
        Devlin et al. 2019, arXiv:1810.04805, section 4.1.
        """
        self._require("classes")
        found = self.predict(self.trace(text, pair), []).classes
        assert found is not None
        return found

    def replaced_tokens(self, text: str, pair: str | None = None) -> tuple[Suspect, ...]:
        """Return for each token the probability that it was replaced.

        Parameters
        ----------
        text, pair : str
            The texts, as for `trace`.

        Returns
        -------
        tuple of Suspect
            One for each token, special ones included, with a probability from 0 to 1.

        Raises
        ------
        CheckpointError
            For a checkpoint that is no discriminator; else as `trace`.

        References
        ----------
        Clark et al. 2020, arXiv:2003.10555.
        """
        self._require("replaced")
        return self.predict(self.trace(text, pair), []).replaced

    def label_tokens(self, text: str, pair: str | None = None, top: int = TOP) -> tuple[LabelledToken, ...]:
        """Return for each token its `top` likeliest labels with their probabilities.

        Parameters
        ----------
        text, pair : str
            The texts, as for `trace`.
        top : int
            How many labels are named.

        Returns
        -------
        tuple of LabelledToken
            One for each token, with probabilities from 0 to 1. The labels of special tokens mean nothing: no
            checkpoint is trained on them.

        Raises
        ------
        CheckpointError
            For a checkpoint without a classifier of tokens; else as `trace`.

        References
        ----------
        Devlin et al. 2019, arXiv:1810.04805, section 5.3.
        """
        self._require("token_labels")
        return self.predict(self.trace(text, pair), [], top).token_labels

    def answer(self, question: str, text: str, top: int = TOP) -> Answer:
        """Return the `top` likeliest answers to `question` within `text`, with their probabilities.

        Parameters
        ----------
        question, text : str
            The question, and the text in which the answer is looked for.
        top : int
            How many answers are named.

        Returns
        -------
        Answer
            Spans of `text` with probabilities from 0 to 1, and the probability that it has no answer.

        Raises
        ------
        CheckpointError
            For a checkpoint without a head for answers; else as `trace`.

        References
        ----------
        Devlin et al. 2019, arXiv:1810.04805, sections 4.2 and 4.3.
        """
        self._require("answer")
        found = self.predict(self.trace(question, text), [], top).answer
        assert found is not None
        return found

    def _require(self, task_head: str) -> None:
        """Raise CheckpointError if the checkpoint does not have this task head."""
        if task_head not in self.facts.task_heads:
            raise lacking(self.facts.name, task_head, self.facts.task_heads)
