"""Attention weights of any model as a trace: what is taken, what is refused, and what it answers."""

from __future__ import annotations

import json
import sys
from collections import OrderedDict
from dataclasses import FrozenInstanceError
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from bertviz_app.analysis.measures import head_measures, head_names
from bertviz_app.analysis.pairs import pair_weights
from bertviz_app.api.notebook import NotebookView, head_view, model_view
from bertviz_app.errors import AppError, ArgumentError, FileError, SelectionError
from bertviz_app.text.tokens import SPECIAL
from bertviz_app.trace import WeightsTrace, from_arrays, load_trace, save_trace
from bertviz_app.trace.arrays import EncoderDecoderTraces

PIECES = ["[CLS]", "the", "cat", "##s", "[SEP]", "a", "dog", "[SEP]"]


def weights(*shape: int, seed: int = 0) -> Any:
    numbers = np.random.default_rng(seed).random(shape, np.float32) + np.float32(0.01)
    return numbers / numbers.sum(-1, keepdims=True)


def causal(*shape: int) -> Any:
    found = np.tril(weights(*shape))
    return found / found.sum(-1, keepdims=True)


def forms() -> dict[str, object]:
    """Return the same weights [2, 3, 8, 8] in all the forms in which they come."""
    import scipy.sparse

    array = weights(2, 3, 8, 8)
    of_torch = torch.from_numpy(array)
    layers = tuple(layer[None] for layer in of_torch)
    return {
        "an array": array,
        "with a batch axis": array[:, None],
        "a list of arrays": list(array),
        "a tuple of tensors with a batch axis": layers,
        "an output": OrderedDict(last_hidden_state=of_torch[0], attentions=layers),
        "plain lists": array.tolist(),
        "sparse of torch": [layer.to_sparse() for layer in of_torch],
        "sparse of SciPy": [[scipy.sparse.csr_matrix(head) for head in layer] for layer in array],
        "with gradients": of_torch.clone().requires_grad_(),
    }


@pytest.mark.parametrize("name", ["choice", "image", "has_states", "layers"])
def test_nothing_of_it_can_be_assigned(name: str) -> None:
    trace = from_arrays([np.ones((1, 2, 2), np.float32) / 2], ["a", "b"])
    with pytest.raises(FrozenInstanceError):
        setattr(trace, name, None)


@pytest.mark.parametrize("form", list(forms()))
def test_the_same_weights_are_read_in_every_form(form: str) -> None:
    trace = from_arrays(forms()[form], PIECES)
    np.testing.assert_allclose(trace.attention(), weights(2, 3, 8, 8), rtol=1e-6)
    assert (trace.n_layers, trace.n_heads, trace.n_tokens, trace.n_keys) == (2, 3, 8, 8)
    assert not trace.has_states
    assert not trace.is_cross
    assert trace.mask is None
    assert trace.remarks == ()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_other_types_of_numbers_become_float32(dtype: torch.dtype) -> None:
    given = torch.from_numpy(weights(2, 3, 8, 8)).to(dtype)
    found = from_arrays(given, PIECES).attention()
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, given.float().numpy())


def test_floats_in_memory_are_not_copied_and_stay_writeable() -> None:
    given = weights(2, 3, 8, 8)
    trace = from_arrays(given, PIECES)
    assert np.shares_memory(trace.layers[1], given)
    assert given.flags.writeable
    assert not trace.layers[0].flags.writeable
    found = trace.attention(0, 1)
    found[:] = 0  # what is returned is the caller's own
    np.testing.assert_array_equal(trace.attention(0, 1), given[0, 1])


