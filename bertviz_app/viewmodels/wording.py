"""Words for analyses, errors, interventions, samples and stamps."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from bertviz_app.analysis.attention.stamp import NumbersKind, SpecialTokens, Stamp
from bertviz_app.analysis.parameters import parameters_of
from bertviz_app.checkpoint.sources.source import MINILM, MINILM_COMMAND
from bertviz_app.errors import AppError, Message
from bertviz_app.text import Edits, Tokens
from bertviz_app.text.edits import (
    CellIntervention,
    HeadIntervention,
    Intervention,
    StateIntervention,
    TokenIntervention,
    dropped_text,
)
from bertviz_app.text.tokens import label, written_at
from bertviz_app.viewmodels.panel import Content, Value, analysis_of

if TYPE_CHECKING:
    from bertviz_app.analysis.entry import Analysis
    from bertviz_app.analysis.measures import HeadOverview

translate = QCoreApplication.translate

SYSTEM_WORDS: tuple[object, ...] = (
    QT_TRANSLATE_NOOP("Errors", "File name too long"),
    QT_TRANSLATE_NOOP("Errors", "Input/output error"),
    QT_TRANSLATE_NOOP("Errors", "Is a directory"),
    QT_TRANSLATE_NOOP("Errors", "No such file or directory"),
    QT_TRANSLATE_NOOP("Errors", "No space left on device"),
    QT_TRANSLATE_NOOP("Errors", "Not a directory"),
    QT_TRANSLATE_NOOP("Errors", "Permission denied"),
    QT_TRANSLATE_NOOP("Errors", "Read-only file system"),
)
"""What the operating system most often reports of files."""
JSON_WORDS: tuple[object, ...] = (
    QT_TRANSLATE_NOOP("Errors", "Expecting value"),
    QT_TRANSLATE_NOOP("Errors", "Expecting ',' delimiter"),
    QT_TRANSLATE_NOOP("Errors", "Expecting ':' delimiter"),
    QT_TRANSLATE_NOOP("Errors", "Expecting property name enclosed in double quotes"),
    QT_TRANSLATE_NOOP("Errors", "Illegal trailing comma before end of object"),
    QT_TRANSLATE_NOOP("Errors", "Illegal trailing comma before end of array"),
    QT_TRANSLATE_NOOP("Errors", "Unterminated string starting at"),
    QT_TRANSLATE_NOOP("Errors", "Invalid control character at"),
    QT_TRANSLATE_NOOP("Errors", "Extra data"),
)
"""What Python's reader of JSON reports."""
_OPTION = re.compile(r"(?<!\w)--([a-z][a-z-]*)")
_QUOTED_FIELD = re.compile(r"(?:[“`]|[Cc]olumns? )\{(\d+)\}")  # names


def in_language(error: AppError) -> tuple[str, str]:
    """Return the message and the hint of an error in the language in force."""
    return translated(error.message), _hint(error.hint)


def _hint(hint: str) -> str:
    """Return a hint in the language in force: what options give at a prompt is chosen in boxes here."""
    fields = _OPTION.findall(hint)
    words = {name.replace("_", "-"): box for name, box in field_words().items()}
    words |= {"task": words["target"], "prose": "", "truncate": ""}
    if not isinstance(hint, Message) or not fields or not set(fields) <= words.keys():
        return translated(hint)
    parts = [part for part in hint.arguments if isinstance(part, Message)]
    if len(parts) == len(hint.arguments):
        return " ".join(dict.fromkeys(filter(None, map(_hint, parts))))
    boxes = ", ".join(dict.fromkeys(f"“{words[name]}”" for name in fields if words[name]))
    return translated(Message("Make your choice in {0}, below the first rows.", boxes)) if boxes else ""


def field_words() -> dict[str, str]:
    """Return the names of the boxes below the first rows of a table, by what is chosen there."""
    return {
        "label_column": translate("TableQuestion", "Label"),
        "text_column": translate("TableQuestion", "Text"),
        "pair_column": translate("TableQuestion", "Second text"),
        "column": translate("TableQuestion", "Column of the texts"),
        "separator": translate("TableQuestion", "Separator"),
        "encoding": translate("TableQuestion", "Encoding"),
        "target": translate("TableQuestion", "The labels are"),
    }


