"""`ModelFacts`: facts about an open checkpoint that the user can read."""

from __future__ import annotations

from dataclasses import dataclass

from bertviz_app.checkpoint.questions import Questions
from bertviz_app.errors import CheckpointError, Message, SelectionError
from bertviz_app.trace.provenance import UNKNOWN, Identity


@dataclass(frozen=True)
class Prompt:
    """A text that the authors of a checkpoint put before a sentence, such as "query: ", and its name."""

    name: str
    text: str


@dataclass(frozen=True)
class ModelFacts:
    """Sizes and remarks of one open checkpoint: L layers, H heads, width D.

    `n_positions` is the longest input, `n_segments` 0 for a family without segments. `n_bytes` is the size of
    its files, `origin` a sentence on where it comes from, `remarks` sentences on what is unusual about it.
    `task_heads` are the fields of `Logits` that its task heads fill; `questions` those that its files did not
    answer. `identity` distinguishes it from all others; `ref` is where it was opened, a folder or a file in
    one. `prompts` are the texts that sentence-transformers may put before a sentence; they are never added
    here unless they are requested by name. `n_trained_positions` is the number of positions that the whole
    training has used, by its config.json; None if that does not say. `own_code` is the class of the
    checkpoint's own code in whose place the plain family is computed, "" where there is none.
    """

    name: str
    family: str
    n_layers: int
    n_heads: int
    width: int
    vocabulary_size: int
    n_positions: int
    n_segments: int
    n_parameters: int
    n_bytes: int
    origin: str
    has_pooler: bool
    remarks: tuple[str, ...] = ()
    task_heads: tuple[str, ...] = ()
    questions: Questions | None = None
    identity: Identity = UNKNOWN
    ref: str = ""
    prompts: tuple[Prompt, ...] = ()
    has_sentence_vector: bool = False
    n_trained_positions: int | None = None
    own_code: str = ""

    @property
    def fingerprint(self) -> str:
        """The fingerprint of its configuration and weights, "" where it is not known."""
        return self.identity.fingerprint

    def with_prompt(self, text: str, name: str) -> str:
        """Return `text` after the prompt called `name`. Raises SelectionError if there is no such prompt."""
        for prompt in self.prompts:
            if prompt.name == name:
                return prompt.text + text
        names = ", ".join(prompt.name for prompt in self.prompts)
        hint = Message("It has {0}.", names) if names else Message("It has none.")
        raise SelectionError(Message("{0} has no prompt “{1}”.", self.name, name), hint)


def of_another(facts: ModelFacts) -> CheckpointError:
    """Return the error for a trace that was not made by the checkpoint with these facts."""
    message = Message("The text was encoded with another checkpoint than {0}.", facts.name)
    return CheckpointError(message, Message("Encode it again."))