def test_mapped_arrays_stay_in_their_file(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", weights(2, 3, 8, 8))
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    trace = from_arrays(mapped, PIECES)
    assert np.shares_memory(trace.layers[1], mapped)


def test_any_rectangle_is_returned() -> None:
    given = weights(2, 3, 8, 8)
    trace = from_arrays(given, PIECES)
    np.testing.assert_array_equal(trace.attention(1, 2, [0, 5], [7, 1]), given[1, 2][np.ix_([0, 5], [7, 1])])
    np.testing.assert_array_equal(trace.attention(1, None, slice(2, 4)), given[1][:, 2:4])
    np.testing.assert_array_equal(trace.attention(None, None, [3], [3]), given[:, :, 3:4, 3:4])


def test_tokens_have_words_sentences_and_spans() -> None:
    tokens = from_arrays(weights(1, 1, 8, 8), PIECES, sentence_b_start=5).tokens
    assert (tokens.text, tokens.pair) == ("the cats", "a dog")
    assert tokens.sentences.tolist() == [SPECIAL, 0, 0, 0, SPECIAL, 1, 1, SPECIAL]
    assert tokens.words.tolist() == [SPECIAL, 0, 1, 1, SPECIAL, 0, 1, SPECIAL]
    assert [tokens.text[a:b] for a, b in tokens.spans[1:4].tolist()] == ["the", "cat", "s"]
    assert not tokens.has_ids
    assert "id" not in tokens._repr_html_()


@pytest.mark.parametrize(("mark", "shown"), [("Ġ", "␣cat"), ("▁", "␣cat")])
def test_signs_of_spaces_are_shown_as_spaces_unless_they_are_wanted(mark: str, shown: str) -> None:
    pieces = ["A", f"{mark}cat", "s"]
    pretty, plain = (
        from_arrays(weights(1, 3, 3), pieces, prettify_tokens=is_pretty) for is_pretty in (True, False)
    )
    assert pretty.tokens.labels[1] == shown
    assert plain.tokens.labels[1] == f"{mark}cat"
    assert pretty.tokens.text == "A cats"
    assert pretty.tokens.words.tolist() == plain.tokens.words.tolist() == [0, 1, 1]


def test_causal_weights_are_recognised_and_their_cells_masked() -> None:
    trace = from_arrays(causal(2, 3, 5, 5), list("abcde"))
    assert trace.mask is not None
    np.testing.assert_array_equal(trace.mask, np.triu(np.ones((5, 5), bool), 1))
    assert "causal" in trace.remarks[0]
    almost = causal(2, 3, 5, 5)
    almost[1, 2, 0, 4] = 1e-30
    assert from_arrays(almost, list("abcde")).mask is None


def test_cross_attention_has_two_lists_of_tokens() -> None:
    given = [weights(2, 3, 4)[None], weights(2, 3, 4, seed=1)[None]]
    trace = from_arrays(
        cross_attention=given, encoder_tokens=list("wxyz"), decoder_tokens=list("abc"), layer=1, heads=[0]
    )
    assert trace.is_cross
    assert (trace.n_tokens, trace.n_keys) == (3, 4)
    assert trace.key_tokens.pieces == ("w", "x", "y", "z")
    np.testing.assert_array_equal(trace.attention(1), given[1][0])
    np.testing.assert_array_equal(pair_weights(trace, "b", "z"), np.stack([one[0][:, 1, 3] for one in given]))
    assert (trace.choice.layer, trace.choice.selected) == (1, (0,))


def test_layers_may_have_different_numbers_of_heads() -> None:
    given = [weights(2, 8, 8), weights(3, 8, 8, seed=1)]
    trace = from_arrays(given, PIECES)
    assert (trace.n_heads, trace.heads_of(0), trace.heads_of(1)) == (3, (0, 1), (0, 1, 2))
    with pytest.raises(SelectionError, match="layer 0 has the heads 0, 1"):
        trace.attention(0, 2)
    with pytest.raises(SelectionError, match="different numbers of heads"):
        trace.attention()
    alone = head_measures(from_arrays(given[1], PIECES))
    for key, found in head_measures(trace).items():
        assert np.isnan(found[0, 2])
        assert np.isfinite(found[0, :2]).all()
        np.testing.assert_array_equal(found[1], alone[key][0])
    assert np.isnan(pair_weights(trace, 1, 2)[0, 2])
    assert all(at != (0, 2) for at in head_names(trace))


def test_patches_are_named_by_row_and_column() -> None:
    trace = from_arrays(weights(1, 2, 7, 7), patches=(2, 3))
    assert trace.tokens.pieces == ("[CLS]", "0,0", "0,1", "0,2", "1,0", "1,1", "1,2")
    assert from_arrays(weights(1, 2, 6, 6), patches=(2, 3)).tokens.pieces[0] == "0,0"


def test_tokens_without_names_are_numbered() -> None:
    assert from_arrays(weights(3, 3)).tokens.pieces == ("0", "1", "2")


def test_rows_that_do_not_add_up_to_one_are_remarked_on() -> None:
    given = weights(2, 3, 8, 8)
    given[1, 1, 4] *= 0.5
    (remark,) = from_arrays(given, PIECES).remarks
    assert "0.5 to 1" in remark


def test_what_weights_do_not_have_is_said_in_a_sentence() -> None:
    trace = from_arrays(weights(2, 3, 8, 8), PIECES)
    for name in ("queries", "keys", "values", "lse", "hidden", "scale", "token_embeddings"):
        with pytest.raises(SelectionError, match="came without queries, keys and hidden states"):
            getattr(trace, name)
    for method in (trace.scores, trace.score_parts):
        with pytest.raises(SelectionError, match="came without queries, keys and hidden states"):
            method(0, 0)
    assert trace.pooled is None


def one_number(value: float) -> Any:
    given = weights(2, 3, 8, 8)
    given[1, 2, 3, 4] = value
    return given


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "nan": ({"attention": one_number(np.nan)}, "layer 1 has numbers that are not finite"),
    "infinite": ({"attention": one_number(np.inf)}, "layer 1 has numbers that are not finite"),
    "negative": ({"attention": one_number(-0.25)}, "negative numbers, such as -0.25"),
    "several texts": ({"attention": [weights(2, 3, 8, 8)] * 2}, "Layer 0 has attention of 2 texts"),
    "too few tokens": (
        {"attention": weights(2, 3, 8, 8), "tokens": PIECES[1:]},
        "7 tokens, but attention of 8",
    ),
    "no layers": ({"attention": []}, "no layer"),
    "None in it": ({"attention": (None, None)}, "returned no attention"),
    "an output without": ({"attention": {"logits": weights(2, 2)}}, "holds no attention"),
    "not square": ({"attention": weights(2, 3, 4)}, "from 3 tokens to 4 others"),
    "one axis": ({"attention": weights(4)}, "two to four axes, not 4"),
    "other sizes": ({"attention": [weights(1, 3, 3), weights(1, 4, 4)]}, "Layer 1 is of 4 × 4 tokens"),
    "generated": ({"attention": [[weights(1, 1, 3, 3)], [weights(1, 1, 1, 4)]]}, "model.generate"),
    "no second text": ({"attention": weights(2, 3, 8, 8), "sentence_b_start": 8}, "cannot begin at token 8"),
    "no such layer": (
        {"attention": weights(2, 3, 8, 8), "include_layers": [2]},
        "include_layers cannot be 2",
    ),
    "no such head": ({"attention": weights(2, 3, 8, 8), "heads": [99]}, "heads cannot be 99"),
    "no head": ({"attention": weights(2, 3, 8, 8), "include_heads": []}, "include_heads cannot be None"),
    "patches": ({"attention": weights(2, 3, 8, 8), "patches": (3, 3)}, "3 × 3 patches are 9"),
    "cross without tokens": ({"cross_attention": weights(2, 3, 4)}, "to those of an encoder"),
    "encoder and decoder in one": (
        {"attention": {"encoder_attentions": [1], "cross_attentions": [1]}},
        "encoder_attentions, cross_attentions",
    ),
}