def error_text(error: Exception) -> str:
    """Return an error as one text, in the language in force as far as it is the user's to put right."""
    return " ".join(in_language(error)).strip() if isinstance(error, AppError) else str(error)


def translated(text: str) -> str:
    """Return a message, or a text that is known as a whole, in the current language."""
    if not isinstance(text, Message):
        return translate("Errors", text) if text else text
    words = translate("Errors", text.template)
    # Names in quotation marks, and of columns, are left as they are.
    quoted = {int(number) for number in _QUOTED_FIELD.findall(text.template)}
    arguments = (
        translated(argument) if isinstance(argument, str) and position not in quoted else argument
        for position, argument in enumerate(text.arguments)
    )
    return with_particles(words.format(*arguments)) if text.arguments else words


_READ = "영일이삼사오육칠팔구"
"""How the digits are read: the last one of a number decides, and after the last 0 a consonant ends it."""
_LATIN = (
    (re.compile(r"[A-Z]*L"), "엘"),  # letters are read by their names
    (re.compile(r"[A-Z]*[MN]"), "엔"),
    (re.compile(r"[A-Z]*[A-KO-QS-Z]"), "트"),  # R has two names
    (re.compile(r".*(?:ng|[mn])"), "엔"),
    (re.compile(r".*l"), "엘"),
    (re.compile(r".*[aiosruyxh]"), "트"),  # after e and the others the word decides
)
"""How Latin letters before a particle are read, as far as that is sure: by a syllable that ends so."""
_LAST = r"([가-힣\d%]|[A-Za-z]+)"
_PARTICLES = re.compile(_LAST + r"([’”\"')\]]*)(은\(는\)|이\(가\)|을\(를\)|과\(와\)|\(으\)로|\(이\)라)")


def with_particles(text: str) -> str:
    """Return a Korean text in which each particle that is written in both forms has the one that fits.

    What comes before it decides, by its last syllable. After Latin letters both forms stay where it is not
    sure how the word or the name is read.
    """

    def chosen(found: re.Match[str]) -> str:
        last, closing, particle = found.groups()
        syllable = _READ[int(last)] if last.isdigit() else "트" if last == "%" else last  # percent
        if last.isascii() and last.isalpha():
            syllable = next((as_read for word, as_read in _LATIN if word.fullmatch(last)), "")
        if not syllable:
            return found[0]
        final = (ord(syllable) - ord("가")) % 28
        if particle.startswith("("):  # what a consonant puts in between; l, the eighth, counts as a vowel
            is_put = final and not (final == 8 and particle == "(으)로")
            return last + closing + (particle[1] if is_put else "") + particle[-1]
        return last + closing + (particle[0] if final else particle[2])

    return _PARTICLES.sub(chosen, text)


def class_words(name: str, *, is_bundled: bool) -> str:
    """Return the name of a class in the language in force; of a checkpoint of the user's as it is saved."""
    names = {
        "negative": translate("Classes", "negative"),
        "positive": translate("Classes", "positive"),
        "question": translate("Classes", "question"),
        "statement": translate("Classes", "statement"),
    }
    return names.get(name, name) if is_bundled else name


def missing_words(name: str) -> str:
    """Return the sentences for a lesson or an example whose checkpoint is not on this computer."""
    words = translate(
        "Missing",
        "This is about {0}, which is not on this computer. The open checkpoint is used instead, so heads and "
        "numbers differ.",
    ).format(name)
    install = translate("Missing", "To have it, run “{0}” and start the program again.")
    return f"{words} {install.format(MINILM_COMMAND)}" if name == MINILM else words


def all_translated(sentences: Iterable[str]) -> str:
    """Return several sentences of the layers below as one text in the language in force."""
    return " ".join(translated(sentence) for sentence in sentences)


def content_title(content: Content) -> str:
    """Return the name of what a panel shows, and those of its parameters that are not at their defaults."""
    analysis = analysis_of(content)
    if not content.analysis:
        return translate("PanelCard", "Attention")
    if analysis is None:
        return content.analysis
    labels = {parameter.name: parameter.label for parameter in parameters_of(analysis.parameters)}
    parts = [
        f"{translated(labels.get(name, name))} {option_word(value_text(value))}"
        for name, value in content.parameters
    ]
    return " · ".join([translated(analysis.title), *parts])


