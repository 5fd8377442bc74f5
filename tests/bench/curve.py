"""The learning curve of a log as an SVG for the documents: `python -m tests.bench.curve FOLDER OUT.svg`."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bertviz_app.training.settings import read_record

WIDTH, HEIGHT, LEFT, TOP, BOTTOM, GAP = 960, 400, 56, 34, 48, 64
INK, PALE = "#3a3f47", "#d9dde3"
SMOOTHED = 40  # steps
MOST_TICKS, MOST_POINTS = 8, 600
STEP = 0.5  # nats between two lines
Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Curve:
    """One line: `points` are (million tokens, value)."""

    name: str
    colour: str
    points: Points


@dataclass(frozen=True)
class Plot:
    """Curves over one axis, from `low` to `high`, with marks at `ticks`."""

    title: str
    low: float
    high: float
    ticks: Sequence[float]
    curves: Sequence[Curve]
    unit: str = ""


def main() -> None:
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    plots = _plots(read_record(folder))
    room = (WIDTH - 2 * LEFT - GAP) / 2
    parts = [_drawn(plot, LEFT + number * (room + GAP), room) for number, plot in enumerate(plots)]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="Inter, Noto Sans, sans-serif" font-size="12" fill="{INK}">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
    )
    out.write_text(head + "".join(parts) + "</svg>\n", encoding="utf-8")


def _plots(lines: Sequence[dict[str, object]]) -> list[Plot]:
    steps = [line for line in lines if line["kind"] == "step"]
    evaluations = [line for line in lines if line["kind"] == "held-out"]
    tokens = {0: 0.0} | {int(_value(line, "step")): _value(line, "n_tokens") / 1e6 for line in steps}
    end = max(tokens.values())

    def held_out(key: str, factor: float = 1.0) -> Points:
        return [(tokens[int(_value(line, "step"))], factor * _value(line, key)) for line in evaluations]

    losses = _smooth([_value(line, "masked_loss") for line in steps])
    trained = list(zip([tokens[int(_value(line, "step"))] for line in steps], losses, strict=True))
    trained = trained[:: max(1, len(trained) // MOST_POINTS)]
    shown = [loss for _, loss in (*trained, *held_out("masked_loss"))]
    lowest, highest = math.floor(min(shown) / STEP), math.ceil(max(shown) / STEP)
    guess = 100 * _value(evaluations[-1], "baseline")
    return [
        Plot(
            "Loss of the masked tokens (nats)",
            STEP * lowest,
            STEP * highest,
            [STEP * number for number in range(lowest, highest + 1)],
            [Curve("training", "#9db4d6", trained), Curve("held-out", "#1f5fb4", held_out("masked_loss"))],
        ),
        Plot(
            "Correct on held-out text (%)",
            0.0,
            100.0,
            range(0, 101, 20),
            [
                Curve("masked tokens", "#1f5fb4", held_out("masked_accuracy", 100)),
                Curve("pairs: next or not", "#b4531f", held_out("next_accuracy", 100)),
                Curve("the most frequent piece", "#8a8f98", [(0.0, guess), (end, guess)]),
            ],
        ),
    ]


def _value(line: dict[str, object], key: str) -> float:
    value = line[key]
    assert isinstance(value, int | float)
    return float(value)


def _smooth(values: Sequence[float]) -> list[float]:
    """Return running means over SMOOTHED values, fewer at the beginning."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    ends = np.arange(1, len(values) + 1)
    starts = np.maximum(0, ends - SMOOTHED)
    means: list[float] = ((sums[ends] - sums[starts]) / (ends - starts)).tolist()
    return means


def _drawn(plot: Plot, left: float, room: float) -> str:
    end = max(x for curve in plot.curves for x, _ in curve.points)
    bottom = HEIGHT - BOTTOM

    def at(x: float, y: float) -> tuple[float, float]:
        share = (min(max(y, plot.low), plot.high) - plot.low) / (plot.high - plot.low)
        return left + room * x / end, bottom - (bottom - TOP - 20) * share

    parts = [f'<text x="{left:.0f}" y="{TOP - 12}" font-size="14" font-weight="600">{plot.title}</text>']
    for tick in plot.ticks:
        _, y = at(0, tick)
        parts.append(f'<path d="M{left:.1f} {y:.1f}h{room:.1f}" stroke="{PALE}"/>')
        parts.append(f'<text x="{left - 8:.1f}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100) if end / step <= MOST_TICKS)
    for tick in range(0, math.floor(end) + 1, step):
        x, _ = at(tick, plot.low)
        parts.append(_centred(x, bottom + 18, f"{tick}"))
    parts.append(_centred(left + room / 2, bottom + 36, "million tokens"))
    for number, curve in enumerate(plot.curves):
        path = "L".join("{:.1f} {:.1f}".format(*at(x, y)) for x, y in curve.points)
        parts.append(f'<path d="M{path}" fill="none" stroke="{curve.colour}" stroke-width="1.8"/>')
        y = TOP + 16 + 18 * number
        x = left + room - 130
        parts.append(f'<path d="M{x:.1f} {y - 4}h18" stroke="{curve.colour}" stroke-width="3"/>')
        parts.append(f'<text x="{x + 24:.1f}" y="{y}">{curve.name}</text>')
    return "".join(parts)


def _centred(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{text}</text>'


if __name__ == "__main__":
    main()