@pytest.mark.parametrize("case", list(REFUSED))
def test_what_is_no_attention_of_these_tokens_is_refused(case: str) -> None:
    given, words = REFUSED[case]
    with pytest.raises(SelectionError, match=words) as caught:
        from_arrays(**given)
    assert caught.value.hint


@pytest.mark.parametrize(
    "given",
    [
        {"attention": "a text"},
        {"attention": [["a"]]},
        {"attention": object()},
        {"attention": weights(3, 3), "tokens": "abc"},
        {"attention": weights(3, 3), "tokens": [1, 2, 3]},
        {"attention": weights(3, 3), "tokens": 3},
        {"attention": weights(3, 3), "sentence_b_start": "1"},
        {"attention": weights(3, 3), "decoder_attention": weights(3, 3)},
        {"attention": weights(3, 3).astype(complex)},
        {"attention": weights(4, 4), "patches": 2},
        {},
    ],
)
def test_arguments_of_other_types_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError) as caught:
        from_arrays(**given)
    assert caught.value.hint


def cases() -> dict[str, WeightsTrace]:
    both: dict[str, Any] = {"encoder_tokens": ["▁w", "x", "[SEP]", "z"], "decoder_tokens": list("abc")}
    return {
        "pair": from_arrays(weights(2, 3, 8, 8), PIECES, sentence_b_start=5, model="gpt2"),
        "causal": from_arrays(causal(2, 3, 8, 8), PIECES),
        "float64": from_arrays(weights(2, 3, 8, 8).astype(np.float64), PIECES),
        "cross": from_arrays(cross_attention=weights(2, 3, 3, 4), **both),
        "heads": from_arrays([weights(2, 8, 8), weights(3, 8, 8)], PIECES),
        "plain": from_arrays(weights(3, 3), ["Ġa", "b", "Ġc"], prettify_tokens=False),
    }