def parameters_line(content: Content) -> str:
    """Return all parameters that an analysis was run with, also those at their defaults; "" for none.

    A parameter that may be left out, and was, is not named.
    """
    analysis = analysis_of(content)
    return "" if analysis is None else parameters_of_kind(analysis.parameters, content)


def parameters_of_kind(kind: type, content: Content) -> str:
    """Return the parameters of a class as `parameters_line` does, with the values that `content` has."""
    chosen = dict(content.parameters)
    return " · ".join(
        f"{translated(one.label)}: {option_word(value_text(value))}"
        for one in parameters_of(kind)
        if (value := chosen.get(one.name, one.default)) is not None
    )


def about(analysis: Analysis[Any, Any]) -> str:
    """Return what an analysis is, its limits and its paper, a line each."""
    return "\n".join([translated(analysis.summary), translated(analysis.limits), analysis.paper])


def option_word(option: str) -> str:
    """Return what one of several values of a parameter is called; itself where it has no name."""
    return {
        "loss": translate("Options", "loss"),
        "importance": translate("Options", "least important first"),
        "random": translate("Options", "at random"),
        "head": translate("Options", "head"),
        "layer": translate("Options", "layer"),
        "sentence": translate("Options", "sentence vector"),
        "pooled": translate("Options", "pooled vector"),
        "cosine": translate("Options", "cosine of A and B"),
        "masked": translate("Options", "predicted piece"),
        "class": translate("Options", "class"),
        "masks": translate("Options", "masked tokens"),
        "tokens": translate("Options", "each token"),
        "texts": translate("Options", "mean of each text"),
        "debiased": translate("Options", "debiased"),
        "biased": translate("Options", "biased"),
        "next-sentence": translate("Options", "next sentence"),
        "zero": translate("Options", "zeros"),
        "mean": translate("Options", "its mean"),
        "uniform": translate("Options", "equal weights"),
        "heads": translate("Options", "a head"),
        "hidden": translate("Options", "the state of a token"),
        "first word": translate("Options", "first word"),
        "last word": translate("Options", "last word"),
        "column": translate("Options", "who looks most at the dependent"),
        "row": translate("Options", "what the head looks at most"),
        "declared": translate("Options", "as the checkpoint says"),
        "all": translate("Options", "mean of all tokens"),
        "content": translate("Options", "mean without special tokens"),
        "first": translate("Options", "first token"),
        "last": translate("Options", "last layer"),
        "last four": translate("Options", "sum of the last four"),
        "outcome": translate("Options", "the outcome"),
        "queries": translate("Options", "queries of receivers"),
        "keys": translate("Options", "keys of receivers"),
        "values": translate("Options", "values of receivers"),
        "inputs": translate("Options", "all that receivers read"),
        "computed": translate("Options", "computed anew"),
        "frozen": translate("Options", "as in run A"),
        "previous": translate("Options", "previous token"),
        "next": translate("Options", "next token"),
        "same": translate("Options", "the same token"),
        "word": translate("Options", "the same word"),
        "separator": translate("Options", "other special tokens"),
    }.get(option, option)


def value_text(value: Value) -> str:
    """Return the value of a parameter as a field has it, and as `read_parameters` takes it."""
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


LONGEST_REFERENCE = 40
"""So many characters of a reference text are written."""


