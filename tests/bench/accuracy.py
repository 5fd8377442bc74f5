"""How far last hidden states are from `transformers`, and those of `transformers` from float64.

python -m tests.bench.accuracy
"""

from __future__ import annotations

import copy
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bertviz_app import api
from tests.support.families import FAMILIES, WITH_SEGMENTS, write_family
from tests.support.peers import tensors

TEXTS = ("The cat ate the fish because it was hungry", " ".join(["a cat ate the fish"] * 30))
GLOBAL = {
    "the first token global": ("AutoModelForSequenceClassification", None),
    "the question global": ("AutoModelForQuestionAnswering", "What did the cat eat ?"),
    "the second text global": ("AutoModelForMultipleChoice", "What did the cat eat ?"),
}
"""The models of Longformer with global attention, and what is read before the texts."""
ENCODERS = {"t5": "T5EncoderModel", "mt5": "MT5EncoderModel"}
"""The classes of encoders whose usual class has a decoder, too."""


def measure(
    family: str, made_by: str = "AutoModel", question: str | None = None
) -> tuple[float, float, float]:
    """Return the largest hidden number, ours less `transformers`, and `transformers` less float64.

    A `question` is the first text of a pair.
    """
    with tempfile.TemporaryDirectory() as name:
        model = write_family(Path(name), family, made_by)
        ours = api.open_model(name, "cpu")
        exact = copy.deepcopy(model).double()
        found = [0.0, 0.0, 0.0]
        for text in TEXTS:
            trace = ours.trace(text) if question is None else ours.trace(question, text)
            ids, segments, _ = tensors(trace.tokens)
            ids = ids[None] if made_by.endswith("MultipleChoice") else ids
            given: dict[str, Any] = {"input_ids": ids}
            given |= {"token_type_ids": segments} if family in WITH_SEGMENTS else {}
            # Copies, since BigBird's model stays with full attention once it has read a short text.
            with torch.inference_mode():
                theirs, best = (
                    _states(copy.deepcopy(one)(**given, output_hidden_states=True)) for one in (model, exact)
                )
            apart = np.abs(best).max(), np.abs(trace.hidden[-1] - theirs).max(), np.abs(theirs - best).max()
            found = [max(before, float(now)) for before, now in zip(found, apart, strict=True)]
    return found[0], found[1], found[2]


def _states(output: Any) -> Any:
    """Return the last hidden states [T, D]; the output of DPR has no field for them."""
    found = output.last_hidden_state if "last_hidden_state" in output else output.hidden_states[-1]
    return found[0].numpy()


def main() -> None:
    """Print a row for each family and each kind of global attention, as `reference/accuracy.md` has them."""
    print("| family | largest number | from `transformers` | `transformers` from float64 |")  # noqa: T201
    print("|---|---|---|---|")  # noqa: T201
    for family in FAMILIES:
        _print(f"`{family}`", measure(family, ENCODERS.get(family, "AutoModel")))
    for title, (made_by, question) in GLOBAL.items():
        _print(f"`longformer`, {title}", measure("longformer", made_by, question))


def _print(title: str, found: tuple[float, float, float]) -> None:
    largest, ours, theirs = found
    print(f"| {title} | {largest:.1f} | {ours:.1e} | {theirs:.1e} |", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
