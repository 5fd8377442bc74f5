"""The stations that a teacher makes: what their tasks can ask for, and what is written into a lesson file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal

from bertviz_app.errors import Message
from bertviz_app.learning.lessons.lesson import Scene
from bertviz_app.learning.lessons.reading import Json, key_of, scene_as_json
from bertviz_app.learning.lessons.tasks import CONDITIONS, TYPED
from bertviz_app.learning.words import Words, typed_number
from bertviz_app.values import dataclass, replace

Texts = Mapping[str, str]
"""A text by language."""

Value = Literal["", "text", "number", "numbers", "token", "measure", "view", "stage", "analysis", "class"]
"""What a question needs besides the scene; "" for nothing."""


@dataclass(frozen=True)
class Question:
    """`kind`: of the task, "none" without one; `rule`: which of its rules; `value`: what the rule needs."""

    kind: str = "none"
    rule: str = ""
    value: str = ""


@dataclass(frozen=True)
class StationRule:
    """What a task asks for.

    `words`: what the list of rules says, with {0} for the pinned tokens that it is `of`: the query, the key,
    or both. `value`: what it needs besides. `ask`: how it can be asked; None where only the teacher knows.
    """

    words: str = ""
    value: Value = ""
    of: Literal["", "query", "key", "pair"] = ""
    ask: Words | None = None

    def pinned(self, scene: Scene) -> str:
        """Return the pinned tokens that it is of."""
        pair = f"“{scene.query or ''}” → “{scene.key or ''}”"
        return {"query": scene.query or "", "key": scene.key or "", "pair": pair, "": ""}[self.of]

    def suggestion(self, scene: Scene, value: str, language: str) -> str:
        """Return how it can be asked, "" where only the teacher knows."""
        words = "" if self.ask is None else self.ask.in_language(language)
        return words.format(query=scene.query, key=scene.key, value=value or "…")


RULES: Mapping[str, Mapping[str, StationRule]] = MappingProxyType(
    {
        "none": {"": StationRule()},
        "choice": {"": StationRule()},
        "order": {"": StationRule(ask=Words("Put these in their order.", "순서대로 놓으세요."))},
        "numbers": {
            "weight": StationRule(
                Message("The weight of {0}"),
                of="pair",
                ask=Words(
                    "How large is the weight of “{query}” on “{key}”?",
                    "“{query}” 토큰이 “{key}” 토큰을 보는 가중치는 얼마입니까?",
                ),
            ),
            "typed": StationRule(Message("Numbers that you give"), value="numbers"),
        },
        "token": {
            "looked at most": StationRule(
                Message("What “{0}” looks at most"),
                of="query",
                ask=Words(
                    "Click the token that “{query}” looks at most.",
                    "“{query}” 토큰이 가장 많이 보는 토큰을 누르세요.",
                ),
            ),
            "scores least": StationRule(
                Message("What “{0}” has the smallest score with"),
                of="query",
                ask=Words(
                    "Click the token whose score with “{query}” is smallest.",
                    "“{query}” 토큰과의 점수가 가장 작은 토큰을 누르세요.",
                ),
            ),
            "looks most": StationRule(
                Message("What looks at “{0}” most"),
                of="key",
                ask=Words(
                    "Click the token that looks at “{key}” most.",
                    "“{key}” 토큰을 가장 많이 보는 토큰을 누르세요.",
                ),
            ),
            "largest value": StationRule(
                Message("The one with the largest value of an analysis"),
                value="analysis",
                ask=Words(
                    "Click the token with the largest value in the panel of the analysis.",
                    "분석 패널에서 값이 가장 큰 토큰을 누르세요.",
                ),
            ),
            "named": StationRule(Message("A token that you name"), value="token"),
        },
        "head": {
            "pair": StationRule(
                Message("The one with most weight of {0}"),
                of="pair",
                ask=Words(
                    "Which head puts most weight of “{query}” on “{key}”? Click it in the overview.",
                    "“{query}” 토큰이 “{key}” 토큰을 가장 많이 보는 헤드는 어느 것입니까? "
                    "한눈에 보기에서 누르세요.",
                ),
            ),
            "largest": StationRule(Message("The one with the largest value of a measure"), value="measure"),
            "smallest": StationRule(Message("The one with the smallest value of a measure"), value="measure"),
        },
        "do": {
            "text changed": StationRule(
                Message("Type any other text"),
                ask=Words("Type a sentence of your own.", "직접 문장을 입력하세요."),
            ),
            "text has": StationRule(
                Message("Type a text with a word"),
                value="text",
                ask=Words(
                    "Type a sentence with the word “{value}”.", "“{value}” 단어가 있는 문장을 입력하세요."
                ),
            ),
            "a pair": StationRule(
                Message("Add a second sentence"),
                ask=Words("Add a second sentence.", "둘째 문장을 추가하세요."),
            ),
            "at least tokens": StationRule(
                Message("Type a text with a number of tokens at least"),
                value="number",
                ask=Words(
                    "Type a sentence with {value} tokens or more.",
                    "토큰이 {value}개 이상인 문장을 입력하세요.",
                ),
            ),
            "a word in pieces": StationRule(
                Message("Type a word that is cut into pieces"),
                ask=Words("Type a word that is cut into pieces.", "여러 조각으로 잘리는 단어를 입력하세요."),
            ),
            "an unknown token": StationRule(
                Message("Type something that becomes unknown"),
                ask=Words("Type something that becomes [UNK].", "[UNK]가 되는 것을 입력하세요."),
            ),
            "pinned": StationRule(
                Message("Pin {0}"),
                of="pair",
                ask=Words(
                    "Pin the pair: drag from “{query}” to “{key}” in the tokens above.",
                    "위의 토큰 줄에서 “{query}” 토큰을 “{key}” 토큰까지 끌어 두 토큰을 고정하세요.",
                ),
            ),
            "pinned query": StationRule(
                Message("Pin “{0}” as query"),
                of="query",
                ask=Words("Click “{query}”.", "“{query}” 토큰을 누르세요."),
            ),
            "masked": StationRule(
                Message("Mask a token that you name"),
                value="token",
                ask=Words("Mask “{value}”: double-click it.", "“{value}” 토큰을 두 번 눌러 가리세요."),
            ),
            "a token hidden": StationRule(
                Message("Mask any token"),
                ask=Words("Mask a token: double-click it.", "토큰 하나를 두 번 눌러 가리세요."),
            ),
            "a head muted": StationRule(
                Message("Mute any head"),
                ask=Words("Mute a head: press X.", "헤드 하나를 끄세요. X 키를 누르면 됩니다."),
            ),
            "predicted class": StationRule(
                Message("Type a text of another class"),
                value="class",
                ask=Words(
                    "Type a sentence for which the model predicts “{value}”.",
                    "모델의 예측이 “{value}”인 문장을 입력하세요.",
                ),
            ),
            "compared": StationRule(
                Message("Compare with a second run"),
                ask=Words("Compare with a second run.", "둘째 실행과 비교하세요."),
            ),
            "view": StationRule(Message("Draw a panel in a view"), value="view"),
            "stage": StationRule(Message("Go to a stop of Steps"), value="stage"),
            "state": StationRule(Message("Show the hidden state with a number"), value="number"),
        },
    }
)
"""Kind of task -> rule.