def intervention_text(
    one: Intervention, edits: Edits, tokens: Tokens | None, *, is_short: bool = False
) -> str:
    """Return one intervention as a short text; `tokens` are those that the run reads with `edits`.

    If it `is_short` a mean is named without its reference text.
    """
    if isinstance(one, HeadIntervention):
        head = translate("Interventions", "Head {0}·{1}").format(one.layer, one.head)
        kind = translate("Interventions", "mean") if is_short and one.kind == "mean" else head_kind_text(one)
        return f"{head}: {kind}"
    if isinstance(one, CellIntervention):
        pair = f"{token_text(one.query, edits, tokens)} → {token_text(one.key, edits, tokens)}"
        words = translate("Interventions", "{0}·{1}: {2} = {3}")
        return words.format(one.layer, one.head, pair, f"{one.weight:g}")
    if isinstance(one, StateIntervention):
        text = _shortened(one.source if one.source_pair is None else f"{one.source} · {one.source_pair}")
        token, source = token_text(one.token, edits, tokens), one.source_token
        if one.state == 0:
            words = translate("Interventions", "{0}: the embedding of token {1} of “{2}”")
            return words.format(token, source, text)
        words = translate("Interventions", "{0} after layer {1}: as token {2} of “{3}”")
        return words.format(token, one.state - 1, source, text)
    assert isinstance(one, TokenIntervention)
    return f"{token_text(one.token, edits, tokens)}: {token_kind_text(one, tokens)}"


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_REFERENCE else f"{text[:LONGEST_REFERENCE].rstrip()} …"


def head_kind_text(one: HeadIntervention) -> str:
    if one.kind == "mean":
        return translate("Interventions", "mean over “{0}”").format(_shortened(one.reference))
    if one.kind == "uniform":
        return translate("Interventions", "equal weights")
    return translate("Interventions", "zero")


def short_head_change_text(edits: Edits, layer: int, head: int) -> str:
    """Return what is done to a head where there is little room; "" for nothing."""
    found = edits.head_at(layer, head)
    if found is not None and found.kind == "mean":
        return translate("Interventions", "mean")
    if found is not None and found.kind == "zero":
        return translate("Interventions", "muted")  # behind a rank "zero" would be another number
    if found is None and any((one.layer, one.head) == (layer, head) for one in edits.cells):
        return translate("Interventions", "weights set")
    return "" if found is None else head_kind_text(found)


def head_change_text(edits: Edits, layer: int, head: int, muted: str) -> str:
    """Return what is done to a head, `muted` where its output is zero; "" for nothing."""
    if (found := edits.head_at(layer, head)) is not None:
        return muted if found.kind == "zero" else head_kind_text(found)
    is_set = any((one.layer, one.head) == (layer, head) for one in edits.cells)
    return translate("Interventions", "some weights are set") if is_set else ""


def token_kind_text(one: TokenIntervention, tokens: Tokens | None) -> str:
    words = {
        "mask": translate("Interventions", "masked"),
        "replace": translate("Interventions", "replaced by {0}"),
        "drop": translate("Interventions", "dropped"),
        "segment": translate("Interventions", "segment {0}"),
        "position": translate("Interventions", "position {0}"),
    }
    value = one.value
    if isinstance(value, str) and tokens is not None:
        value = tokens.label_of(value)
    return words[one.kind].format(value)


def token_text(token: int, edits: Edits, tokens: Tokens | None) -> str:
    """Return what is written where a token is, and its number; the number alone where that is not known."""
    position = edits.position_read(token)
    if tokens is not None and position is None and (dropped := dropped_text(tokens, edits, token)):
        return f"{label(dropped)} ({token})"
    if tokens is None or position is None or position >= len(tokens):
        return translate("Interventions", "token {0}").format(token)
    if tokens.is_special[position]:
        return f"{tokens.labels[position]} ({token})"
    first, last = tokens.spans[position].tolist()
    text = tokens.pair if tokens.sentences[position] == 1 else tokens.text
    return f"{label((text or '')[first:last]) or tokens.labels[position]} ({token})"


def rest_texts(edits: Edits, tokens: Tokens | None, read: Edits | None = None) -> list[str]:
    """Return the texts of all interventions but muted heads and replaced tokens.

    `tokens` are read with `read`, which is `edits` unless given.
    """
    rest, read = (*edits.tokens, *edits.heads, *edits.cells), edits if read is None else read
    return [intervention_text(one, read, tokens) for one in rest]


def sample_line(overview: HeadOverview) -> str:
    """Return how much of an overview is of a sample of the queries; "" where all of it is exact."""
    if (sample := overview.sample) is None:
        return ""
    words = translate("Samples", "Sample of {0} of {1} queries in {2} of {3} layers")
    counts = int(sample.layers.sum()), sample.layers.size
    return words.format(f"{sample.n_queries:,}", f"{overview.n_tokens:,}", *counts)


