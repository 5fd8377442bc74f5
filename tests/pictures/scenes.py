"""What the pictures of README show: the stills one by one, and the tour frame by frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from bertviz_app.features.lessons.course.reading import shipped_lessons
from bertviz_app.features.lessons.window.lessons import Lessons
from bertviz_app.features.training.page import TrainingController
from bertviz_app.viewmodels.panel import Panel, ParametersChoice, StepsChoice
from bertviz_app.viewmodels.state import OtherRun
from tests.pictures.studio import SENTENCE, Studio

LAYER, HEAD = 3, 1
"""The head of all-MiniLM-L6-v2 in which "it" looks at "cat", and other tokens do so less."""
TOUR = "tour"
"""The name of the file of the moving picture."""
OTHER = "A cat ate the fish because it was fresh"
_PAUSE = 700
_STEPS = 180


def start(studio: Studio) -> None:
    """The first screen."""
    studio.app_state.rooms.begin("learn", ())
    studio.window.open_start_page()
    studio.until(studio.window.frame.welcome.isVisible)
    studio.wait(1.5)  # the ribbons are drawn


def window(studio: Studio) -> None:
    """A head as lines and as a matrix, with the pair it -> cat."""
    studio.type(SENTENCE)
    _open(studio, Panel(0, LAYER, HEAD, "lines"), Panel(0, LAYER, HEAD, "matrix"))
    # The tour comes here with that pair pinned already, which `pin` would unpin.
    studio.app_state.selection.walk_to(studio.token("it"), studio.token("cat"))
    studio.settle()


def steps(studio: Studio) -> None:
    """The softmax of the row of "it"."""
    window(studio)
    _open(studio, Panel(0, LAYER, HEAD, "steps", steps=StepsChoice("layer", "softmax")))


def parameters(studio: Studio) -> None:
    """The table of parameters beside the picture of one matrix."""
    window(studio)
    key = "layers.0.attention.query.weight"
    table = Panel(0, LAYER, HEAD, "parameters", parameters=ParametersChoice("table"))
    picture = Panel(0, LAYER, HEAD, "parameters", parameters=ParametersChoice("picture", key, 37))
    _open(studio, table, picture)


def compare(studio: Studio) -> None:
    """The same head of two sentences, and their difference."""
    window(studio)
    studio.app_state.comparison.set_other(OtherRun(text=OTHER))
    studio.settle()
    _open(
        studio,
        Panel(0, LAYER, HEAD, "lines"),
        Panel(0, LAYER, HEAD, "lines", run="B"),
        Panel(0, LAYER, HEAD, "matrix", run="A-B"),
    )


def lesson(studio: Studio) -> None:
    """A station of the lesson on self-attention."""
    studio.type(SENTENCE)
    studio.window.part(Lessons).open_lesson(shipped_lessons()[3])
    studio.until(lambda: studio.window.part(Lessons).player.is_ready)
    studio.settle()


STILLS: Mapping[str, Callable[[Studio], None]] = MappingProxyType(
    {
        "start": start,
        "window": window,
        "steps": steps,
        "parameters": parameters,
        "compare": compare,
        "lesson": lesson,
    }
)
"""By the names of their files."""


def tour(studio: Studio, folder: Path) -> None:
    """Arcs, the overview, lines, Steps, a comparison, a training, whose model is written into `folder`."""
    _type(studio)
    _walk_heads(studio)
    _walk_steps(studio)
    _compare(studio)
    _train(studio, folder)


def _open(studio: Studio, *panels: Panel) -> None:
    studio.app_state.panels.open(panels, active=len(panels) - 1)
    studio.settle()


def _type(studio: Studio) -> None:
    """On the first screen the arcs follow what is typed; Enter opens the sentence in Explore."""
    start(studio)
    page, typed = studio.window.frame.welcome, ""
    studio.shoot(2 * _PAUSE)
    page.field.setFocus()
    for word in SENTENCE.split():
        QTest.keyClicks(page.field, f" {word}" if typed else word)
        typed = page.field.text()
        studio.until(lambda: page.picture.text == typed)  # noqa: B023 - called before the next word
        studio.wait(1)  # the arcs are those of the head that is most specific to a pair
        studio.shoot(300)
    studio.wait(1)
    studio.shoot(2 * _PAUSE)
    QTest.keyClick(page.field, Qt.Key.Key_Return)
    studio.settle()
    studio.wait(1)
    studio.shoot(3 * _PAUSE)
    studio.app_state.rooms.enter("research")
    _open(studio, Panel(0, 0, 1, "lines"), Panel(0, 0, 1, "matrix"))
    studio.shoot(_PAUSE)


def _walk_heads(studio: Studio) -> None:
    for layer, head in ((1, 2), (2, 1), (3, 7), (4, 4), (LAYER, HEAD)):
        studio.app_state.panels.show(layer, head)
        studio.settle()
        studio.shoot(380)
    studio.shoot(_PAUSE)
    it, cat = studio.token("it"), studio.token("cat")
    for key in (None, cat):
        studio.app_state.selection.pin(it, key)
        studio.settle()
        studio.shoot(900)


def _walk_steps(studio: Studio) -> None:
    for stage in ("queries", "scores", "scaled", "softmax", "weighted", "mixed", "attention_norm", "output"):
        choice = StepsChoice("layer", stage)
        _open(studio, Panel(0, LAYER, HEAD, "lines"), Panel(0, LAYER, HEAD, "steps", steps=choice))
        studio.shoot(750)


def _compare(studio: Studio) -> None:
    _open(studio, Panel(0, LAYER, HEAD, "lines"))
    compare(studio)
    studio.shoot(2200)


def _train(studio: Studio, folder: Path) -> None:
    """Pre-train a small BERT on the program's own documents, and picture it while it learns."""
    texts = sorted((Path(__file__).parents[2] / "resources" / "docs").rglob("*.md"))
    studio.window.part(TrainingController).open()
    training = studio.window.part(TrainingController).training
    training.change(
        files=tuple(map(str, texts)),
        size="own",
        n_layers=2,
        n_heads=2,
        width=64,
        vocabulary_size=1500,
        end="steps",
        amount=float(_STEPS),
        folder=str(folder / "bert-of-documents"),
        text=SENTENCE,
        every=10,
    )
    training.start()
    for part in range(1, 13):
        studio.until(lambda part=part: _n_steps(studio) >= _STEPS * part // 12 or not _is_alive(studio))  # type: ignore[misc]
        studio.wait(0.3)
        studio.shoot(260)
    studio.shoot(1600)


def _n_steps(studio: Studio) -> int:
    run = studio.window.part(TrainingController).training.run
    return 0 if run is None else len(run.steps)


def _is_alive(studio: Studio) -> bool:
    run = studio.window.part(TrainingController).training.run
    return run is not None and run.is_alive
