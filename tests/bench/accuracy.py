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


def measure(family: str) -> tuple[float, float, float]:
    """Return the largest hidden number, ours less `transformers`, and `transformers` less float64."""
    with tempfile.TemporaryDirectory() as name:
        model = write_family(Path(name), family)
        ours = api.open_model(name, "cpu")
        exact = copy.deepcopy(model).double()
        found = [0.0, 0.0, 0.0]
        for text in TEXTS:
            trace = ours.trace(text)
            ids, segments, _ = tensors(trace.tokens)
            given: dict[str, Any] = {"input_ids": ids}
            given |= {"token_type_ids": segments} if family in WITH_SEGMENTS else {}
            with torch.inference_mode():
                theirs, best = (_states(one(**given, output_hidden_states=True)) for one in (model, exact))
            apart = np.abs(best).max(), np.abs(trace.hidden[-1] - theirs).max(), np.abs(theirs - best).max()
            found = [max(before, float(now)) for before, now in zip(found, apart, strict=True)]
    return found[0], found[1], found[2]


def _states(output: Any) -> Any:
    """Return the last hidden states [T, D]; the output of DPR has no field for them."""
    found = output.last_hidden_state if "last_hidden_state" in output else output.hidden_states[-1]
    return found[0].numpy()


def main() -> None:
    """Print a row for each family, as README has them."""
    print("| family | largest number | from `transformers` | `transformers` from float64 |")  # noqa: T201
    print("|---|---|---|---|")  # noqa: T201
    for family in FAMILIES:
        largest, ours, theirs = measure(family)
        print(f"| `{family}` | {largest:.1f} | {ours:.1e} | {theirs:.1e} |", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
