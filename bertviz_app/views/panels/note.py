"""The note of a panel: what its options leave out, join or rescale, and the limits of an analysis."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from bertviz_app.analysis.attention.stamp import Stamp
from bertviz_app.analysis.results import HeadScalars, Quantity, Result
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.options import DrawOptions
from bertviz_app.viewmodels.panels import Content, PanelKind, analysis_of
from bertviz_app.viewmodels.wording import brief_remark, kind_words, stamp_remark, translated
from bertviz_app.views.kit.numbers import fixed, trimmed


def note_of(
    picture: HeadPicture,
    kind: PanelKind,
    options: DrawOptions,
    *,
    names_sample: bool = True,
    names_stamp: bool = True,
) -> str:
    """Return the note of a panel that draws `picture`, "" where everything is drawn as it is.

    `names_sample`: name a sample as one. `names_stamp`: name the numbers of attention that are drawn, and
    that special tokens are left out.
    """
    if not kind.has_options:
        return ""
    sample = sample_note(picture) if names_sample else ""
    notes = [
        *([sample] if sample else []),
        *(_kind(picture) if names_stamp else []),
        *_left_out(picture, names_special=names_stamp),
        *_drawn(picture, kind, options),
    ]
    return " · ".join(notes)


def brief_note_of(picture: HeadPicture, kind: PanelKind, options: DrawOptions) -> str:
    """Return the note of a panel in few words: first which numbers these are, and of which tokens."""
    if not kind.has_options:
        return ""
    numbers = brief_remark(Stamp(picture.source.kind, picture.options.special_tokens))
    parts = [numbers, *_left_out(picture, names_special=False, is_brief=True)]
    return " · ".join(part for part in [*parts, *_drawn(picture, kind, options)] if part)


def brief_note_of_steps(options: DrawOptions) -> str:
    return QCoreApplication.translate("Notes", "Weights of all tokens") if note_of_steps(options) else ""


def note_of_steps(options: DrawOptions) -> str:
    """Return the note of Steps, which always shows the attention weights of all tokens."""
    remark = stamp_remark(options.stamp)
    words = QCoreApplication.translate(
        "Notes", "Steps are of the attention weights of all tokens, whatever other views show: {0}."
    )
    return words.format(remark) if remark else ""


def note_of_analysis(content: Content, analysed: Analysed | None) -> str:
    """Return the note of a panel that shows an analysis: how exact it is, its bound, limits and paper.

    `analysed`: its result, None while it is not there. Of attention the note is "".
    """
    analysis = analysis_of(content)
    if analysis is None:
        return ""
    notes = [] if analysed is None else _exactness(analysed.result, content.part)
    return " · ".join([*notes, translated(analysis.limits), analysis.paper])


def _exactness(result: Result, part: str) -> list[str]:
    """Return how far the identity of a result is off, and the bound of its numbers; of several, of `part`."""
    translate, notes = QCoreApplication.translate, []
    if result.identity_error is not None:
        notes.append(translate("Notes", "identity holds to {0}").format(_brief(result.identity_error)))
    quantity: Quantity | None = getattr(result, "quantity", None)
    if isinstance(result, HeadScalars):
        quantities = {scalar.key: scalar.quantity for scalar in result.scalars}
        quantity = quantities.get(part, result.scalars[0].quantity)
    if quantity is None or quantity.lowest is None:
        return notes
    if quantity.highest is None:
        return [*notes, translate("Notes", "{0} or more").format(trimmed(quantity.lowest))]
    ends = (trimmed(end) for end in (quantity.lowest, quantity.highest))
    return [*notes, translate("Notes", "from {0} to {1}").format(*ends)]


def _brief(error: float) -> str:
    """Return one digit of how far something is off: "3e-06", or "0"."""
    return f"{error:.0e}" if error else "0"


def sample_note(picture: HeadPicture | None) -> str:
    """Return of how many queries a sample is, "" of all other pictures."""
    if picture is None or picture.n_sampled is None:
        return ""
    words = QCoreApplication.translate("Notes", "sample of {0} of {1} queries, the others follow")
    return words.format(f"{picture.n_sampled:,}", f"{len(picture.token_order.queries):,}")


def _kind(picture: HeadPicture) -> list[str]:
    return [] if picture.source.kind == "weight" else [kind_words(picture.source.kind)]


def _left_out(picture: HeadPicture, *, names_special: bool, is_brief: bool = False) -> list[str]:
    translate, options = QCoreApplication.translate, picture.options
    notes = []
    if options.sentences != "all" and picture.trace.tokens.pair is not None:
        notes.append(" → ".join({"a": "1", "b": "2"}[letter] for letter in options.sentences))
    if options.hides_special and names_special:
        notes.append(translate("Notes", "special tokens hidden"))
    if options.hides_punctuation:
        notes.append(translate("Notes", "punctuation hidden"))
    if picture.is_difference:
        return notes
    if options.joins_at_spaces:
        notes.append(translate("Notes", "joined between spaces"))
    elif options.joins_words:
        notes.append(translate("Notes", "pieces joined"))
    return [*notes, *_sums(picture, is_brief=is_brief)]


def _sums(picture: HeadPicture, *, is_brief: bool) -> list[str]:
    """Return what the rows add up to where some tokens are left out."""
    translate, options = QCoreApplication.translate, picture.options
    n_tokens_drawn = len(picture.token_order.keys.tokens)
    if n_tokens_drawn >= picture.token_order.n_tokens or not picture.is_of_weights:
        return []
    if picture.n_sampled is not None:  # the sums of the rows are not known yet
        return []
    if options.renormalises:
        is_named = is_brief and options.hides_special  # the brief note begins with "removed"
        return [] if is_named else [translate("Notes", "the rest of each row scaled to 1")]
    least, most = float(picture.row_sums.min()), float(picture.row_sums.max())
    ends = [fixed(end, 2) for end in (least, most)]
    words = "Σ {0}–{1}" if is_brief else translate("Notes", "rows add up to {0} to {1}")
    return [words.format(*ends)]


def _drawn(picture: HeadPicture, kind: PanelKind, options: DrawOptions) -> list[str]:
    translate = QCoreApplication.translate
    if kind.key == "lines":
        least = translate("Notes", "lines from {0:.3g} on").format(picture.threshold(options.threshold))
        return [least] if options.threshold else []
    scales = {"log": translate("Notes", "logarithmic"), "row": translate("Notes", "each row by its largest")}
    return [scales[picture.options.scale]] if picture.options.scale in scales else []