def kind_title(kind: NumbersKind) -> str:
    """Return what a kind of numbers is called on a button."""
    return {
        "weight": translate("Stamps", "Weights"),
        "norm": translate("Stamps", "Norms"),
        "residual": translate("Stamps", "Norms + residual"),
    }[kind]


def kind_words(kind: NumbersKind) -> str:
    """Return what a kind of numbers is, with its paper."""
    return {
        "weight": translate("Stamps", "Attention weights α"),
        "norm": translate("Stamps", "Norms ||α f(x)|| (Kobayashi 2020)"),
        "residual": translate(
            "Stamps", "Norms with residual and layer norm, all heads together (Kobayashi 2021)"
        ),
    }[kind]


def unit_words(kind: NumbersKind) -> str:
    return {
        "weight": translate("Stamps", "attention weight"),
        "norm": translate("Stamps", "norm ||α f(x)||"),
        "residual": translate("Stamps", "norm with residual, all heads"),
    }[kind]


def share_words(weight: float) -> str:
    """Return a share of attention as it is said: "49 %"."""
    percent = "< 1" if 0 < weight < 0.005 else f"{100 * weight:.0f}"
    return f"{percent} %".replace(" ", "\N{NO-BREAK SPACE}")  # no line ends before the sign


def attention_sentence(
    query: str, key: str, weight: float, others: float | None = None, *, is_itself: bool = False
) -> str:
    """Return what a weight of a head means, and what it is compared with: the mean of the other tokens.

    `others`: see `pair_others`; None leaves it out.
    """
    if is_itself:
        words = translate("Pairs", "In this head, “{0}” puts {1} of its attention on itself.")
    else:
        words = translate("Pairs", "In this head, “{0}” puts {1} of its attention on “{2}”.")
    sentence = words.format(query, share_words(weight), key)
    return sentence if others is None else f"{sentence} {others_sentence(others)}"


def token_name(tokens: Tokens, at: int) -> str:
    """Return a token as people see it: as it is written, and of which word it is a piece."""
    text = written_at(tokens, at) or tokens.labels[at]
    words = list(zip(tokens.sentences.tolist(), tokens.words.tolist(), strict=True))
    of_word = [token for token, word in enumerate(words) if word == words[at]]
    if len(of_word) < 2 or tokens.is_special[at]:
        return translate("Pairs", "“{0}”").format(text)
    whole = (tokens.text, tokens.pair or "")[int(tokens.sentences[at])]
    word = whole[int(tokens.spans[of_word[0], 0]) : int(tokens.spans[of_word[-1], 1])]
    return translate("Pairs", "“{0}” of “{1}”").format(text, word)


def others_sentence(others: float) -> str:
    """Return what a weight is compared with: the mean of the other tokens, see `pair_others`."""
    return translate("Pairs", "The other tokens put {0} there on average.").format(share_words(others))


def special_title(special: SpecialTokens) -> str:
    """Return how special tokens are treated."""
    return {
        "shown": translate("Stamps", "Special tokens shown"),
        "hidden": translate("Stamps", "Special tokens hidden"),
        "removed": translate("Stamps", "Special tokens removed, rows add up to 1"),
    }[special]


def stamp_line(stamp: Stamp) -> str:
    """Return the line that stands below every exported picture: the kind of numbers, and special tokens."""
    return f"{kind_words(stamp.numbers)} · {special_title(stamp.special_tokens)}"


def stamp_remark(stamp: Stamp) -> str:
    """Return what a card says beside its title: only what is not as usual."""
    parts = [] if stamp.numbers == "weight" else [kind_title(stamp.numbers)]
    parts += [] if stamp.special_tokens == "shown" else [special_title(stamp.special_tokens)]
    return " · ".join(parts)


def brief_remark(stamp: Stamp) -> str:
    """Return what `stamp_remark` says in the shortest words, for the narrowest panel."""
    kinds = {"norm": "||α f(x)||", "residual": "||α f(x) + x||"}
    special = {
        "hidden": translate("Stamps", "special hidden"),
        "removed": translate("Stamps", "special removed"),
    }
    parts = (kinds.get(stamp.numbers), special.get(stamp.special_tokens))
    return " · ".join(part for part in parts if part is not None)