@pytest.mark.parametrize("case", list(cases()))
def test_a_saved_trace_of_weights_is_the_same_when_it_is_opened(case: str, tmp_path: Path) -> None:
    trace = cases()[case]
    save_trace(trace, tmp_path / "a.npz")
    found = load_trace(tmp_path / "a.npz")
    assert isinstance(found, WeightsTrace)
    assert found.model == trace.model
    assert (found.remarks, found.is_cross) == (trace.remarks, trace.is_cross)
    for layer, (one, other) in enumerate(zip(found.layers, trace.layers, strict=True)):
        np.testing.assert_array_equal(one, other, err_msg=str(layer))
        assert one.dtype == other.dtype
    for own, before in ((found.tokens, trace.tokens), (found.key_tokens, trace.key_tokens)):
        assert (own.pieces, own.labels) == (before.pieces, before.labels)
        assert (own.text, own.pair) == (before.text, before.pair)


def test_the_first_shown_and_the_parts_of_an_encoder_decoder_are_saved(tmp_path: Path) -> None:
    both: dict[str, Any] = {"encoder_tokens": list("wxyz"), "decoder_tokens": list("abc")}
    parts = EncoderDecoderTraces(
        from_arrays(encoder_attention=weights(2, 3, 4, 4), **both, layer=1),
        from_arrays(decoder_attention=weights(2, 3, 3, 3), **both),
        from_arrays(cross_attention=weights(2, 3, 3, 4), **both, include_heads=[0, 2], heads=[2]),
    )
    save_trace(parts, tmp_path / "three.npz")
    found = load_trace(tmp_path / "three.npz")
    assert isinstance(found, WeightsTrace)
    assert (found.part, found.choice) == ("cross", parts.cross.choice)
    assert found.parts is not None
    for name, expected in parts._asdict().items():
        again = getattr(found.parts, name)
        np.testing.assert_array_equal(again.attention(), expected.attention())
        assert (again.tokens.pieces, again.key_tokens.pieces) == (
            expected.tokens.pieces,
            expected.key_tokens.pieces,
        )
        assert again.choice == expected.choice
    save_trace(found.parts.linked("encoder"), tmp_path / "again.npz")
    last = load_trace(tmp_path / "again.npz")
    assert isinstance(last, WeightsTrace)
    assert (last.part, last.n_tokens, last.choice.layer) == ("encoder", 4, 1)


@pytest.mark.parametrize("wrong", ["choice", "others", "part"])
def test_a_file_whose_facts_contradict_it_is_refused(wrong: str, tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    save_trace(from_arrays(weights(2, 3, 4, 4)), path)
    with np.load(path) as arrays:
        content = dict(arrays)
    facts = json.loads(str(content["facts"]))
    facts |= {
        "choice": {"choice": {"layers": [7]}},
        "others": {"part": "cross", "others": {"encoder": {}, "decoder": {}}},
        "part": {"part": "cross"},
    }[wrong]
    content["facts"] = np.array(json.dumps(facts))
    np.savez(path, **content)
    with pytest.raises(FileError):
        load_trace(path)


@pytest.mark.parametrize("case", list(cases()))
def test_weights_are_written_as_json_and_csv(case: str, tmp_path: Path) -> None:
    trace = cases()[case]
    save_trace(trace, tmp_path / "a.json")
    content = json.loads((tmp_path / "a.json").read_text())
    assert "hidden" not in content
    for layer, found in enumerate(content["attention"]):
        np.testing.assert_array_equal(np.array(found, np.float32), trace.attention(layer))
    save_trace(trace, tmp_path / "a.csv")
    lines = (tmp_path / "a.csv").read_text().splitlines()
    n_weights = sum(layer.size for layer in trace.layers)
    assert sum(line.startswith("attention,") for line in lines) == n_weights


def test_a_file_of_a_script_is_opened(tmp_path: Path) -> None:
    given = weights(2, 3, 8, 8)
    np.savez(tmp_path / "mine.npz", attention=given, tokens=np.array(PIECES), sentence_b_start=5)
    trace = load_trace(tmp_path / "mine.npz")
    assert (trace.model, trace.tokens.pair) == ("mine", "a dog")
    np.testing.assert_array_equal(trace.attention(), given)
    layers: dict[str, Any] = {f"attention_{number}": weights(number + 1, 8, 8) for number in range(11)}
    np.savez_compressed(tmp_path / "layers.npz", **layers)
    found = load_trace(tmp_path / "layers.npz")
    assert [len(found.heads_of(layer)) for layer in range(11)] == list(range(1, 12))
    assert found.tokens.pieces[:2] == ("0", "1")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"attention": weights(2, 3, 8, 8), "tokens": np.array(["a"])}, "1 tokens, but attention of 8"),
        ({"attention": -weights(2, 3, 8, 8)}, "negative"),
        ({"attention": np.array(["a", "b"])}, "arrays of numbers"),
        ({"attention": weights(2, 3, 8, 8), "tokens": np.arange(8)}, "list of texts"),
        ({"weights": weights(2, 3, 8, 8)}, "not a trace"),
        ({"attention": np.array([{}], object)}, "not a trace"),
    ],
)
def test_a_file_that_holds_no_attention_is_refused(
    content: dict[str, Any], words: str, tmp_path: Path
) -> None:
    np.savez(tmp_path / "a.npz", **content)
    with pytest.raises(FileError, match=words):
        load_trace(tmp_path / "a.npz")


