"""SqueezeBERT's dense layers in groups: whole matrices with zeros between the groups, or refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from bertviz_app import open_model
from bertviz_app.errors import CheckpointError
from tests.support.checkpoint_folders import change_config, opened
from tests.support.families import write_family


def test_a_layer_in_groups_is_a_whole_matrix(tmp_path: Path) -> None:
    theirs = write_family(tmp_path, "squeezebert")
    model = open_model(str(tmp_path), "cpu")
    assert any("zeros between the groups" in remark for remark in model.facts.remarks)
    ours, name = opened(tmp_path).encoder.state_dict(), "encoder.layers.1.output.conv1d.weight"
    weight = ours["layers.1.feed_forward.contract.weight"].numpy()  # [32, 64]
    of_groups = theirs.state_dict()[name][..., 0].numpy()  # [32, 16]
    for group in range(4):
        rows, columns = slice(8 * group, 8 * group + 8), slice(16 * group, 16 * group + 16)
        assert np.array_equal(weight[rows, columns], of_groups[rows])
        assert not np.delete(weight[rows], np.r_[columns], axis=1).any()


@pytest.mark.parametrize("key", ["q_groups", "output_groups"])
@pytest.mark.parametrize("value", [0, 3, 65, "4", True])
def test_groups_that_make_no_sense_are_refused(key: str, value: object, tmp_path: Path) -> None:
    write_family(tmp_path, "squeezebert")
    change_config(tmp_path, **{key: value})
    with pytest.raises(CheckpointError, match=key) as caught:
        opened(tmp_path)
    assert caught.value.hint


def test_groups_that_the_file_does_not_have_are_refused(tmp_path: Path) -> None:
    write_family(tmp_path, "squeezebert")
    change_config(tmp_path, v_groups=2)
    with pytest.raises(CheckpointError, match=r"attention\.value\.weight is \[32, 8\].*\[32, 16\]"):
        opened(tmp_path)


def test_other_embeddings_and_norms_are_refused(tmp_path: Path) -> None:
    write_family(tmp_path, "squeezebert")
    change_config(tmp_path, embedding_size=16)
    with pytest.raises(CheckpointError, match="embedding_size"):
        opened(tmp_path)
    change_config(tmp_path, embedding_size=32, layer_norm_eps=1e-5)
    with pytest.raises(CheckpointError, match="layer_norm_eps"):
        opened(tmp_path)


def test_weights_of_half_precision_are_read(tmp_path: Path) -> None:
    """The whole matrices are larger than such a file, which is no sign of damage."""
    write_family(tmp_path, "squeezebert")
    path = tmp_path / "model.safetensors"
    save_file({name: tensor.half() for name, tensor in load_file(path).items()}, path)
    assert opened(tmp_path).report.missing == ()
