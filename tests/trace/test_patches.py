"""Images whose patches are tokens: what is taken, what is refused, what is saved and what a page holds."""

from __future__ import annotations

import base64
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from PIL import Image

from bertviz_app.errors import AppError, FileError
from bertviz_app.trace import WeightsTrace, from_arrays, load_trace, save_trace
from bertviz_app.trace.arrays import EncoderDecoderTraces
from bertviz_app.trace.patches import PatchImage, patch_names


def weights(*shape: int) -> Any:
    numbers = np.random.default_rng(0).random(shape, np.float32) + np.float32(0.01)
    return numbers / numbers.sum(-1, keepdims=True)


def pixels(height: int = 12, width: int = 18) -> Any:
    return np.random.default_rng(1).integers(0, 256, (height, width, 3)).astype(np.uint8)


def _with(image: object, n_tokens: int = 7, patches: object = (2, 3)) -> WeightsTrace:
    return from_arrays(weights(2, 2, n_tokens, n_tokens), image=image, patches=patches)  # type: ignore[arg-type]


def _forms(folder: Path) -> dict[str, object]:
    array = pixels()
    Image.fromarray(array).save(folder / "a.png")
    return {
        "bytes": array,
        "shares": array / 255,
        "floats to 255": array.astype(np.float32),
        "with opacity": np.dstack([array, np.full(array.shape[:2], 7, np.uint8)]),
        "a tensor": torch.from_numpy(array),
        "an image of Pillow": Image.fromarray(array),
        "a path": folder / "a.png",
        "a name": str(folder / "a.png"),
    }


def test_an_image_is_taken_in_the_forms_in_which_it_comes(tmp_path: Path) -> None:
    for name, image in _forms(tmp_path).items():
        found = _with(image).image
        assert found is not None, name
        np.testing.assert_array_equal(found.pixels, pixels(), err_msg=name)
        assert (found.rows, found.columns, found.n_ahead, found.n_tokens) == (2, 3, 1, 7)


def test_a_grey_image_has_three_equal_colours() -> None:
    grey = pixels()[..., 0]
    for image in (grey, grey[..., None]):
        found = _with(image).image
        assert found is not None
        np.testing.assert_array_equal(found.pixels, np.stack([grey] * 3, -1))