def test_the_calls_of_bertviz_return_what_they_show() -> None:
    layers = tuple(torch.from_numpy(weights(1, 3, 8, 8, seed=seed)) for seed in range(2))
    view = head_view(layers, PIECES, 5, layer=1, heads=[0, 2], html_action="return")
    assert isinstance(view, NotebookView)
    (trace,) = view.traces.values()
    assert (trace.choice.layer, trace.choice.selected, trace.tokens.pair) == (1, (0, 2), "a dog")
    assert "##s" in view.data
    arrays: dict[str, Any] = {
        "encoder_tokens": list("wxyz"),
        "decoder_tokens": list("abc"),
        "encoder_attention": weights(1, 2, 4, 4),
        "decoder_attention": weights(1, 2, 3, 3),
        "cross_attention": weights(1, 2, 3, 4),
    }
    shown = model_view(**arrays, include_heads=[1], display_mode="light")
    assert shown is not None
    assert list(shown.traces) == ["Encoder", "Decoder", "Cross"]
    assert shown.traces["Cross"].choice.heads == (1,)
    assert shown.is_dark is False


@pytest.mark.parametrize(
    "given",
    [{}, {"html_action": "save"}, {"attention": weights(2, 2), "cross_attention": weights(2, 2)}],
)
def test_the_calls_of_bertviz_refuse_what_they_cannot_show(given: dict[str, Any]) -> None:
    with pytest.raises(AppError):
        head_view(**given)
    with pytest.raises(AppError):
        model_view(**given)


def test_in_a_notebook_they_are_displayed(monkeypatch: pytest.MonkeyPatch) -> None:
    displayed: list[object] = []
    shell: dict[str, Any] = {
        "IPython": SimpleNamespace(get_ipython=object),
        "IPython.display": SimpleNamespace(display=displayed.append),
    }
    for name, module in shell.items():
        monkeypatch.setitem(sys.modules, name, module)
    assert head_view(weights(2, 3, 8, 8), PIECES) is None
    (view,) = displayed
    assert isinstance(view, NotebookView)
    assert head_view(weights(2, 3, 8, 8), PIECES, html_action="return") is not None
    assert len(displayed) == 1


def test_the_whole_output_as_a_tuple_is_refused_by_what_it_is() -> None:
    output = (np.zeros((1, 4, 8), np.float32), None, tuple(weights(2, 3, 4, 4)[:, None]))
    with pytest.raises(SelectionError, match=r"no attention|whole output"):
        from_arrays(output, list("abcd"))
    with pytest.raises(SelectionError, match="whole output"):
        from_arrays((output[0], output[2]), list("abcd"))


@pytest.mark.parametrize("call", [from_arrays, head_view, model_view])
def test_attention_that_a_model_did_not_return_says_how_to_get_it(call: Any) -> None:
    with pytest.raises(AppError, match="eager"):
        call(None, list("abcd"))


def test_other_floats_of_torch_become_float32_and_tensors_without_numbers_are_refused() -> None:
    eighths = torch.full((1, 1, 2, 2), 0.5).to(torch.float8_e4m3fn)
    np.testing.assert_array_equal(from_arrays(eighths, ["a", "b"]).attention(0, 0), np.full((2, 2), 0.5))
    with pytest.raises(SelectionError, match="without numbers"):
        from_arrays(torch.zeros(1, 1, 2, 2, device="meta"), ["a", "b"])
    with pytest.raises(SelectionError, match="holds no number"):
        from_arrays(np.zeros((2, 0, 2, 2)), ["a", "b"])


@pytest.mark.parametrize(
    "given", [{"include_layers": [0], "layer": 1}, {"include_heads": [0], "heads": [0, 1]}]
)
def test_what_is_left_out_cannot_be_shown_at_first(given: dict[str, Any]) -> None:
    with pytest.raises(SelectionError, match="leaves out 1"):
        from_arrays(weights(2, 3, 4, 4), list("abcd"), **given)
