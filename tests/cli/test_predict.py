"""`bertviz-app predict`: what the heads say, printed and written."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from bertviz_app.api import open_model
from tests.cli.conftest import Run
from tests.support.families import write_family

TEXT, PAIR = "the cat ate the fish", "it was hungry"


@pytest.fixture(scope="module")
def pretrained(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("pretrained")
    write_family(folder, "bert", "AutoModelForPreTraining")
    return str(folder)


def test_fillers_and_what_follows_are_printed(run: Run, pretrained: str) -> None:
    code, out, err = run("predict", TEXT, "--pair", PAIR, "--mask", "2", "--top", "3", "--model", pretrained)
    model = open_model(pretrained, "cpu")
    (filling,) = model.fill_mask(TEXT, PAIR, position=2, top=3)
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0] == "Token 2, [MASK] (masked):"
    assert lines[1].split() == ["rank", "piece", "probability"]
    shown = [line.split() for line in lines[2:5]]
    assert shown == [[str(one.rank), one.piece, f"{one.probability:.4f}"] for one in filling.fillers]
    assert filling.written is not None
    assert f"Written there: cat, rank {filling.written.rank}." in lines
    follows = model.predict(model.trace(TEXT, PAIR, replaced={2: "[MASK]"})).next_sentence
    assert follows is not None
    assert lines[-1] == f"The second text follows the first: {follows.probability:.4f}"


def test_a_mask_in_the_text_is_found(run: Run, pretrained: str) -> None:
    code, out, _ = run("predict", "the [MASK] ate the [MASK]", "--model", pretrained)
    assert code == 0
    assert [line for line in out.splitlines() if line.startswith("Token")] == [
        "Token 2, [MASK] (masked):",
        "Token 5, [MASK] (masked):",
    ]


def test_the_output_begins_with_the_kind_of_classifier(run: Run, tmp_path: Path) -> None:
    kinds = {"regression": "number", "multi_label_classification": "label, each by itself"}
    for problem, title in kinds.items():
        write_family(
            tmp_path / problem,
            "bert",
            "AutoModelForSequenceClassification",
            problem_type=problem,
            num_labels=3,
        )
        code, out, _ = run("predict", TEXT, "--model", str(tmp_path / problem))
        assert code == 0
        assert out.startswith(title)
        assert len(out.splitlines()) == 4


def test_every_token_of_a_discriminator_has_a_line(run: Run, tmp_path: Path) -> None:
    write_family(tmp_path / "electra", "electra", "AutoModelForPreTraining")
    code, out, _ = run("predict", TEXT, "--model", str(tmp_path / "electra"))
    assert code == 0
    tokens = [line.split()[1] for line in out.splitlines()[1:]]
    assert tokens == ["[CLS]", "the", "cat", "ate", "the", "fish", "[SEP]"]


def test_every_token_of_a_classifier_of_tokens_has_its_label(run: Run, tmp_path: Path) -> None:
    labels = {0: "O", 1: "B-LOC"}
    write_family(tmp_path / "ner", "bert", "AutoModelForTokenClassification", id2label=labels)
    written = tmp_path / "labels.csv"
    code, out, _ = run("predict", TEXT, "--model", str(tmp_path / "ner"), "--out", str(written))
    found = open_model(str(tmp_path / "ner"), "cpu").label_tokens(TEXT)
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["position", "token", "label", "probability"]
    assert lines[1:8] == [
        [str(token.position), token.piece, token.labels[0].name, f"{token.labels[0].value:.4f}"]
        for token in found
    ]
    with written.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["head"], row["position"], row["rank"], row["name"]) for row in rows[:2]] == [
        ("token_labels", "0", str(rank), label.name) for rank, label in enumerate(found[0].labels, start=1)
    ]


def test_answers_are_printed_and_written(run: Run, tmp_path: Path) -> None:
    write_family(tmp_path / "qa", "bert", "AutoModelForQuestionAnswering")
    written = tmp_path / "answers.json"
    arguments = ("--pair", PAIR, "--top", "2", "--model", str(tmp_path / "qa"), "--out", str(written))
    code, out, _ = run("predict", TEXT, *arguments)
    found = open_model(str(tmp_path / "qa"), "cpu").answer(TEXT, PAIR, top=2)
    assert code == 0
    lines = out.splitlines()
    assert lines[0].split() == ["rank", "tokens", "answer", "probability"]
    for rank, (span, line) in enumerate(zip(found.spans, lines[1:3], strict=True), start=1):
        expected = f"{rank} {span.first}..{span.last} {span.text} {span.probability:.4f}"
        assert line.split() == expected.split()
    assert lines[3] == f"No answer: {found.nothing:.4f}"
    assert json.loads(written.read_text("utf-8"))["answer"]["spans"][0]["text"] == found.spans[0].text


def test_what_is_printed_is_written(run: Run, pretrained: str, tmp_path: Path) -> None:
    for ending in (".csv", ".json"):
        out = tmp_path / f"said{ending}"
        code, printed, _ = run("predict", TEXT, "--mask", "2", "--model", pretrained, "--out", str(out))
        assert code == 0
        assert printed.endswith(f"Wrote {out}.\n")
    with (tmp_path / "said.csv").open(encoding="utf-8", newline="") as file:
        written = list(csv.reader(file))
    assert len(written) == 1 + 10 + 1
    assert json.loads((tmp_path / "said.json").read_text("utf-8"))["fillings"][0]["written"]["piece"] == "cat"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "--mask N, or [MASK] in the text"),
        (("--mask", "0"), "Token 0 is [CLS]"),
        (("--mask", "99"), "no token 99"),
        (("--mask", "1", "--out", "said.xlsx"), "does not end in"),
        (("--mask", "1", "--top", "0"), "no count from 1"),
    ],
)
def test_mistakes_are_one_line(run: Run, pretrained: str, arguments: tuple[str, ...], words: str) -> None:
    code, out, err = run("predict", TEXT, "--model", pretrained, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err


def test_a_task_of_a_checkpoint_without_its_head_is_refused(run: Run, tiny_bert: Path) -> None:
    code, _, err = run("predict", TEXT, "--mask", "2", "--model", str(tiny_bert))
    assert code == 2
    assert "has no task head. Open one that was saved with one" in err


def test_interventions_other_than_masks_are_named(run: Run, pretrained: str, tmp_path: Path) -> None:
    for ending in (".csv", ".json"):
        out = tmp_path / f"a{ending}"
        options = ["--mask", "2", "--mute", "0.1", "--model", pretrained, "--out", str(out)]
        code, _, err = run("predict", TEXT, *options)
        assert (code, err) == (0, "bertviz-app: With interventions: head 0.1 zero.\n")
    written = json.loads((tmp_path / "a.json").read_text("utf-8"))
    assert written["interventions"] == "token 2 mask; head 0.1 zero"
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        columns, *rows = csv.reader(file)
    assert columns[-1] == "interventions"
    assert {row[-1] for row in rows} == {"token 2 mask; head 0.1 zero"}
