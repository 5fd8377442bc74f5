"""Answers to the tasks of lessons: what a click answers, how far a wrong answer is off, the right answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bertviz_app.learning.lessons.lesson import Scene, token_values
from bertviz_app.learning.lessons.tasks import (
    ChoiceTask,
    HeadTask,
    MissingError,
    NumbersTask,
    OrderTask,
    QuantityInputs,
    ShownWindow,
    Task,
    TokenTask,
)
from bertviz_app.types import Floats
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel_choices import Content
from bertviz_app.viewmodels.selection import Pair


@dataclass(frozen=True)
class Miss:
    """What the numbers of the run say of a wrong answer.

    The token or head `name` has `value`, which is the `rank`-th of `count`, counted from 1. Without a name:
    of an order, `rank` items of `count` are where they belong. `side`: of a number, where the right one lies.
    """

    rank: int = 0
    count: int = 0
    name: str = ""
    value: str = ""
    side: Literal["", "larger", "smaller", "other sign"] = ""


def window_of(app_state: AppState, run: QuantityInputs, scene: Scene, language: str) -> ShownWindow:
    """Return what the window shows; `scene` is what it was set to, with its texts in a language."""
    panel, pinned = app_state.panels.active, app_state.selection.pinned
    workspace = app_state.workspace
    return ShownWindow(
        run,
        (workspace.text, workspace.pair),
        (
            scene.text.in_language(language) if scene.text is not None else "",
            scene.pair.in_language(language) if scene.pair is not None else None,
        ),
        pinned.query,
        pinned.key,
        tuple(each.view_kind for each in app_state.panels.panels),
        panel.steps.stage if panel is not None and panel.view_kind == "steps" else "",
        workspace.edits.replaced,
        workspace.edits.muted,
        app_state.comparison.is_on,
        next(iter(predicted_classes(app_state)), ""),
    )


def analysed_tokens(app_state: AppState, scene: Scene) -> dict[str, Floats]:
    """Return what the analyses of a scene give to each token of run A, of those that are computed."""
    shown = app_state.workspace.shown
    found: dict[str, Floats] = {}
    if shown is None:
        return found
    for key in scene.analyses:
        result = app_state.shown_runs.analyses.result_of(Content(key), shown.result.trace)
        values = None if result is None else token_values(result)
        if values is not None:
            found[key] = values
    return found


def predicted_classes(app_state: AppState) -> tuple[str, ...]:
    """Return the classes of the text of run A, the likeliest first; () while none is predicted of it."""
    shown, prediction = app_state.workspace.shown, app_state.shown_runs.predictions.of("A")
    if shown is None or prediction is None or prediction.found is None:
        return ()
    classes = prediction.found.classes
    is_current = prediction.tokens is shown.result.trace.tokens
    return tuple(each.name for each in classes.labels) if classes is not None and is_current else ()


def picked_token(task: TokenTask, run: QuantityInputs, picked: Pair) -> int | None:
    """Return the token that a click answers with, None where it answers nothing. Raises MissingError.

    A click on one token means it; on the token of the task itself, to see its lines, it means nothing, unless
    that is the answer. A click on a line or a cell means its other end, if one end is the token of the task.
    """
    query, key, rule = picked.query, picked.key, task.answer
    at_query = query is not None and rule.of == "looked at most" and query == run.find(rule.query)
    at_key = key is not None and rule.of == "looks most" and key == run.find(rule.key)
    if query is not None and key is not None:
        return key if at_query else query if at_key else None
    token = key if query is None else query
    is_only_looked_at = (at_query or at_key) and token not in task.answer.positions(run)
    return None if is_only_looked_at else token


def miss_of_token(task: TokenTask, run: QuantityInputs, position: int) -> Miss | None:
    """Return how far the token that was clicked is from the right one, None where no weights decide."""
    weights = task.answer.weights(run)
    if weights is None:
        return None
    return Miss(
        *_ranked(weights, position), run.trace.tokens.labels[position], _number(float(weights[position]))
    )


def miss_of_head(task: HeadTask, run: QuantityInputs, head: tuple[int, int]) -> Miss:
    """Return how far the head that was clicked is from the right one."""
    values = task.answer.values(run)
    numbers = (-values if task.answer.least else values).ravel()
    at = int(np.ravel_multi_index(head, values.shape))
    return Miss(*_ranked(numbers, at), f"{head[0]} · {head[1]}", _number(float(values[head])))


def miss_of_number(task: NumbersTask, run: QuantityInputs, typed: float) -> Miss:
    """Return on which side of the only number that was typed the right one lies."""
    (right,) = task.right(run)
    nearest = min(task.meanings(typed), key=lambda each: abs(each - right))
    if right and abs(nearest + right) <= task.within:
        return Miss(side="other sign")
    return Miss(side="larger" if right > nearest else "smaller")


def miss_of_order(order: Sequence[float]) -> Miss:
    """Return how many items of an order are where they belong."""
    return Miss(sum(item == at for at, item in enumerate(order)), len(order))


def _ranked(numbers: Floats, at: int) -> tuple[int, int]:
    """Return the rank of the number at `at`, counted from 1 for the largest, and how many there are."""
    return int((numbers > numbers[at]).sum()) + 1, len(numbers)


def right_answer(task: Task, run: QuantityInputs, language: str) -> str:
    """Return the right answer as words; "" for something to be done, and where the run has no answer."""
    try:
        return _right_answer(task, run, language)
    except MissingError:
        return ""


def _right_answer(task: Task, run: QuantityInputs, language: str) -> str:
    labels = run.trace.tokens.labels
    if isinstance(task, TokenTask):
        return ", ".join(labels[position] for position in sorted(task.answer.positions(run)))
    if isinstance(task, HeadTask):
        return ", ".join(f"{layer} · {head}" for layer, head in task.answer.heads(run))
    if isinstance(task, NumbersTask):
        is_share = task.unit == "%"
        return ", ".join(
            f"{value:.1%}".replace("%", " %") if is_share else _number(value) for value in task.right(run)
        )
    if isinstance(task, ChoiceTask):
        return task.options[task.right].in_language(language)
    if isinstance(task, OrderTask):
        return " → ".join(item.in_language(language) for item in task.items)
    return ""


def _number(value: float) -> str:
    """Return a number with four decimals at most, as one writes it: 7, not 7.0000."""
    return f"{value:.4f}".rstrip("0").rstrip(".").replace("-", "−")
