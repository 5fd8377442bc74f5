"""How a load report reads."""

from __future__ import annotations

from bertviz_app.checkpoint.weights.tensors import LoadReport, Mismatch, folded


def test_names_that_differ_in_the_layer_are_one() -> None:
    names = [f"layers.{layer}.attention.query.weight" for layer in range(12)]
    assert folded([*names, "pooler.dense.bias"]) == (
        "layers.{0..11}.attention.query.weight",
        "pooler.dense.bias",
    )


def test_layers_with_gaps_are_counted_out() -> None:
    assert folded(["layers.4.x", "layers.0.x", "layers.1.x"]) == ("layers.{0,1,4}.x",)
    assert folded(["layers.7.x"]) == ("layers.7.x",)


def test_the_summary_of_a_perfect_fit_is_empty() -> None:
    assert LoadReport().summary() == ""


def test_the_summary_lists_everything_that_does_not_fit() -> None:
    report = LoadReport(
        missing=("a", "b", "c", "d"),
        unexpected=("bad\x1bname",),
        mismatched=(Mismatch("w", (2, 3), (2, 4)), Mismatch("v", (1,), (2,))),
        task_heads=("cls.bias",),
    )
    assert report.summary() == (
        "Missing: a, b, c and 1 more. "
        "Of another shape: w is [2, 4] where config.json makes it [2, 3], and 1 more. "
        "Task heads that are not used: cls.bias. "
        "Unknown tensors that are not used: 'bad\\x1bname'."
    )
