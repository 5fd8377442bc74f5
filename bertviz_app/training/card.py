"""The model card: the README.md of a trained model, with its data, its settings and its evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from torch import nn

from bertviz_app.paths import replacing
from bertviz_app.training.settings import LoopSettings
from bertviz_app.training.state import RunPosition

CARD = "README.md"
LICENCE = "to be filled in"
_MINUTE = 60.0
LINEAR = "warms up, then falls to 0 in a line"


@dataclass(frozen=True)
class RunTotals:
    """The totals of a finished run."""

    steps: int
    n_tokens: int  # trained on, without padding
    seconds: float
    n_parameters: int
    command: str  # the line that started it; "" if it was started otherwise

    @classmethod
    def of(cls, position: RunPosition, network: nn.Module, command: str) -> RunTotals:
        """Return the totals of a run that ended at `position`."""
        n_parameters = sum(parameter.numel() for parameter in network.parameters())
        return cls(position.step, position.n_tokens, position.seconds, n_parameters, command)


def write_card(folder: Path, text: str) -> None:
    """Write the model card into `folder`. Raises FileError."""
    with replacing(folder / CARD) as path:
        path.write_text(text, encoding="utf-8")


def card_text(task: str, name: str, about: str, *parts: tuple[str, str]) -> str:
    """Return a card: the header for a model hub, a title, what it is about, and (title, content) parts."""
    head = f"---\nlibrary_name: transformers\npipeline_tag: {task}\n---\n\n# {name}\n\n{about}\n"
    return head + "".join(f"\n## {title}\n\n{content}\n" for title, content in parts)


def command_part(totals: RunTotals) -> list[tuple[str, str]]:
    """Return the part with the command that started the run, if there was one."""
    return [("The command", f"```sh\n{totals.command}\n```")] if totals.command else []


def shared_settings(settings: LoopSettings, schedule: str, totals: RunTotals) -> list[tuple[str, str]]:
    """Return the rows of the table of settings that every training has."""
    warm_up = [("share of the run that warms up", f"{settings.warm_up:g}")] if schedule == LINEAR else []
    return [
        ("highest rate (AdamW)", f"{settings.rate:g}"),
        ("the rate", schedule),
        *warm_up,
        ("weight decay", f"{settings.decay:g}"),
        ("norm of a gradient, at most", f"{settings.clip:g}"),
        ("seed", f"{settings.seed}"),
        ("precision of the steps", settings.precision),
        ("steps", f"{totals.steps:,}"),
        ("tokens seen", f"{totals.n_tokens:,}"),
        ("minutes of training", f"{totals.seconds / _MINUTE:.1f}"),
    ]


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
