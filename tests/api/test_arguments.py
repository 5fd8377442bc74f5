"""Mistakes of a researcher: each ends in a sentence that names the right call, or simply works."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bertviz_app import api
from bertviz_app.errors import AppError, ArgumentError, DeviceError, SelectionError
from bertviz_app.features.training.settings import STATE, WORK, TrainingError
from bertviz_app.text.edits import CellIntervention, HeadIntervention
from bertviz_app.trace import load_trace, save_trace
from tests.support.notebooks import N_HEADS, random_notebook, write_notebook
from tests.support.refusals import not_refused

TEXT = "the cat ate the fish"


@pytest.fixture(scope="module")
def model(tiny_bert: Path) -> api.Model:
    return api.open_model(tiny_bert, torch.device("cpu"))


@pytest.fixture(scope="module")
def trace(model: api.Model) -> api.Trace:
    return model.trace(TEXT)


def test_a_path_and_a_device_of_torch_are_taken(model: api.Model, tiny_bert: Path) -> None:
    assert model.device.name == "cpu"
    assert model.facts.ref == str(tiny_bert.resolve())
    with pytest.raises(DeviceError, match="no device “cuda:7”"):
        api.open_model(tiny_bert, torch.device("cuda:7"))


def _spread(call: Callable[..., object]) -> Callable[[tuple[Any, ...]], object]:
    return lambda given: call(*given)


NO_ARGUMENTS: tuple[tuple[dict[str, Any], str], ...] = (
    ({"ref": 3}, r'not int. Call open_model\("folder'),
    ({"ref": ["a"]}, "not list"),
    ({"ref": b"folder"}, "not bytes"),
    ({"device": None}, r'not None. Call open_model\(device="cpu"\)'),
    ({"device": 0}, "not int"),
    ({"progress": True}, r"not bool. Call open_model\(…, progress=lambda read, total: print"),
    ({"progress": "bar"}, "a function of two numbers"),
    ({"progress": lambda read: None}, "a function of two numbers"),
    ({"n_head": 12}, r"no argument “n_head”. Call open_model\(folder, n_heads=12\)"),
    ({"n_heads": "12"}, r"above 0, not '12'. Call open_model\(folder, n_heads=12\)"),
    ({"n_heads": 12.0}, "not 12.0"),
    ({"n_heads": True}, "not True"),
    ({"n_heads": 0}, "above 0, not 0"),
    ({"norm_eps": "1e-5"}, "a small number above 0, not '1e-5'"),
    ({"norm_eps": 1}, "a small number above 0, not 1"),
    ({"norm_eps": np.float32(2)}, "not float32"),
    ({"norm_eps": float("nan")}, "not nan"),
    ({"norm_eps": -1}, "not -1"),
    ({"lower_case": "yes"}, "True or False, not 'yes'"),
    ({"lower_case": 1}, "True or False, not 1"),
    ({"positions": "sine"}, r"one of textbook, columns, none, not 'sine'. Call .*positions=\"textbook\""),
    ({"positions": ["textbook"]}, "not list"),
    ({"norm_first": 0}, "not 0"),
    ({"activation": torch.relu}, "a name, not builtin"),
    ({"labels": "bad,good"}, "a list of names, not 'bad,good'"),
    ({"labels": [0, 1]}, "a list of names, not list"),
    ({"classifier_reads": "cls"}, "one of pooled, first"),
    ({"follows": 2}, "0 or 1, not 2"),
    ({"lora_alpha": "16"}, "not '16'"),
    ({"lora_alpha": 1e6}, "not 1000000.0"),
    ({"base": 3}, "a folder, a name or a model of the hub, not 3"),
    ({"links": "all"}, "True or False, not 'all'"),
    ({"cache": "here"}, "It has: ref, device, progress, dtype, n_heads"),
)


def test_a_checkpoint_and_a_device_of_another_type() -> None:
    assert not_refused(NO_ARGUMENTS, lambda given: api.open_model(**given), ArgumentError) == []


NO_TEXTS: tuple[tuple[tuple[Any, ...], str], ...] = (
    ((["a", "b"],), r"\[model.trace\(text\) for text in texts\]"),
    (([101, 7, 102],), "not the ids of tokens"),
    ((np.array([101, 7]),), "not the ids of tokens"),
    ((torch.tensor([[101, 7]]),), "not the ids of tokens"),
    ((None,), r'not None. Call model.trace\("a text"\)'),
    ((b"text",), "not bytes"),
    ((3,), "not int"),
    (("a", 3), r'The pair is one text, not int. Call model.trace\("a text", pair="another"\)'),
    (("a", ["b", "c"]), "The pair is one text, not list"),
)


def test_what_is_no_text(model: api.Model) -> None:
    for method in (model.trace, model.encode, model.tokens, model.with_own_mask):
        assert not_refused(NO_TEXTS, _spread(method), ArgumentError) == []


NO_PAIRS: tuple[Any, ...] = (
    *((0, 1), 3, None, "0.1", [0], [(0,)], [(0, 1, 2)], {0: 1}),
    *([("0", "1")], [(True, 1)], [(0.5, 1)]),
)
NO_PIECES: tuple[Any, ...] = ({1: 77}, {"1": "cat"}, [(1, "cat")], "cat", {1: None}, {1.5: "cat"}, 3)


def test_muted_heads_and_replaced_tokens_that_are_none(model: api.Model) -> None:
    assert not_refused(NO_PAIRS, lambda muted: model.trace(TEXT, muted=muted), ArgumentError, "") == []
    assert not_refused(NO_PIECES, lambda pieces: model.trace(TEXT, replaced=pieces), ArgumentError, "") == []


def test_integers_of_numpy_are_integers(model: api.Model, trace: api.Trace) -> None:
    one: Any = np.int64(1)
    zero: Any = np.int32(0)
    assert model.trace(TEXT, muted=[(zero, one)], replaced={one: "[MASK]"}).muted == ((0, 1),)
    np.testing.assert_array_equal(trace.attention(one, zero), trace.attention(1, 0))
    assert model.details(trace, one).layer == 1
    assert model.trace(TEXT, interventions=[HeadIntervention(one, one)]).muted == ((1, 1),)


def test_a_weight_of_numpy_is_saved_with_its_trace(model: api.Model, tmp_path: Path) -> None:
    weight: Any = np.float32(0.25)
    trace = model.trace(TEXT, interventions=[CellIntervention(0, 0, 1, 2, weight)])
    save_trace(trace, tmp_path / "trace.npz")
    (saved,) = load_trace(tmp_path / "trace.npz").cells
    assert saved.weight == 0.25


def test_true_is_no_weight_and_a_text_no_layer(model: api.Model) -> None:
    layer: Any = "0"
    with pytest.raises(ArgumentError, match="weight is one number, not bool"):
        model.trace(TEXT, interventions=[CellIntervention(0, 0, 1, 2, True)])
    with pytest.raises(ArgumentError, match="layer is one number"):
        model.trace(TEXT, interventions=[HeadIntervention(layer, 1)])


_compare: Callable[..., Any] = api.compare


MISTAKEN: tuple[Callable[[Any, Any], Any], ...] = (
    lambda model, trace: model.analyse("attention-rollout", TEXT),
    lambda model, trace: model.analyse("attention-rollout", None),
    lambda model, trace: model.analyse(trace, "attention-rollout"),
    lambda model, trace: model.analyse("attention-rollout", trace, TEXT),
    lambda model, trace: model.details(TEXT, 0),
    lambda model, trace: model.outcomes(TEXT),
    lambda model, trace: model.outcomes(trace, TEXT),
    lambda model, trace: model.details(trace, "0"),
    lambda model, trace: model.logits(trace.hidden),
    lambda model, trace: model.predict(TEXT),
    lambda model, trace: model.predict(trace, 3),
    lambda model, trace: model.predict(trace, ["1"]),
    lambda model, trace: model.predict(trace, top="5"),
    lambda model, trace: _compare(trace, TEXT),
    lambda model, trace: _compare(None, trace),
    lambda model, trace: api.head_measures(TEXT),  # type: ignore[arg-type]  # the mistake
    lambda model, trace: save_trace(TEXT, "trace.npz"),  # type: ignore[arg-type]  # the mistake
    lambda model, trace: save_trace(trace, None),  # type: ignore[arg-type]  # the mistake
)


def test_what_is_no_trace_or_no_number(model: api.Model, trace: api.Trace) -> None:
    assert not_refused(MISTAKEN, lambda call: call(model, trace), ArgumentError, "") == []


SELECTED: tuple[tuple[Any, ...], ...] = (
    (0, [1, 2]),
    ("0",),
    (0.5,),
    (True,),
    (0, 0, 3),
    (0, 0, "abc"),
    (0, 0, [0.5]),
    (0, 0, [[0, 1]]),
    (0, 0, [[0], [1, 2]]),
    (0, 0, None),
    (0, 0, slice(None), 3),
)


def test_what_selects_no_heads_or_tokens(trace: api.Trace) -> None:
    for method in (trace.attention, trace.scores, trace.score_parts):
        assert not_refused(SELECTED, _spread(method), ArgumentError, "Give ") == []


def test_tokens_that_there_are_not(trace: api.Trace) -> None:
    rows: tuple[Any, ...] = ([0, 99], [trace.n_tokens], [-99], np.array([99]), [True, False])
    assert not_refused(rows, lambda of: trace.attention(0, 0, of), SelectionError, "") == []


def test_lists_and_masks_select_what_one_expects(trace: api.Trace) -> None:
    whole = trace.attention(1, 2)
    np.testing.assert_array_equal(trace.attention(1, 2, [0, 2]), trace.attention(1, 2, np.array([0, 2])))
    np.testing.assert_allclose(trace.attention(1, 2, [0, 2]), whole[[0, 2]], atol=1e-6)
    mask = np.arange(trace.n_tokens) == 3
    np.testing.assert_allclose(trace.attention(1, 2, mask, [-1]), whole[3:4, -1:], atol=1e-5)
    assert trace.attention(1, 2, []).shape == (0, trace.n_tokens)


def test_at_the_end_of_a_cell_there_are_a_few_lines(model: api.Model, trace: api.Trace) -> None:
    compared = api.compare(trace, model.trace("the cat"))
    for shown in (trace, trace.tokens, compared, model):
        text, page = repr(shown), shown._repr_html_()
        assert text.startswith("<")
        assert "\n" not in text
        assert len(text) < 200
        assert "<table>" in page
        assert len(page) < 10_000
    assert "7 tokens, 2 layers x 4 heads, width 32" in repr(trace)
    assert repr(trace.tokens) == "<Tokens: 7: [CLS] the cat ate the fish [SEP]>"


def test_html_escapes_what_is_written_and_ends(model: api.Model) -> None:
    long = model.trace("<b> & the " * 20, muted=[(0, 1)], replaced={2: "cat"})
    page = long._repr_html_()
    assert "<b> &" not in page.replace("<p><b>Trace", "")
    assert "… " in repr(long)
    assert " more" in page
    assert "token 2 replace cat, head 0.1 zero" in page


def test_answers_and_progress_of_the_right_kinds_are_taken(tmp_path: Path) -> None:
    folder = write_notebook(tmp_path, random_notebook("a"))
    seen: list[tuple[int, int]] = []
    answers: dict[str, Any] = {"n_heads": np.int64(N_HEADS), "norm_eps": np.float64(1e-5), "lower_case": None}
    model = api.open_model(folder, progress=lambda read, total: seen.append((read, total)), **answers)
    assert model.facts.n_heads == N_HEADS
    assert seen


def test_an_option_of_the_command_line_is_named_by_its_argument(tiny_bert: Path) -> None:
    names = {
        "follow_links": "links=True",
        "heads": "n_heads=12",
        "cased": "lower_case=False",
        "eps": "norm_eps=",
    }
    for name, call in names.items():
        given: dict[str, Any] = {name: True}
        with pytest.raises(ArgumentError, match=f"no argument “{name}”") as caught:
            api.open_model(tiny_bert, "cpu", **given)
        assert call in caught.value.hint


def test_errors_of_opening_name_arguments_and_no_options(tmp_path: Path) -> None:
    write_notebook(tmp_path, random_notebook("c"), config={})
    with pytest.raises(AppError) as caught:
        api.open_model(tmp_path, "cpu")
    assert "--" not in str(caught.value)
    assert str(caught.value).startswith(caught.value.message)
    assert "open_model(folder, n_heads=12" in caught.value.hint


def test_errors_of_trainings_name_arguments(tiny_bert: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.tsv"
    rows.write_text("sentence1\tsentence2\tscore\n" + "".join(f"a\tb\t{n % 6}\n" for n in range(12)))
    with pytest.raises(api.TableError) as raised:
        api.finetune(str(tiny_bert), rows, tmp_path / "out", device="cpu")
    assert raised.value.hint == 'Give target="classes" for classes, target="scores" for scores.'
    for is_resumed in (True, False):
        (tmp_path / "new" / WORK).mkdir(parents=True, exist_ok=True)
        with pytest.raises(TrainingError) as refused:
            api.pretrain(rows, tmp_path / "new", api.PretrainingSettings(steps=1), resume=is_resumed)
        assert "resume=True" in refused.value.hint
        assert "--" not in refused.value.hint
        (tmp_path / "new" / WORK / STATE).touch()