REFUSED: dict[str, tuple[object, str]] = {
    "a number": (3, "An image is pixels"),
    "nothing of it": (np.zeros((0, 4, 3)), "An image is pixels"),
    "colours first": (np.zeros((3, 24, 24)), r"puts the colours last|3 × 24 × 24"),
    "normalised": (np.full((4, 4, 3), -1.5), "go from -1.5 to -1.5"),
    "not finite": (np.full((4, 4, 3), np.nan), "go from nan to nan"),
    "too large numbers": (np.full((4, 4, 3), 300), "go from 300 to 300"),
    "no file": ("/nowhere/a.png", "There is no file"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_image_is_refused(case: str) -> None:
    image, words = REFUSED[case]
    with pytest.raises(AppError, match=words):
        _with(image)


def test_a_file_that_is_no_image_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("no image")
    with pytest.raises(FileError, match="no image that can be read"):
        _with(tmp_path / "a.png")


@pytest.mark.parametrize("patches", [(2, 4), (0, 7), (-1, -6), (1, 2, 3), "2x3", (2.5, 2), None])
def test_patches_that_do_not_fit_are_refused(patches: Any) -> None:
    with pytest.raises(AppError):
        _with(pixels(), patches=patches)


def test_too_many_tokens_ahead_are_other_patches() -> None:
    assert _with(pixels(), n_tokens=38).image is not None
    with pytest.raises(AppError, match=r"2 × 3 patches are 6, but there is attention of 39"):
        _with(pixels(), n_tokens=39)


def test_tokens_are_called_by_their_places_or_as_they_are_given() -> None:
    assert patch_names((2, 2), 4) == ["0,0", "0,1", "1,0", "1,1"]
    assert patch_names((2, 2), 5)[0] == "[CLS]"
    assert patch_names((2, 2), 7)[:4] == ["[S0]", "[S1]", "[S2]", "0,0"]
    trace = _with(pixels(), n_tokens=8)
    assert trace.tokens.is_special.tolist() == [True, True, *[False] * 6]
    own = from_arrays(weights(1, 1, 4, 4), [*"abcd"], patches=(2, 2), image=pixels())
    assert own.tokens.pieces == ("a", "b", "c", "d")


def test_the_columns_of_cross_attention_are_patches() -> None:
    given = {"cross_attention": weights(2, 2, 3, 6), "decoder_tokens": ["a", "red", "house"]}
    trace = from_arrays(**given, patches=(2, 3), image=pixels())
    assert trace.key_tokens.pieces == ("0,0", "0,1", "0,2", "1,0", "1,1", "1,2")
    assert trace.image is not None
    with pytest.raises(AppError, match="attention of 6"):
        from_arrays(**given, patches=(4, 2))


def test_patches_and_tokens_are_found_from_each_other() -> None:
    image = PatchImage(pixels(), 2, 3, 1)
    assert [image.patch_of(token) for token in (-1, 0, 1, 5, 6, 7)] == [
        None,
        None,
        (0, 0),
        (1, 1),
        (1, 2),
        None,
    ]
    assert [image.token_of(row, column) for row in range(2) for column in range(3)] == [*range(1, 7)]


def test_a_large_image_is_kept_small_by_means() -> None:
    given = np.zeros((1030, 300, 3), np.uint8)
    given[:3, :3] = 90
    given[-1, -1] = 200
    found = _with(given).image
    assert found is not None
    assert found.pixels.shape == (344, 100, 3)
    assert max(found.pixels.shape) <= 512
    assert found.pixels[0, 0].tolist() == [90, 90, 90]
    assert found.pixels[-1, -1].tolist() == [round(200 / 3)] * 3  # the last block has one row of three pixels


def test_it_is_saved_and_each_part_keeps_its_own(tmp_path: Path) -> None:
    trace = _with(pixels())
    save_trace(trace, tmp_path / "a.npz")
    found = load_trace(tmp_path / "a.npz").image
    assert found is not None
    np.testing.assert_array_equal(found.pixels, pixels())
    assert (found.rows, found.columns, found.n_ahead) == (2, 3, 1)
    parts = EncoderDecoderTraces(
        trace,
        from_arrays(weights(2, 2, 3, 3)),
        from_arrays(
            cross_attention=weights(2, 2, 3, 7), decoder_tokens=[*"abc"], patches=(2, 3), image=pixels()
        ),
    )
    save_trace(parts, tmp_path / "b.npz")
    again = load_trace(tmp_path / "b.npz")
    assert isinstance(again, WeightsTrace)
    assert again.parts is not None
    assert [one.image is not None for one in again.parts] == [True, False, True]


def test_a_file_whose_image_does_not_fit_is_refused(tmp_path: Path) -> None:
    save_trace(_with(pixels()), tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as arrays:
        content = dict(arrays)
    for change in ({"image": pixels()[..., 0]}, {"image": pixels().astype(np.float32)}):
        np.savez(tmp_path / "b.npz", **content | change)
        with pytest.raises(FileError):
            load_trace(tmp_path / "b.npz")
    facts = json.loads(str(content["facts"])) | {"patches": [2, 2, 1]}
    np.savez(tmp_path / "c.npz", **content | {"facts": np.array(json.dumps(facts))})
    with pytest.raises(FileError):
        load_trace(tmp_path / "c.npz")


def test_a_page_holds_the_image() -> None:
    page = _with(pixels()).to_html()
    found = re.search(r'"image":({.*?})', page)
    assert found is not None
    image = json.loads(found[1])
    assert (image["rows"], image["columns"], image["ahead"]) == (2, 3, 1)
    with Image.open(io.BytesIO(base64.b64decode(image["png"]))) as opened:
        np.testing.assert_array_equal(np.asarray(opened), pixels())
    assert '"image":null' in from_arrays(weights(1, 1, 3, 3)).to_html()


@pytest.mark.parametrize("is_cross", [False, True])
def test_a_file_of_another_program_may_hold_an_image(is_cross: bool, tmp_path: Path) -> None:
    content: dict[str, Any] = {"attention": weights(2, 2, 3 if is_cross else 7, 7)}
    content |= {"image": pixels(), "patches": (2, 3)} | ({"tokens": [*"abc"]} if is_cross else {})
    np.savez(tmp_path / "a.npz", **content)
    found = load_trace(tmp_path / "a.npz")
    assert found.key_tokens.pieces == tuple(patch_names((2, 3), 7))
    assert found.tokens.pieces == (("a", "b", "c") if is_cross else found.key_tokens.pieces)
    assert found.image is not None
    np.testing.assert_array_equal(found.image.pixels, pixels())
    del content["patches"]
    np.savez(tmp_path / "b.npz", **content | {"key_tokens": [*"stuvwxy"]})
    with pytest.raises(FileError):
        load_trace(tmp_path / "b.npz")


def test_the_output_of_a_vision_transformer_is_taken_as_it_is() -> None:
    torch.manual_seed(0)
    sizes = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 32}
    config = transformers.ViTConfig(**sizes, image_size=32, patch_size=8, attn_implementation="eager")
    model = transformers.ViTModel(config).eval()
    photo = pixels(32, 32)
    with torch.no_grad():
        seen = torch.from_numpy(photo / 127.5 - 1).permute(2, 0, 1)[None].float()
        output = model(seen, output_attentions=True)
    trace = from_arrays(output, patches=(4, 4), image=photo)
    assert (trace.n_tokens, trace.tokens.pieces[0], trace.tokens.pieces[-1]) == (17, "[CLS]", "3,3")
    for layer, attention in enumerate(output.attentions):
        np.testing.assert_array_equal(trace.attention(layer), attention[0].numpy())
    assert trace.image is not None
    with pytest.raises(AppError, match="before it was normalised"):
        from_arrays(output, patches=(4, 4), image=seen[0].permute(1, 2, 0))
