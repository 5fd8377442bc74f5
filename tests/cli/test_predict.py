"""Commands on traces, analyses, predictions and corpora."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from bertviz_app.analysis.catalogue import CATALOGUE, find_analysis
from bertviz_app.analysis.entry import Needs
from bertviz_app.analysis.measures import KEYS
from bertviz_app.analysis.parameters import parameters_of
from bertviz_app.api import analyse, open_model, pair_others, pair_weights, strongest_heads
from bertviz_app.cli import corpus
from bertviz_app.features.corpora.process.run import CorpusProgress
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


def test_heads_are_printed_by_layer_and_head_or_by_a_measure(run: Run, tiny_bert: Path) -> None:
    code, out, err = run("heads", "the cat", "--model", str(tiny_bert))
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0].split()[:3] == ["head", "entropy", "(bits)"]
    assert [line.split()[0] for line in lines[1:]] == [f"{at // 4}.{at % 4}" for at in range(8)]
    _, out, _ = run("heads", "the cat", "--model", str(tiny_bert), "--by", "largest")
    column = out.splitlines()[0].replace(" (bits)", "").replace(" (tokens)", "").split().index("max")
    largest = [float(line.split()[column]) for line in out.splitlines()[1:]]
    assert largest == sorted(largest, reverse=True)


def test_heads_writes_what_it_prints_with_every_digit(run: Run, tiny_bert: Path, tmp_path: Path) -> None:
    out = tmp_path / "heads.csv"
    code, printed, _ = run("heads", "the cat", "--model", str(tiny_bert), "--by", "next", "--out", str(out))
    rows = [line.split(",") for line in out.read_text("utf-8").splitlines()]
    assert (code, len(rows)) == (0, 9)
    first = printed.splitlines()[1].split()
    assert first[0] == ".".join(rows[1][:2])
    n_measures = len(KEYS)
    assert [f"{float(value):.4f}" for value in rows[1][2:-1]] == first[1 : 1 + n_measures]
    assert rows[0][-1] == "name"
    code, _, err = run("heads", "the cat", "--out", str(tmp_path / "heads.xlsx"))
    assert (code, err.count("\n")) == (2, 1)


def test_an_analysis_prints_four_digits_behind_the_point(run: Run, tiny_bert: Path) -> None:
    _, printed, _ = run("analyse", "head-measures", "the cat", "--model", str(tiny_bert))
    found = analyse("head-measures", open_model(str(tiny_bert)).trace("the cat"))
    first = next(iter(found.as_table().rows))
    assert printed.splitlines()[1].split()[2:4] == [f"{value:.4f}" for value in first[2:4]]


def test_an_unknown_measure_is_refused_with_those_there_are(run: Run) -> None:
    code, _, err = run("heads", "the cat", "--by", "spread")
    assert code == 2
    assert "“spread”" in err
    assert ", ".join(KEYS) in err


def test_a_pair_of_tokens_has_its_weight_in_every_head_by_the_difference(
    run: Run, tiny_bert: Path, tmp_path: Path
) -> None:
    out = tmp_path / "heads.json"
    common = ("heads", "the cat ate", "--model", str(tiny_bert))
    code, printed, err = run(*common, "--query", "3", "--key", "cat", "--out", str(out))
    assert (code, err) == (0, "")
    lines = printed.splitlines()
    trace = open_model(str(tiny_bert)).trace("the cat ate")
    weights = pair_weights(trace, 3, 2)
    assert lines[0].startswith("head  ate → cat  others  entropy")
    others = pair_others(trace, 3, 2)
    order = [(one.layer, one.head) for one in strongest_heads(weights, weights.size, others)]
    assert [line.split()[0] for line in lines[1 : 1 + weights.size]] == [f"{at[0]}.{at[1]}" for at in order]
    assert [line.split()[1] for line in lines[1 : 1 + weights.size]] == [f"{weights[at]:.4f}" for at in order]
    assert [line.split()[2] for line in lines[1 : 1 + weights.size]] == [f"{others[at]:.4f}" for at in order]
    best = ", ".join(f"{at[0]}.{at[1]} ({weights[at]:.4f}, others {others[at]:.4f})" for at in order[:3])
    assert f"ate (3) → cat (2): most above the other tokens in heads {best}" in lines
    read = json.loads(out.read_text("utf-8"))
    assert (read["pair"]["query"], read["pair"]["key_token"]) == (3, "cat")
    assert [(row["layer"], row["head"]) for row in read["heads"]] == order
    assert np.float32(read["heads"][0]["others_3_2"]) == others[order[0]]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--query", "1"), "Give both --query and --key."),
        (("--query", "the", "--key", "0"), "Several tokens are “the”: at 1, 3."),
        (("--query", "dog", "--key", "0"), "There is no token “dog”."),
        (("--query", "the#3", "--key", "0"), "There is no token “the#3”"),
        (("--query", "9", "--key", "0"), "There is no token 9"),
    ],
)
def test_a_token_that_is_not_plain_is_refused_in_one_line(
    run: Run, tiny_bert: Path, arguments: tuple[str, ...], words: str
) -> None:
    code, printed, err = run("heads", "the cat the", "--model", str(tiny_bert), *arguments)
    assert (code, printed, err.count("\n")) == (2, "", 1)
    assert words in err


def test_a_head_that_looks_back_is_named_so_with_its_number(run: Run) -> None:
    """Head 0.1 of the bundled checkpoint looks at the token before."""
    _, printed, _ = run("heads", "A cat ate the fish because it was hungry")
    named = next(line for line in printed.splitlines() if line.startswith("0.1 "))
    assert named.endswith("previous token 1.00")


CHANGES = ["--intervene", "head:0.1=mean", "--intervene", "token:1=drop", "--reference", "it rained"]
NAMED = "token 1 drop; head 0.1 mean over “it rained”"


@pytest.mark.parametrize(
    "command", [["heads"], ["heads", "--query", "1", "--key", "0"], ["analyse", "attention-rollout"]]
)
def test_interventions_are_named_on_standard_error_and_in_each_file(
    run: Run, tiny_bert: Path, tmp_path: Path, command: list[str]
) -> None:
    for ending in (".csv", ".json"):
        out = tmp_path / f"with{ending}"
        options = ["--model", str(tiny_bert), *CHANGES, "--out", str(out)]
        code, _, err = run(*command, "the cat sat", *options)
        assert (code, err) == (0, f"bertviz-app: With interventions: {NAMED}.\n")
        written = out.read_text("utf-8")
        assert NAMED in written or all(
            one in json.loads(written)["interventions"] for one in NAMED.split("; ")
        )
    with (tmp_path / "with.csv").open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    assert names[-1] == "interventions"
    assert {row[-1] for row in rows} == {NAMED}
    out = tmp_path / "without.csv"
    code, _, err = run(*command, "the cat sat", "--model", str(tiny_bert), "--out", str(out))
    assert (code, err) == (0, "")
    assert "interventions" not in out.read_text("utf-8")


SENTENCE, OTHER = "the [MASK] ate the fish", "the dog ate the fish"
ANALYSES = [analysis.key for analysis in CATALOGUE]


CHOSEN = {
    "attn-lrp": {"outcome", "absorbed"},
    "direct-logits": {"token", "piece", "logit", "embeddings"},
    "head-ablation": {"outcome"},
    "head-ranking": {"outcome", "agreement", "flavour"},
    "similarity-heads": {"contribution", "embeddings"},
}
"""What an analysis chose or found besides its arrays, without which they cannot be read."""


@pytest.mark.usefixtures("plain_lenses")
@pytest.mark.parametrize(
    "key", [*CHOSEN, "attention-rollout", "counterfactuals", "logit-lens", "similarity-pairs"]
)
def test_it_runs_from_the_command_line_and_its_files_agree(
    run: Run, pretrained: str, tmp_path: Path, key: str
) -> None:
    analysis = find_analysis(key)
    second = ["--other-text", OTHER] if Needs.SECOND_RUN in analysis.needs else []
    chosen = ["--set", "swaps=fish/dog"] if key == "counterfactuals" else []
    given = ("analyse", key, SENTENCE, *second, *chosen, "--model", pretrained, "--device", "cpu", "--out")
    for ending in (".npz", ".csv", ".json") if key in CHOSEN else (".npz",):
        code, out, err = run(*given, str(tmp_path / f"a{ending}"))
        assert (code, err) == (0, "")
        assert str(analysis.limits) in out
        assert analysis.paper in out
    with np.load(tmp_path / "a.npz") as arrays:
        facts = json.loads(str(arrays["facts"]))
        assert facts["analysis"] == key
        assert CHOSEN.get(key, set()) <= facts["result"].keys()
        assert json.loads(str(arrays["parameters"])) == facts["parameters"]
        assert "[CLS]" in arrays["tokens"].tolist()
        labels = [arrays[f"labels_{axis}"] for axis in arrays["axes"]]
        assert arrays["values"].shape == tuple(map(len, labels))
        error = float(arrays["identity_error"])
        assert facts["identity_error"] == (None if np.isnan(error) else error)
        assert facts.get("other", {}).get("text") == (OTHER if second else None)
        for name in (key.removeprefix("axes_") for key in arrays if key.startswith("axes_")):
            labels = [arrays[f"labels_{name}_{axis}"] for axis in arrays[f"axes_{name}"]]
            assert arrays[name].shape == tuple(map(len, labels))
    if key in CHOSEN:
        written = json.loads((tmp_path / "a.json").read_text("utf-8"))
        with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
            columns, *rows = list(csv.reader(file))
        assert written["columns"] == columns
        assert len(written["rows"]) == len(rows) > 0


def test_the_numbers_of_agreement_are_printed_with_the_methods_that_they_are_of(
    run: Run, tmp_path: Path
) -> None:
    to = str(tmp_path / "a.npz")
    chosen = ("--set", "target=cosine", "--other-text", OTHER)
    code, out, _ = run("analyse", "agreement", SENTENCE, *chosen, "--out", to)
    assert code == 0
    assert "0.1  occlusion · saliency " in out
    with np.load(to) as arrays:
        assert json.loads(str(arrays["facts"]))["other"]["text"] == OTHER
        assert arrays["labels_deletion_method"][0] == "occlusion"
        assert arrays["labels_deletion_step"][0] == "0"


def test_all_are_listed_on_the_command_line(run: Run) -> None:
    code, out, err = run("analyses")
    assert (code, err) == (0, "")
    for analysis in CATALOGUE:
        assert f"{analysis.key}\n" in out
        assert analysis.paper in out
        assert str(analysis.limits) in out
        for parameter in parameters_of(analysis.parameters):
            assert f"--set {parameter.name}=" in out


def test_a_wrong_parameter_is_refused_before_the_model_is_opened(run: Run) -> None:
    code, _, err = run("analyse", "attention-rollout", SENTENCE, "--model", "nowhere", "--set", "residual=2")
    assert code == 2
    assert "“residual” cannot be “2”" in err


def test_a_mask_in_the_second_text_is_that_of_the_tokenizer(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "roberta"
    write_family(folder, "roberta")
    where = ("--model", str(folder))
    same = ("divergence", SENTENCE, *where, "--other-text", SENTENCE)
    code, _, err = run("analyse", *same, "--out", str(tmp_path / "a.json"))
    assert code == 0, err
    rows = json.loads((tmp_path / "a.json").read_text("utf-8"))["rows"]
    assert max(row[-1] for row in rows) == 0


def test_it_writes_the_measures_that_are_requested(run: Run, tiny_bert: Path, tmp_path: Path) -> None:
    texts, out = tmp_path / "texts.txt", tmp_path / "heads.csv"
    texts.write_bytes("the cat\n\n고양이\n".encode() + b"the cat ate " * 200 + b"\nth\xe9\n")
    code, output, error = run(
        *("corpus", str(texts), "--model", str(tiny_bert), "--out", str(out)),
        *("--measures", "previous, entropy", "--block", "2"),
    )
    assert code == 0
    assert output == f"Wrote {out}: 2 sentences x 8 heads.\n"
    assert "Left out 1 line, empty: 2" in error
    assert "Left out 1 line, too long (--truncate cuts such lines): 4" in error
    assert "Left out 1 line, not in the encoding of the file (--encoding names another): 5" in error
    assert f"All of them are named in {out}.remarks.csv." in error
    lines = out.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "line,n_tokens,layer,head,previous,entropy"
    assert [line.split(",")[:4] for line in lines[1::8]] == [["1", "4", "0", "0"], ["3", "9", "0", "0"]]


def test_a_table_needs_a_column(run: Run, tiny_bert: Path, tmp_path: Path) -> None:
    texts, out = tmp_path / "texts.csv", tmp_path / "heads.csv"
    texts.write_bytes('번호,문장\n1,"the cat, 고양이"\n2,fish\n'.encode("cp949"))
    given = ("corpus", str(texts), "--model", str(tiny_bert), "--out", str(out))
    code, _, error = run(*given)
    assert (code, error.count("\n")) == (2, 1)
    assert "--column NAME" in error
    assert "번호, 문장" in error
    code, output, error = run(*given, "--column", "문장")
    assert (code, output) == (0, f"Wrote {out}: 2 sentences x 8 heads.\n")
    assert "texts.csv is read as CP949, separated by comma, with cells in quotes: column 문장." in error
    code, output, _ = run(*given, "--prose", "--separator", ",", "--encoding", "cp949")
    assert (code, output) == (0, f"Wrote {out}: 3 sentences x 8 heads.\n")


def test_where_nothing_is_measured_the_exit_code_says_so(run: Run, tiny_bert: Path, tmp_path: Path) -> None:
    texts, out = tmp_path / "texts.txt", tmp_path / "heads.csv"
    texts.write_bytes("고양이\n배\n".encode("cp949") + b" \n")
    given = ("corpus", str(texts), "--model", str(tiny_bert), "--out", str(out))
    code, output, error = run(*given, "--encoding", "utf-8")
    assert (code, output) == (2, "")
    assert "texts.txt is not in the encoding UTF-8." in error
    assert run(*given)[0] == 0
    out.unlink()
    texts.write_bytes(b"the cat ate " * 200 + b"\n \n")
    code, output, error = run(*given)
    assert (code, output) == (2, "")
    assert "None of the 2 texts of texts.txt can be measured: empty 1, long 1." in error
    assert "Longer texts are cut with --truncate." in error
    assert "encoding" not in error
    assert not out.exists()


def test_lines_that_are_cut_are_named(run: Run, tiny_bert: Path, tmp_path: Path) -> None:
    texts, out = tmp_path / "texts.txt", tmp_path / "heads.npz"
    texts.write_bytes(b"the cat\n" + b"the cat ate " * 200)
    given = ("corpus", str(texts), "--model", str(tiny_bert), "--out", str(out), "--truncate")
    code, output, error = run(*given)
    assert (code, output) == (0, f"Wrote {out}: 2 sentences x 8 heads.\n")
    assert "Cut 1 line, longer than the model reads: 2" in error


@pytest.mark.parametrize(
    ("progress", "line"),
    [
        (CorpusProgress(3000, 0, 0.25), " 25%  3,000 lines  30 lines/s  5 min 0 s left"),
        (CorpusProgress(3000, 2000, 0.25), " 25%  3,000 lines  10 lines/s  15 min 0 s left"),
        (CorpusProgress(3000, 3000, 0.25), " 25%  3,000 lines"),
        (CorpusProgress(3000, 2000, None), "3,000 lines  10 lines/s"),
    ],
)
def test_only_lines_of_this_run_count_for_its_speed(
    monkeypatch: pytest.MonkeyPatch, progress: CorpusProgress, line: str
) -> None:
    now, shown = [1000.0], list[str]()
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr(corpus, "show_progress", shown.append)
    report = corpus.CorpusReport()
    now[0] += 100
    report.on_progress(progress)
    assert shown == [line]
