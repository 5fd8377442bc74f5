"""What the window and the off-screen pictures are started with, parsed and checked by the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from bertviz_app.values import dataclass, explained, fields

if TYPE_CHECKING:  # read with the command line, which starts without the tokenizers
    from bertviz_app.text import Edits


class PictureSize(NamedTuple):
    """How large a picture is, in pixels of the screen or, where it `is_printed`, in 1/96 inches of print.

    In print `height` is the most that it may have; None: as high as it needs.
    """

    width: float
    height: float | None
    is_printed: bool = False


CARDS = ("window", "overview", "pooled", "divergence")
LANGUAGES = ("en", "ko")
THEMES = ("light", "dark")


@dataclass(frozen=True)
class WindowOptions:
    """The state a window opens with; None is what it had last, or the default.

    `path` is a file to open; `is_listed`: it is then among the recent ones. `is_safe`: without the rooms.
    """

    text: str | None = None
    pair: str | None = None
    model: str | None = None
    device: str = "auto"
    path: Path | None = None
    is_listed: bool = True
    is_safe: bool = False


Run = Literal["A", "B", "A-B"]
RUNS: tuple[Run, ...] = get_args(Run)
ENCODED_RUNS: tuple[Run, ...] = ("A", "B")
"""The runs of a text; the third is their difference."""
SIDES: dict[Run, tuple[Run, Run]] = {"A": ("A", "B"), "B": ("B", "A"), "A-B": ("A", "B")}
"""The run of a text whose tokens and heads each run has, and the other one, with which it is compared."""

Page = Literal["cls", "tokens", "map", "similar", "shelf"]
"""The pages of Vectors: [CLS] in every layer, hidden states, map, similarity, the shelf of sentences."""
PAGES: tuple[Page, ...] = get_args(Page)


@dataclass(frozen=True)
class OtherOptions:
    """What is other in run B than in run A; None is as in run A. `edits` are all those of run B."""

    text: str | None = None
    pair: str | None = None
    model: str | None = None
    edits: Edits | None = None


@dataclass(frozen=True)
class PanelPage:
    """Where Steps, Vectors or Parameters are; None is where they begin.

    `stage` is the one at which Steps stop; `products`: there, the products of the query with one key are
    written number by number. `page` is one of Vectors (see PAGES) or of Parameters, `state` a hidden state of
    Vectors. `parameter` is one by its name in the file or in this program, `output` a row of it.
    """

    stage: str | None = None
    products: bool = False
    page: str | None = None
    state: int | None = None
    parameter: str | None = None
    output: int | None = None


@dataclass(frozen=True)
class RenderOptions:
    """One picture to draw, into `out`, of `size`.

    `view`: the key of a `PanelKind` or of an analysis, or one of CARDS. `out` ends in one of
    `figures.PICTURES`; a PNG has `scale` pixels for each of `size`, of which 96 are an inch. `settings`:
    names and values of options of the drawing and of the overview, of an analysis also of its parameters.
    `theme` is one of THEMES, or "paper": black on white for print. `run` is the one of RUNS that is drawn;
    what is other in run B is in `other`. `files`: of traces, which take the places of the texts, that of run
    A and, with two, that of run B. What is None is chosen by the view.
    """

    text: str
    view: str
    out: Path
    pair: str | None = None
    model: str | None = None
    device: str = "auto"
    layer: int | None = explained(None, "The layer, from 0.")
    head: int | None = explained(None, "The head, from 0.")
    size: PictureSize | tuple[int, int] = (1600, 1000)
    theme: str = "light"
    edits: Edits | None = None
    token: int | None = explained(None, "The token to light as query, from 0.")
    key: int | None = explained(
        None,
        "The token to light as key: with the query a pair, of which the overview shows every head's weight.",
    )
    stage: str | None = explained(None, "Where the steps stand: queries, softmax, pooled ….")
    products: bool = explained(
        False, "At the stage “scores”: the products of query and key in every dimension."
    )
    other: OtherOptions | None = None
    run: Run = "A"
    heads: tuple[int, ...] = explained((), "All heads of the lines.")
    page: str | None = explained(None, "One of the vectors (see `PAGES`), or of the parameters.")
    state: int | None = explained(None, "Hidden state of the vectors, 0: embeddings.")
    parameter: str | None = explained(
        None, "One of the parameters, as bert.pooler.dense.weight: “bertviz-app parameters” lists them."
    )
    output: int | None = explained(None, "A row of that parameter, from 0.")
    settings: tuple[tuple[str, str], ...] = ()
    files: tuple[Path, ...] = ()
    language: str = explained("en", "That of the words.", LANGUAGES)
    text_size: float = explained(1.0, "Times the normal size.")
    scale: float = 1
    has_title: bool = explained(False, "Write checkpoint and sentence above it.")
    kind: str = explained(
        "",
        "The view that an analysis is drawn as: matrix, lines, grid, bars … (its first picture "
        "unless given).",
    )
    part: str = explained(
        "", "Of an analysis with several numbers of each head the one that is drawn, as entropy."
    )

    @property
    def at(self) -> PanelPage:
        """Where Steps, Vectors or Parameters are."""
        return PanelPage(**{field.name: getattr(self, field.name) for field in fields(PanelPage)})