“trained” is not there: what is shown has no training to start; nor are “a claim” and “text makes”, whose
claims are written into the file by hand. A rule that needs an analysis or a class is offered where the window
shows an analysis with a number for each token, or a model with a classifier.
"""


def rules_of(kind: str, scene: Scene) -> tuple[str, ...]:
    """Return the rules of a kind that the scene has the pinned tokens for."""
    lacking = {"pair"} if scene.query is None or scene.key is None else set()
    lacking |= {name for name in ("query", "key") if getattr(scene, name) is None}
    return tuple(key for key, rule in RULES[kind].items() if rule.of not in lacking)


def station_json(scene: Scene, question: Question, texts: Mapping[str, Texts]) -> Json:
    """Return a station as a lesson file has it.

    `texts` are in both languages by the names of the fields: title, text, notes and, for the question, ask,
    hint, why and options, one a line. Of the options of a choice the first is right; those of an order stand
    in it. Raises ValueError for bad options and values.
    """
    target, is_typed = scene, question.kind == "do" and question.rule in TYPED
    if question.kind == "do" and question.rule.startswith("pinned"):
        scene = replace(scene, query=None, key=None)  # else it would be pinned already
    station: Json = {
        "key": key_of(texts["title"]["en"]),
        "title": dict(texts["title"]),
        "text": dict(texts["text"]),
        "scene": scene_as_json(scene),
        "points_at": "overview" if question.kind == "head" else "text" if is_typed else "panel",
    }
    if texts["notes"]["en"]:
        station["notes"] = dict(texts["notes"])
    if question.kind != "none":
        station["task"] = {
            "kind": question.kind,
            **_TASKS[question.kind](target, question, texts),
            **{name: dict(texts[name]) for name in ("ask", "hint", "why")},
        }
    if is_typed:
        station["own_text"] = True
    return station


def _token(scene: Scene, question: Question, texts: Mapping[str, Texts]) -> Json:
    named = {
        "looked at most": ("query", scene.query),
        "scores least": ("query", scene.query),
        "looks most": ("key", scene.key),
        "largest value": ("analysis", question.value),
    }
    name, token = named.get(question.rule, ("token", question.value))
    return {"answer": {"of": question.rule, name: token}}


def _head(scene: Scene, question: Question, texts: Mapping[str, Texts]) -> Json:
    if question.rule == "pair":
        return {"answer": {"query": scene.query, "key": scene.key}}
    least = {"least": True} if question.rule == "smallest" else {}
    return {"answer": {"measure": question.value, **least}}


def _numbers(scene: Scene, question: Question, texts: Mapping[str, Texts]) -> Json:
    if question.rule == "weight":
        answers: list[Json] = [{"of": "weight", "query": scene.query, "key": scene.key}]
    else:
        parts = question.value.replace(";", " ").split()
        answers = [{"of": "number", "value": _number(part)} for part in parts]
    return {"answers": answers, "within": 0.01}


def _number(text: str) -> float:
    number = typed_number(text)
    if number is None:
        raise ValueError(Message("“{0}” is not a number.", text))
    return number


def _choice(scene: Scene, question: Question, texts: Mapping[str, Texts]) -> Json:
    options = _lines(texts)
    right = len(options) // 2  # not always the first on the card
    return {"options": [*options[1 : right + 1], *options[:1], *options[right + 1 :]], "right": right}


def _order(scene: Scene, question: Question, texts: Mapping[str, Texts]) -> Json:
    return {"items": _lines(texts)}


def _lines(texts: Mapping[str, Texts]) -> list[dict[str, str]]:
    lines = {
        key: [line.strip() for line in text.splitlines() if line.strip()]
        for key, text in texts["options"].items()
    }
    if len({len(each) for each in lines.values()}) > 1:
        raise ValueError(Message("The two languages have different numbers of answers."))
    return [dict(zip(lines, each, strict=True)) for each in zip(*lines.values(), strict=False)]


def _do(scene: Scene, question: Question, texts: Mapping[str, Texts]) -> Json:
    known = {"query": scene.query, "key": scene.key}
    needed, _ = CONDITIONS[question.rule]
    given = {name: known.get(name, question.value) for name in needed}
    if "number" in given:
        number = _number(question.value)
        if number != int(number):
            raise ValueError(Message("“{0}” is not a whole number.", question.value))
        return {"done": {"of": question.rule, "number": int(number)}}
    return {"done": {"of": question.rule, **given}}


_TASKS: Mapping[str, Callable[[Scene, Question, Mapping[str, Texts]], Json]] = MappingProxyType(
    {"token": _token, "head": _head, "numbers": _numbers, "choice": _choice, "order": _order, "do": _do}
)
