"""Small files in the formats in which labelled texts are published: header, order of columns, quotes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

N_ROWS = 60
_WORDS = ("배", "고양이", "the", "it was", "때문에")


def _text(number: int) -> str:
    """Return a text that is of this row alone, with a cat in every second one and a fish in the others."""
    return f"{('cat', 'fish')[number % 2]} {_WORDS[number % 5]} {number}"


def _rows(*header: str, cells: Callable[[int], Sequence[str]]) -> str:
    lines = ["\t".join(header)] if header else []
    return "\n".join([*lines, *("\t".join(cells(number)) for number in range(N_ROWS))]) + "\n"


def _objects(make: Callable[[int], Mapping[str, object]]) -> str:
    return json.dumps([make(number) for number in range(N_ROWS)], ensure_ascii=False, indent=2)


def _nsmc(number: int) -> tuple[str, str, str]:
    # Some documents are empty; a quote at the beginning of one has its end in another or nowhere.
    document = {3: "", 7: '"' + _text(7), 11: _text(11) + '"'}.get(number, _text(number))
    return f"{9976970 + number}", document, f"{number % 2}"


def _sts_labels(number: int) -> dict[str, float]:
    similar = number % 2 * 4 + 0.3
    return {"label": similar, "real-label": similar + 0.014285714285714, "binary-label": number % 2}


_NLI = ("entailment", "neutral", "contradiction")
_AGREED = {"agreement": "5:0:0:0", "annotators": ["07", "13"]}
TABLES = MappingProxyType(
    {
        "nsmc": _rows("id", "document", "label", cells=_nsmc),
        "kornli": _rows(
            *("sentence1", "sentence2", "gold_label"),
            cells=lambda n: (f"전제 문장 {n // 3}", _text(n), _NLI[n % 3]),
        ),
        "korsts": _rows(
            *("genre", "filename", "year", "id", "score", "sentence1", "sentence2"),
            cells=lambda n: (
                *("main-captions", "MSRvid", "2012test", f"{n:04}", f"{(n % 2) * 3.2 + 0.8:.3f}"),
                *(_text(n), '한 남자가 "큰 피리를 분다.'),
            ),
        ),
        "kor_hate": _rows(
            *("comments", "contain_gender_bias", "bias", "hate"),
            cells=lambda n: (
                _text(n),
                str(n % 3 == 0),
                ("none", "gender", "others")[n % 3],
                ("hate", "none")[n % 2],
            ),
        ),
        "sst2": _rows("sentence", "label", cells=lambda n: (f"{_text(n)} ", f"{n % 2}")),
        "mrpc": "\ufeff"
        + _rows(
            *("Quality", "#1 ID", "#2 ID", "#1 String", "#2 String"),
            cells=lambda n: (f"{n % 2}", f"{702876 + n}", f"{702977 + n}", _text(n), f'the " witness " {n}'),
        ),
        "cola": _rows(cells=lambda n: ("gj04", f"{n % 2}", ("", "*")[n % 2], f"{_text(n)}.")),
        "ynat": _objects(
            lambda n: {
                "guid": f"ynat-v1_train_{n:05}",
                "title": _text(n),
                "predefined_news_category": "IT과학",
                "label": ("IT과학", "경제")[n % 2],
                "annotations": {"annotators": ["08", "13"], "annotations": {"first-scope": ["IT과학"]}},
                "url": f"https://news.example/{n}",
                "date": "2016.06.30. 오전 10:36",
            }
        ),
        "klue_nli": _objects(
            lambda n: {
                "guid": f"klue-nli-v1_train_{n:05}",
                "genre": "NSMC",
                "premise": _text(n),
                "hypothesis": f"힛걸 {n % 7}",
                "gold_label": _NLI[n % 3],
                "author": _NLI[n % 3],
                **{f"label{voter}": _NLI[n % 3] for voter in range(2, 6)},
            }
        ),
        "klue_sts": _objects(
            lambda n: {
                "guid": f"klue-sts-v1_train_{n:05}",
                "source": "airbnb-rtt",
                "sentence1": _text(n),
                "sentence2": "숙박시설의 위치는 쉽게 찾을 수 있다.",
                "labels": _sts_labels(n),
                "annotations": _AGREED,
            }
        ),
    }
)
"""The content of a file by the name of the data set."""
