"""What the soak types, opens and drops: texts in several languages, checkpoints, files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.support.checkpoints import random_bert, real_checkpoint, write_bert
from tests.support.training_texts import write_reviews

TEXTS = (
    "A cat ate the fish because it was hungry",
    "고양이가 배가 고파서 생선을 먹었다",
    "The bank of the river was [MASK].",
    "나는 학교에 가서 친구를 만났다. 그리고 집에 왔다.",
    "unbelievable 😀 naïve café — 東京 123,456.78",
    "word " * 60,
    "이 영화는 정말 재미있었다 " * 12,
    "",
)


@dataclass(frozen=True)
class Material:
    """Checkpoints by folder or name, files to drop, and what trainings read and where they write."""

    checkpoints: tuple[str, ...]
    files: tuple[Path, ...]
    reviews: Path
    runs: Path

    @property
    def whole(self) -> tuple[str, ...]:
        """The folders of the checkpoints that can be opened: the default one has none, the last is spoilt."""
        return self.checkpoints[1:-1]


def write_material(folder: Path) -> Material:
    """Write all of it below `folder`."""
    small = write_bert(folder / "small")
    wide = write_bert(folder / "wide", random_bert(1, num_hidden_layers=4, num_attention_heads=8))
    spoilt = write_bert(folder / "spoilt")
    weights = spoilt / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:500])
    text, odd, zipped = folder / "text.txt", folder / "odd.bin", folder / "no session.npz"
    text.write_text("The dog slept.\n", encoding="utf-8")
    odd.write_bytes(bytes(range(256)) * 4)
    zipped.write_bytes(b"PK\x03\x04" + bytes(100))
    return Material(
        ("", str(real_checkpoint()), str(small), str(wide), str(spoilt)),
        (text, odd, zipped, small, spoilt, weights),
        write_reviews(folder / "reviews.tsv"),
        folder / "runs",
    )
